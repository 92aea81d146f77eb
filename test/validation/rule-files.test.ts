/** What `check` says about files of other tools (FM-02, FM-08; AP-08). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';

async function check(tree: Record<string, string>) {
  const { engine } = await createWorkspace(tree, { grantedRoots: [project] });
  const { diagnostics } = await engine.validate({ mountedDirectory: project });
  return diagnostics.map(({ code, path = '', line, message }) => ({
    found: `${code} ${path.replace(`${project}/`, '')}:${line}`,
    message,
  }));
}
const found = async (tree: Record<string, string>) => (await check(tree)).map((each) => each.found);
const rule = (...lines: string[]) => ['---', ...lines, '---', 'Text.'].join('\n');

describe('a file of another tool', () => {
  it('AP-08 FM-02 that its tool understands has no finding, whatever the keys mean here', async () => {
    expect(
      await found({
        'AGENTS.md': 'For all.',
        '.cursor/rules/a.mdc': rule('description: About a', 'globs: *.ts', 'alwaysApply: false'),
        '.github/instructions/b.instructions.md': '---\napplyTo: "**/*.ts,**/*.tsx"\n---\nText b.',
        '.windsurf/rules/c.md': '---\ntrigger: model_decision\ndescription: c\n---\nText c.',
        '.clinerules/d.md': '---\npaths: ["src/**"]\n---\nText d.',
        // Who writes the keys of several tools knows why.
        '.agents/rules/e.md': '---\ntrigger: always_on\nalwaysApply: true\n---\nText e.',
        'src/a.ts': '',
      }),
    ).toEqual([]);
  });

  it.each([
    ['.cursor/rules/a.mdc', rule('description: a', 'trigger: always_on'), 'key_of_another_tool', 3],
    ['.cursor/rules/a.mdc', rule('applyTo: "**"'), 'key_of_another_tool', 2],
    ['.github/instructions/a.instructions.md', rule('description: a', 'globs: "*.ts"'), 'key_of_another_tool', 3],
    ['.claude/rules/a.md', rule('alwaysApply: false'), 'key_of_another_tool', 2],
    ['.github/instructions/a.instructions.md', rule('applyTo:', '  - "**/*.ts"'), 'value_not_understood', 2],
    ['.clinerules/a.md', rule('paths: "*.ts"'), 'value_not_understood', 2],
    ['.clinerules/a.md', rule('paths: [5]'), 'invalid_property', 2],
    ['.continue/rules/a.md', rule('globs: "*.ts, *.tsx"'), 'value_not_understood', 2],
    ['.kiro/steering/a.md', rule('inclusion: fileMatch'), 'rule_without_patterns', 2],
    ['.windsurf/rules/a.md', rule('description: a', 'trigger: glob'), 'rule_without_patterns', 3],
    ['.cursor/rules/a.mdc', rule('alwaysApply: "true"'), 'invalid_property', 2],
    ['.cursor/rules/a.mdc', rule('description: a', 'globs: lib/**/*.py'), 'rule_for_no_file', 3],
  ])('AP-08 FM-08 %s: %j has the finding %s in line %i', async (path, text, code, line) => {
    expect(await found({ [path]: text, 'src/a.ts': '' })).toEqual([`${code} ${path}:${line}`]);
  });

  it('AP-08 FM-08 of Cline whose paths are not text applies always, as for Cline', async () => {
    const { resolve } = await createWorkspace({ '.clinerules/a.md': rule('paths: [5]') });
    const { files, warnings } = await resolve();
    expect(files).toMatchObject([{ trigger: 'always', state: 'active' }]);
    expect(warnings).toMatchObject([{ code: 'invalid_property', line: 2 }]);
  });
});

describe('files of several tools', () => {
  it('AP-08 the same rule twice for one tool is told, and a copy for another tool is not', async () => {
    expect(
      await found({ '.devin/rules/a.md': 'Text.', '.windsurf/rules/a.md': 'Text.', '.clinerules/a.md': 'Text.' }),
    ).toEqual(['duplicate_rule .windsurf/rules/a.md:1']);
  });

  it('AP-08 a rule that is always there for one tool and manual for another contradicts itself', async () => {
    const tree = {
      '.cursor/rules/style.mdc': '---\nalwaysApply: false\n---\nUse tabs.',
      '.windsurf/rules/style.md': '---\ntrigger: always_on\n---\nUse tabs.',
    };
    const told = await check(tree);
    expect(told.map((each) => each.found)).toEqual(['contradicting_rules .windsurf/rules/style.md:1']);
    expect(told[0]?.message).toContain('"manual" for Cursor and "always" for Windsurf');
  });

  it('AP-08 copies that have drifted apart are told with the first line that differs', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `Rule ${index}.`);
    const copy = lines.with(7, 'Another rule.').join('\n');
    const told = await check({ 'AGENTS.md': lines.join('\n'), 'CLAUDE.md': copy });
    expect(told.map((each) => each.found)).toEqual(['drifted_copy CLAUDE.md:8']);
    expect(told[0]?.message).toContain('19 of 20 lines with AGENTS.md');
    const other = lines.map((line, index) => (index % 2 ? line : `Other ${line}`)).join('\n');
    expect(await found({ 'AGENTS.md': lines.join('\n'), 'CLAUDE.md': other })).toEqual([]);
  });
});
