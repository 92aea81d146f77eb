/** What a project has, as it is told somebody who sees it for the first time. */
import { describe, expect, it } from 'vitest';
import { exampleFile, isIgnoreFile } from '../../../src/bin/commands/shared/overview.ts';
import { type Overview, renderNextSteps, renderOverview } from '../../../src/bin/render/overview.ts';
import { createSheet } from '../../../src/bin/render/page.ts';

const sheet = createSheet({ columns: 110, colors: false, home: '/home/ada' });
type Format = Overview['formats'][number];
const formatOf = (name: string, tool: string, found: Pick<Format, 'files' | 'first'>): Format => ({
  name,
  tool,
  ...found,
  isRead: true,
  active: 1,
  duplicates: 0,
  tokens: 1,
});
const told = (...formats: Overview['formats']): string | undefined =>
  renderOverview(
    { mountedDirectory: '/shop', formats, ownFiles: 0, below: 0, policies: 0, ignoreFiles: [], always: 0 },
    sheet,
  )[1];

describe('what is found', () => {
  it('FM-03 says what the files of one tool are where it has several kinds', () => {
    const instructions = formatOf('copilot-instructions', 'GitHub Copilot', { files: 3 });
    const skills = formatOf('copilot-skills', 'GitHub Copilot', { files: 9 });
    expect(told(instructions, skills)).toBe('Found 3 files of GitHub Copilot and 9 skills of GitHub Copilot.');
    const [texts, rules] = [
      formatOf('claude-md', 'Claude Code', { files: 2 }),
      formatOf('claude-rules', 'Claude Code', { files: 4 }),
    ];
    expect(told(texts, rules)).toBe(
      'Found 2 files of Claude Code (claude-md) and 4 files of Claude Code (claude-rules).',
    );
    expect(told(formatOf('claude-md', 'Claude Code', { files: 1, first: 'CLAUDE.md' }), rules)).toBe(
      'Found CLAUDE.md and 4 files of Claude Code.',
    );
  });

  it('FM-03 names no format where a file is meant', () => {
    expect(told(formatOf('claude-md', 'Claude Code', { files: 1 }))).toBe('Found 1 file of Claude Code.');
  });

  it('FM-05 counts what applies only in directories below', () => {
    const found = {
      mountedDirectory: '/shop',
      formats: [],
      ownFiles: 0,
      below: 3,
      policies: 0,
      ignoreFiles: [],
      always: 0,
    };
    expect(renderOverview(found, sheet)[1]).toBe('Found 3 rule files in directories below.');
    expect(renderNextSteps(found, sheet)[2]).toContain('contextd resolve');
    const one = { ...found, below: 1, formats: [formatOf('gemini', 'Gemini CLI', { files: 1, first: 'GEMINI.md' })] };
    expect(renderOverview(one, sheet)[1]).toBe('Found GEMINI.md and 1 rule file in directories below.');
  });

  it('FX-01 names the ignore files, also where nothing else is', () => {
    const found = { mountedDirectory: '/shop', formats: [], ownFiles: 0, below: 0, policies: 0, always: 0 };
    const [, nothing, said] = renderOverview({ ...found, ignoreFiles: ['.aiexclude'] }, sheet);
    expect(nothing).toContain('There are no context files');
    expect(said).toBe('Ignore file: .aiexclude. No model sees what it leaves out.');
    const many = ['.aiexclude', '.aiignore', '.cursorignore', 'a/.noai', 'b/.noai', 'c/.noai'];
    expect(
      renderOverview({ ...found, below: 1, ignoreFiles: many }, sheet)
        .slice(2, 4)
        .join(' '),
    ).toBe(
      'Ignore files: .aiexclude, .aiignore, .cursorignore, a/.noai, b/.noai and 1 more. No model sees what they leave out.',
    );
  });

  it('FX-01 FX-04 takes no file for one that keeps files from models that does not', () => {
    const paths = ['.aiexclude', 'a/.cursorignore', '.cursorindexingignore', '.gitignore', '.claude/settings.json'];
    expect(paths.filter(isIgnoreFile)).toEqual(['.aiexclude', 'a/.cursorignore']);
  });

  it('takes a file of the language that most files have for an example', () => {
    expect(exampleFile(['build.sh', 'docs/x.js', 'Cargo.toml', 'src/main.rs', 'src/lib.rs', '.x/a.rs'])).toBe(
      'src/main.rs',
    );
    expect(exampleFile(['types.d.ts', 'vite.config.ts', 'src/app.ts'])).toBe('src/app.ts');
    expect(exampleFile(['README.md', '.ci/a.ts', 'vite.config.ts'])).toBe('.ci/a.ts');
    expect(exampleFile(['tests/__init__.py', 'e2e/a.py', 'shop/cart.py'])).toBe('shop/cart.py');
    expect(exampleFile(['src/__tests__/app.ts', 'src/app.test.ts', 'src/app.ts'])).toBe('src/app.ts');
    expect(exampleFile(['docs/a.mdx', 'docs/b.mdx', 'src/app.ts'])).toBe('src/app.ts');
    expect(exampleFile(['conftest.py', 'shop/cart.py'])).toBe('shop/cart.py');
    expect(exampleFile(['shop/cart_test.go', 'shop/main.go'])).toBe('shop/main.go');
    expect(exampleFile(['shop/test_cart.py', 'shop/views.py'])).toBe('shop/views.py');
    expect(exampleFile(['latest/contest.ts', 'latest/test.ts'])).toBe('latest/contest.ts');
    expect(exampleFile(['check.sh', 'modules/aks/main.tf', 'modules/aks/outputs.tf'])).toBe('modules/aks/main.tf');
    expect(exampleFile(['src/lev/vendor/ev.c', 'src/rules.ml', 'src/lib.ml'])).toBe('src/rules.ml');
    expect(exampleFile(['src/simd/vt.h', 'src/main.zig', 'build.zig'])).toBe('src/main.zig');
    expect(exampleFile(['addons/x/Log.cs', 'Scripts/player.gd', 'Scripts/map.gd'])).toBe('Scripts/player.gd');
    expect(exampleFile(['vendor/a.go', 'third_party/b.go', 'shop/c.go'])).toBe('shop/c.go');
    expect(exampleFile(['README.md'])).toBeUndefined();
  });

  it('goes on with a first rule where there is nothing', () => {
    const example = { relativePath: 'a.ts', applies: [], tokens: 0 };
    const found = {
      mountedDirectory: '/shop',
      formats: [],
      ownFiles: 0,
      below: 0,
      policies: 0,
      ignoreFiles: [],
      always: 0,
      example,
    };
    expect(renderNextSteps(found, sheet).slice(2)).toEqual([
      '  contextd init --write   make a context directory with an example',
      '  contextd check          what is here under a name that is not read',
      '  contextd open           the same in your browser',
    ]);
    expect(renderNextSteps({ ...found, policies: 1 }, sheet)[2]).toContain('contextd resolve --file a.ts ');
    const wide = { ...found, policies: 1, example: { ...example, relativePath: '資料/主.py' } };
    expect(renderNextSteps(wide, sheet).slice(2, 4)).toEqual([
      "  contextd resolve --file '資料/主.py'   what a model should see, and why",
      '  contextd check                         mistakes in these files, and how to fix them',
    ]);
  });
});
