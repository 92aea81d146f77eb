/** What one tool would load, on terminals of several widths (FM-03). */
import { expect, it } from 'vitest';
import { renderView } from '../../../src/bin/render/formats.ts';
import { createSheet } from '../../../src/bin/render/page.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';
import { createWorkspace, home, project } from '../../support/workspace.ts';

const globs = [
  'web/source/**/*',
  'web/index.html',
  'web/vite.config.ts',
  'web/tailwind.config.js',
  'web/postcss.config.js',
];

async function view(columns: number, folder = ''): Promise<string[]> {
  const { engine } = await createWorkspace({
    'CLAUDE.md': 'Use tabs.',
    [`.claude/rules/${folder}web.md`]: `---\npaths: [${globs.map((glob) => `"${glob}"`)}]\n---\nBuild it.\n`,
  });
  const result = await engine.formats({ mountedDirectory: project, as: 'claude-code' });
  return renderView(result, createSheet({ columns, colors: false, home, directory: project }), 'claude-code');
}

it.each([60, 100])('FM-03 fits into %i columns', async (columns) => {
  const lines = await view(columns);
  expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
  expect(lines.join(' ').replaceAll(/\s+/gu, ' ')).toContain(`waits for ${globs.join(', ')}; no files are in play`);
});

it('FM-03 names no column behind a path that leaves no room for it', async () => {
  const lines = await view(60, 'a-folder-with-a-long-name/'.repeat(3));
  expect(lines[0]).toMatch(/tokens$/u);
  expect(lines[2]).toBe('    always');
});

it('FM-03 has one line for each file where there is no terminal', async () => {
  expect(await view(Number.POSITIVE_INFINITY)).toEqual([
    '  File                  format        tokens  why',
    '● CLAUDE.md             claude-md          3  always',
    `○ .claude/rules/web.md  claude-rules       3  waits for ${globs.join(', ')}; no files are in play`,
  ]);
});
