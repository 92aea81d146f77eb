import { describe, expect, it } from 'vitest';
import { renderExplanation } from '../../../src/bin/render/explanation.ts';
import { createSheet } from '../../../src/bin/render/page.ts';
import type { ExplainResult } from '../../../src/context/explain-result.ts';

const sheet = createSheet({ columns: 72, colors: false, home: '/home/ada', directory: '/home/ada/p' });

describe('renderExplanation', () => {
  it('shows the verdict, the reason and each step, paths as short as they can be said', () => {
    const result: ExplainResult = {
      candidates: [
        {
          path: '/home/ada/p/.context/a.md',
          verdict: 'available',
          reason: { code: 'no_glob_matched', detail: 'no files are in play' },
          steps: [
            { rule: 'context_directory', outcome: 'found', detail: 'in /home/ada/p/.context (static scope)' },
            { rule: 'sensitive', outcome: 'passed' },
            { rule: 'trigger_auto', outcome: 'available', detail: 'no_glob_matched: tried *.ts' },
          ],
        },
      ],
      warnings: [{ code: 'symlink', message: 'Not followed.', path: '/home/ada/.context', line: 3 }],
    };
    expect(renderExplanation(result, sheet)).toBe(
      [
        '○ .context/a.md',
        '  available, no glob matched: no files are in play',
        '  · context directory  found: in .context (static scope)',
        '  · sensitive          passed',
        '  · trigger auto       available: no glob matched: tried *.ts',
        '',
        'Warning',
        '  ! ~/.context:3',
        '    Not followed.',
        '',
      ].join('\n'),
    );
  });

  it('says what to do with a file that is not UTF-8 text', () => {
    const about = { path: '/shop/a.md', verdict: 'excluded' as const, steps: [] };
    const told = (code: 'invalid_utf8' | 'binary'): string | undefined =>
      renderExplanation({ candidates: [{ ...about, reason: { code } }], warnings: [] }, sheet).split('\n')[1];
    expect(told('invalid_utf8')).toBe('  excluded, not UTF-8 text; save it as UTF-8');
    expect(told('binary')).toBe('  excluded, binary; if it is text, save it as UTF-8');
  });

  it('says that there is nothing', () => {
    expect(renderExplanation({ candidates: [], warnings: [] }, sheet)).toBe(
      'No file is a candidate for context here.\n',
    );
  });

  it('S-84 lets no control character of a file name reach the terminal', () => {
    const path = '/home/ada/p/\u001b[31m\u202Ex\n.md';
    const candidate = {
      path,
      verdict: 'excluded' as const,
      reason: { code: 'binary' as const, detail: path },
      steps: [{ rule: 'size' as const, outcome: 'binary' as const, detail: path }],
    };
    const page = renderExplanation({ candidates: [candidate], warnings: [] }, sheet);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
    expect(page.split('\n')).toHaveLength(4);
  });
});
