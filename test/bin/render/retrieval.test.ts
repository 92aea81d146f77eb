import { describe, expect, it } from 'vitest';
import { createSheet } from '../../../src/bin/render/page.ts';
import { renderContents, renderRetrieval } from '../../../src/bin/render/retrieval.ts';
import type { RetrieveResult } from '../../../src/retrieval/retrieve-result.ts';

const sheet = createSheet({ columns: 72, colors: false, home: '/home/ada', directory: '/home/ada/p' });
const item = (origin: 'open-tab' | 'import', name: string, more: object = {}) => ({
  origin,
  path: `/home/ada/p/${name}`,
  relativePath: name,
  content: 'let a;\n',
  tokens: 1_200,
  truncated: false,
  ...more,
});
const empty: RetrieveResult = { items: [], omitted: [], usage: { tokens: 0 }, warnings: [] };

describe('renderRetrieval', () => {
  it('RT-01 RT-05 shows what goes with the prompt and why, what it costs, and what was left out', () => {
    const result: RetrieveResult = {
      items: [
        item('open-tab', 'a.ts'),
        item('import', 'b.ts', { tokens: 34, range: { startLine: 3, endLine: 9 } }),
        item('import', 'c.ts', { truncated: true }),
      ],
      omitted: [
        { origin: 'import', path: '/home/ada/p/d.ts', reason: { code: 'blocked_by_policy', detail: 'exclude "d.ts"' } },
        { origin: 'search', path: '/home/ada/x.ts', reason: { code: 'over_budget', detail: '…' }, tokens: 5_000 },
      ],
      usage: { tokens: 2_434, maxTokens: 4_000 },
      warnings: [{ code: 'policy_twice', message: 'Join them.', path: '/home/ada/p/.ai-context-policy.yml', line: 1 }],
      semantic: { status: 'degraded', engine: 'keyword', detail: '2 of 9 files were not searched.' },
    };
    expect(renderRetrieval(result, sheet)).toBe(
      [
        '3 items, 2,434 of 4,000 tokens',
        '2 of 9 files were not searched.',
        '',
        'Open tabs',
        '              1,200  a.ts',
        '',
        'Imported',
        '                 34  b.ts:3-9',
        '  1,200 (beginning)  c.ts',
        '',
        'Left out',
        '  ✕ d.ts',
        '    blocked by policy: exclude "d.ts"',
        '  ✕ ~/x.ts  does not fit, 5,000 tokens',
        '',
        'Warning',
        '  ! .ai-context-policy.yml:1',
        '    Join them.',
        '',
      ].join('\n'),
    );
    const nothing = 'No context was found for the prompt.';
    expect(renderRetrieval(empty, sheet)).toBe(`${nothing} With --query, the workspace is searched.\n`);
    const searched: RetrieveResult = { ...empty, semantic: { status: 'ready', engine: 'keyword' } };
    expect(renderRetrieval(searched, sheet)).toBe(`${nothing}\n`);
    // No hint at what was given, or was turned off.
    expect(renderRetrieval(empty, sheet, { query: 'x', search: false })).toBe(`${nothing}\n`);
    expect(renderRetrieval(empty, sheet, { search: false })).toBe(`${nothing}\n`);
  });

  it('S-84 obeys nothing that a file or its name says to a terminal', () => {
    const result = {
      ...empty,
      items: [item('import', 'a\u001b[2J.ts', { content: 'let\u001b[31m a;\r\n\tlet b;\u202e\n' })],
    };
    expect(renderRetrieval(result, sheet)).toContain(String.raw`a\u{1b}[2J.ts`);
    expect(renderContents(result)).toBe('=== a\\u{1b}[2J.ts\nlet\\u{1b}[31m a;\n    let b;\\u{202e}\n');
  });
});
