/** The workspace list by tool, and the lines of what a switch would change. */
import { describe, expect, it } from 'vitest';
import { changeRows } from '../../src/console/views/workspace/change-rows.ts';
import type { Row, Show } from '../../src/console/views/workspace/resolution-rows.ts';
import { rowsByTool } from '../../src/console/views/workspace/tool-rows.ts';
import type { ContextFile } from '../../src/context/context-file.ts';
import type { FormatsChange, FormatsResult, RuleFile } from '../../src/context/formats-request.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';

const fileAt = (relativePath: string, format?: string, state = 'active') =>
  ({ path: `/p/${relativePath}`, relativePath, name: relativePath, format, state, tokens: 10 }) as ContextFile;
const counts = { files: 1, active: 0, duplicates: 0, tokens: 0 };
const hereWith = (formats: FormatsResult['formats'], files: readonly ContextFile[] = []): FormatsResult =>
  ({ formats, files: files as unknown as RuleFile[] }) as FormatsResult;

const resolved = {
  files: [
    fileAt('AGENTS.md', 'agents-md'),
    fileAt('.cursor/rules/b.mdc', 'cursor'),
    fileAt('src/AGENTS.md', 'agents-md'),
    fileAt('.cursor/rules/a.mdc', 'cursor', 'available'),
    fileAt('.context/own.md'),
  ],
  excluded: [
    { path: '/p/CLAUDE.md', format: 'claude-md', reason: { code: 'duplicate' } },
    { path: '/p/.context/old.md', reason: { code: 'disabled' } },
  ],
} as unknown as ResolveResult;
const here = hereWith(
  [
    { name: 'agents-md', tool: 'AGENTS.md', isRead: true, ...counts },
    { name: 'claude-md', tool: 'Claude Code', isRead: true, ...counts },
    { name: 'cline', tool: 'Cline', isRead: false, leftOutBy: '/p/.context/context-config.json', ...counts },
    { name: 'cursor', tool: 'Cursor', isRead: true, ...counts },
  ],
  [fileAt('.clinerules', 'cline')],
);
const shown = (options: { show?: Show; find?: string; folded?: string[] } = {}, result = resolved, all = here) =>
  rowsByTool(result, all, { show: 'all', find: '', ...options, folded: new Set(options.folded) }).map(wordsOf);

function wordsOf(row: Row): string {
  if (row.kind === 'format') {
    const { format, active, files, tokens, isOpen } = row;
    return `${isOpen ? '-' : '+'} ${format?.tool ?? 'none'} ${active}/${files} ${tokens}`;
  }
  return 'file' in row ? `${row.kind} ${row.file.path.slice(3)}` : row.kind;
}

describe('the list by tool', () => {
  it('FM-02 has each file under its format, also what is left out and what is not read, and the rest below', () => {
    expect(shown()).toEqual([
      ...['- AGENTS.md 2/2 20', 'file AGENTS.md', 'file src/AGENTS.md'],
      ...['- Claude Code 0/1 0', 'excluded CLAUDE.md'],
      ...['- Cline 0/1 0', 'not-read .clinerules'],
      ...['- Cursor 1/2 10', 'file .cursor/rules/b.mdc', 'file .cursor/rules/a.mdc'],
      ...['- none 1/1 10', 'file .context/own.md'],
      ...['excluded-group', 'excluded .context/old.md'],
    ]);
  });

  it('has only what was asked for', () => {
    expect(shown({ show: 'available' })).toEqual(['- Cursor 0/1 0', 'file .cursor/rules/a.mdc']);
    expect(shown({ show: 'excluded' })).toEqual([
      ...['- Claude Code 0/1 0', 'excluded CLAUDE.md'],
      ...['excluded-group', 'excluded .context/old.md'],
    ]);
    expect(shown({ find: ' CLINE ' })).toEqual(['- Cline 0/1 0', 'not-read .clinerules']);
    expect(shown({ find: 'nothing' })).toEqual([]);
  });

  it('opens and closes a group, and begins closed where there are many files', () => {
    expect(shown({ folded: ['cursor', 'none'], show: 'active' })).toEqual([
      ...['- AGENTS.md 2/2 20', 'file AGENTS.md', 'file src/AGENTS.md'],
      ...['+ Cursor 1/1 10', '+ none 1/1 10'],
    ]);
    const files = Array.from({ length: 400 }, (_, at) => fileAt(`${at}.md`, at % 2 ? 'cursor' : 'agents-md'));
    const many = { files, excluded: [] } as unknown as ResolveResult;
    expect(shown({}, many, hereWith([]))).toEqual(['+ agents-md 200/200 2000', '+ cursor 200/200 2000']);
    expect(shown({ folded: ['cursor'] }, many)).toHaveLength(4 + 200);
    expect(shown({ find: '/399' }, many, hereWith([]))).toEqual(['- cursor 1/1 10', 'file 399.md']);
  });

  it('keeps a format in sight whose files another answer does not have yet', () => {
    const nothing = { files: [], excluded: [] } as unknown as ResolveResult;
    expect(shown({}, nothing)).toContain('- Cursor 0/0 0');
    expect(shown({}, resolved, hereWith([]))).toContain('- cursor 1/2 10');
  });
});

describe('what a switch would change', () => {
  it('FM-03 is told by what becomes of the files, what costs or saves tokens first', () => {
    const reason = { code: 'x' };
    type File = FormatsChange['files'][number];
    const at = (path: string, before: string | undefined, after: string | undefined): File =>
      ({
        path,
        relativePath: path,
        tokens: 5,
        ...(before && { before: { state: before, reason } }),
        ...(after && { after: { state: after, reason } }),
      }) as File;
    const files = [
      at('a', 'excluded', undefined),
      at('b', 'available', 'excluded'),
      at('c', undefined, 'available'),
      at('d', 'excluded', 'active'),
      at('e', 'active', undefined),
      at('f', 'active', 'excluded'),
      at('g', undefined, 'excluded'),
    ];
    const rows = changeRows({ files } as FormatsChange).map((row) =>
      row.kind === 'group' ? `${row.title}: ${row.files}, ${row.tokens}` : row.key,
    );
    expect(rows).toEqual([
      ...['Would no longer apply: 2, 10', 'e', 'f'],
      ...['Would apply: 1, 5', 'd'],
      ...['Would wait: 1, 0', 'c'],
      ...['Would no longer wait: 1, 0', 'b'],
      ...['Would be left out: 1, 0', 'g'],
      ...['Would no longer be listed: 1, 0', 'a'],
    ]);
  });
});
