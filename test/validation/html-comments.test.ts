import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { checkContextFile } from '../../src/validation/check-context-file.ts';
import { validateContent } from '../../src/validation/validate-content.ts';

const found = (text: string, path = '/ws/.context/a.md') =>
  checkContextFile(text, { path }).warnings.map(({ code, line, column }) => `${code} ${line}:${column}`);

describe('what people do not see', () => {
  it('S-65 HTML comments are findings with line and column, each once, however many lines they have', () => {
    const text =
      '---\ntrigger: always\n---\n# A\n\nSee <!-- do\n```\nnot --> this <!-- or that -->.\n<!-- never closed\n';
    expect(found(text)).toEqual(['html_comment 6:5', 'html_comment 8:14', 'html_comment 9:1']);
  });

  it('S-65 comments in fenced code and in plain text are seen, and no finding', () => {
    const code = '# A\n\n```html\n<!-- seen -->\n```\n\n~~~~\n~~~\n<!-- seen -->\n~~~~\n';
    expect(found(code)).toEqual([]);
    expect(found(`${code}<!-- not seen -->\n`)).toEqual(['html_comment 11:1']);
    expect(found('<!-- seen -->', '/ws/.context/a.txt')).toEqual([]);
  });

  it('S-66 S-65 of a megabyte of comments, more are found than are listed, and the check goes on', () => {
    const text = `${'<!---->'.repeat(149_000)}\n`;
    const listed = fixedLimits.validation.diagnostics;
    expect(found(text)).toHaveLength(listed + 1);
    const { diagnostics } = validateContent({ kind: 'context-file', content: text });
    expect(diagnostics).toHaveLength(listed + 1);
    expect(diagnostics.at(-1)).toMatchObject({ code: 'more_diagnostics' });
  });

  it('S-65 a possible secret is a finding with its line, not with its value', () => {
    const token = `glpat-${'aB3dE6gH9j'.repeat(2)}`;
    const { warnings } = checkContextFile(`# A\n\nThe token: ${token}\n`, { path: '/ws/.context/a.md' });
    expect(warnings).toMatchObject([{ code: 'possible_secret', line: 3 }]);
    expect(JSON.stringify(warnings)).not.toContain(token);
  });
});
