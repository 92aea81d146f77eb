/** What `check` says about files of other tools (FM-02, FM-08; AP-08). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';

type Contents = Record<string, string | Uint8Array>;

async function check(tree: Contents, limits = {}) {
  const { engine } = await createWorkspace(tree, { grantedRoots: [project], limits });
  const { diagnostics } = await engine.validate({ mountedDirectory: project });
  return diagnostics.map(({ code, path = '', line, message }) => ({
    found: `${code} ${path.replace(`${project}/`, '')}:${line}`,
    message,
  }));
}
const found = async (tree: Contents) => (await check(tree)).map((each) => each.found);
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
        '.windsurf/rules/f.md': '---\nglob: "*.py"\nglobs: "*.ts"\ntags: [a]\nversion: 2\n---\nText f.',
        // Who writes the keys of several tools knows why.
        '.agents/rules/e.md': '---\ntrigger: always_on\nalwaysApply: true\n---\nText e.',
        'src/a.ts': '',
      }),
    ).toEqual([]);
  });

  it.for<[path: string, text: string, code: string, line: number]>([
    ['.cursor/rules/a.mdc', rule('description: a', 'trigger: always_on'), 'key_of_another_tool', 3],
    ['.cursor/rules/a.mdc', rule('applyTo: "**"'), 'key_of_another_tool', 2],
    ['.github/instructions/a.instructions.md', rule('description: a', 'globs: "*.ts"'), 'key_of_another_tool', 3],
    ['.claude/rules/a.md', rule('alwaysApply: false'), 'key_of_another_tool', 2],
    ['.cursor/rules/a.mdc', rule('glob: "*.ts"', 'alwaysApply: false'), 'misspelled_property', 2],
    ['.github/instructions/a.instructions.md', rule('description: a', 'applyto: "**"'), 'misspelled_property', 3],
    ['.claude/rules/a.md', rule('path: "src/**"'), 'misspelled_property', 2],
    ['.github/instructions/a.instructions.md', rule('applyTo:', '  - "**/*.ts"'), 'value_not_understood', 2],
    ['.clinerules/a.md', rule('paths: "*.ts"'), 'value_not_understood', 2],
    ['.clinerules/a.md', rule('paths: [5]'), 'invalid_property', 2],
    ['.continue/rules/a.md', rule('globs: "*.ts, *.tsx"'), 'value_not_understood', 2],
    ['.kiro/steering/a.md', rule('inclusion: fileMatch'), 'rule_without_patterns', 2],
    ['.windsurf/rules/a.md', rule('description: a', 'trigger: glob'), 'rule_without_patterns', 3],
    ['.cursor/rules/a.mdc', rule('alwaysApply: "true"'), 'invalid_property', 2],
    ['.cursor/rules/a.mdc', rule('description: a', 'globs: lib/**/*.py'), 'rule_for_no_file', 3],
    ['.continue/rules/a.md', rule('globs: *.ts'), 'value_not_understood', 2],
    ['.continue/rules/a.md', rule('globs:', '  - *.ts'), 'value_not_understood', 2],
    ['.roorules', 'AGENTS.md\n', 'broken_link', 1],
    ['.roo/rules/a.md', rule('description: a', 'globs: "*.ts"'), 'front_matter_is_text', 3],
    ['.github/copilot-instructions.md', rule('applyTo: "src/**"'), 'front_matter_is_text', 2],
    ['CLAUDE.md', 'Read\n@docs/style.md', 'import_not_found', 2],
    ['AGENTS.md', `Read\nwith ghp_${'aB3dE6gH9j'.repeat(4)}.`, 'possible_secret', 2],
  ])('AP-08 FM-08 %s: %j has the finding %s in line %i', async ([path, text, code, line]) => {
    expect(await found({ [path]: text, 'src/a.ts': '' })).toEqual([`${code} ${path}:${line}`]);
  });

  it('AP-08 FM-01 that its tool does not read because of its name is told, and what tells of the folder is not', async () => {
    const tree = {
      '.cursor/rules/a.md': 'A.',
      '.cursor/rules/web/b.mdc': rule('alwaysApply: true'),
      '.cursor/rules/c.png': '',
      '.github/instructions/d.md': 'D.',
      'lib/.claude/rules/e.mdc': 'E.',
      '.cursor/rules/README.md': 'All rules.',
      '.cursor/rules/LICENSE.txt': 'L.',
      '.agents/rules/i.mdc': 'I.',
      '.kilocode/rules/j.txt': 'J.',
      '.kilocode/mcp.md': 'K.',
      'node_modules/x/.cursor/rules/f.md': 'F.',
      'other/.cursor/rules/g.md': 'G.',
      'other/.git/HEAD': '',
      '.clinerules/workflows/h.md': 'H.',
    };
    expect(await check(tree)).toEqual([
      {
        found: 'misnamed_rule .agents/rules/i.mdc:1',
        message: expect.stringContaining('Antigravity applies rules with names such as "i.md"'),
      },
      {
        found: 'misnamed_rule .cursor/rules/a.md:1',
        message:
          'Cursor applies rules with names such as "a.mdc" by itself, not this file. Rename it, or move it elsewhere.',
      },
      { found: 'misnamed_rule .github/instructions/d.md:1', message: expect.stringContaining('"d.instructions.md"') },
      { found: 'misnamed_rule .kilocode/rules/j.txt:1', message: expect.stringContaining('"j.md"') },
      { found: 'misnamed_rule lib/.claude/rules/e.mdc:1', message: expect.stringContaining('"e.md"') },
    ]);
  });

  it('AP-08 FM-01 with the ending of a tool, beside the folder that the tool reads, is told', async () => {
    const tree = {
      'docs/.cursor/rules.mdc': 'A.',
      '.github/shop.instructions.md': 'B.',
      '.github/notes.md': 'C.',
      '.github/copilot-instructions.md': 'D.',
      '.cursor/notes.md': 'E.',
      'lib/rules.mdc': 'F.',
      '.cursor/README.mdc': 'G.',
    };
    expect(await check(tree)).toEqual([
      {
        found: 'misnamed_rule .github/shop.instructions.md:1',
        message: expect.stringContaining(
          'GitHub Copilot reads such rules from the folder "instructions", not this file.',
        ),
      },
      {
        found: 'misnamed_rule docs/.cursor/rules.mdc:1',
        message: 'Cursor reads such rules from the folder "rules", not this file. Rename it, or move it elsewhere.',
      },
    ]);
  });

  it('AP-08 FM-12 a skill that is no folder is told, and what tells of the folder or belongs to a skill is not', async () => {
    const tree = {
      '.claude/skills/a.md': 'A.',
      'lib/.agents/skills/b.md': 'B.',
      '.clinerules/skills/c.md': 'C.',
      '.claude/skills/README.md': 'All.',
      '.claude/skills/pdf/SKILL.md': 'P.',
      '.claude/skills/pdf/x.md': 'X.',
      '.claude/skills/INDEX.md': 'All.',
      '.claude/skills/SKILL.md': 'S.',
      '.claude/skills/list.txt': 'T.',
      '.openhands/skills/d.md': 'D.',
    };
    expect(await check(tree)).toEqual([
      {
        found: 'misnamed_rule .claude/skills/a.md:1',
        message:
          'Claude Code reads a skill from a folder of its own, here "a/SKILL.md", not this file. Rename it, or move it elsewhere.',
      },
      { found: 'misnamed_rule .clinerules/skills/c.md:1', message: expect.stringContaining('Cline reads a skill') },
      { found: 'misnamed_rule lib/.agents/skills/b.md:1', message: expect.stringContaining('Most tools read a skill') },
    ]);
  });

  it('AP-08 FM-01 in the root whose name differs in letter case alone is told', async () => {
    expect(await check({ 'AGENTS.MD': 'A.', 'docs/claude.md': 'About it.', 'agents.txt': 'T.' })).toEqual([
      {
        found: 'misnamed_rule AGENTS.MD:1',
        message: expect.stringContaining(
          'Tools that read "AGENTS.md" find this file only where letter case does not count',
        ),
      },
    ]);
    expect(await found({ 'AGENTS.md': 'A.', 'agents.md': 'B.' })).toEqual([]);
    const { engine, files } = await createWorkspace({ 'CLAUDE.md': 'A.' }, { grantedRoots: [project] });
    files.symlink(`${project}/AGENTS.MD`, `${project}/CLAUDE.md`);
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics).toMatchObject([{ code: 'misnamed_rule', path: `${project}/AGENTS.MD` }]);
  });

  it('AP-08 FM-01 whose name is a slip of that of its tool, or that lies beside its place, is told of', async () => {
    const tree = {
      '.cursorrule': 'C.',
      '.windsurfrules.md': 'W.',
      '.github/copilot-instruction.md': 'G.',
      'copilot-instructions.md': 'G.',
      'guidelines.md': 'J.',
      'docs/copilot-instructions.md': 'D.',
    };
    expect(await found(tree)).toEqual([
      'misnamed_rule .cursorrule:1',
      'misnamed_rule .github/copilot-instruction.md:1',
      'misnamed_rule .windsurfrules.md:1',
      'misnamed_rule copilot-instructions.md:1',
    ]);
    const message = 'GitHub Copilot reads ".github/copilot-instructions.md" here, not this file. Rename it, or move it';
    expect((await check(tree))[3]?.message).toContain(message);
    expect(await found({ ...tree, '.github/copilot-instructions.md': 'G.', '.cursorrules': 'C.' })).toEqual([
      'misnamed_rule .windsurfrules.md:1',
    ]);
    expect(await found({ 'claude.txt': 'A note.', '.clinerules/a.md': 'A.', '.clinerules.md': 'B.' })).toEqual([]);
    const { engine, files } = await createWorkspace({ 'copilot-instructions.md': 'G.' }, { grantedRoots: [project] });
    files.symlink(`${project}/.github/copilot-instructions.md`, '../copilot-instructions.md');
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.map(({ code }) => code)).not.toContain('misnamed_rule');
  });

  it('AP-08 FM-11 FM-13 that its settings name and that is not there, and settings that are broken, are told of', async () => {
    const opencode = '{\n  "instructions": ["docs/a.md", "docs/none.md", "https://a/b.md"]\n}';
    expect(await found({ 'opencode.json': opencode, 'docs/a.md': 'A.' })).toEqual([
      'named_file_missing opencode.json:2',
    ]);
    expect(await found({ '.vscode/mcp.json': '{"servers": {"a": 5}}' })).toEqual([
      'invalid_config_value .vscode/mcp.json:1',
    ]);
    expect(await found({ '.mcp.json': '{"mcpServers": {"a": {"command": "x"}}}' })).toEqual([
      `nothing_to_check ${project}:undefined`,
    ]);
  });

  it('AP-08 CC-31 that no model gets, or not all of it, is told of', async () => {
    const notText = { 'AGENTS.md': new Uint8Array([0xff, 0xfe, 0x61, 0]), '.rules': new Uint8Array([0x61, 0, 0x61]) };
    expect(await found(notText)).toEqual(['binary .rules:1', 'invalid_utf8 AGENTS.md:1']);
    expect((await check(notText))[1]?.message).toContain('Save it as UTF-8');
    expect(await check({ '.windsurfrules': 'Far too long.' }, { fileBytes: 4 })).toMatchObject([
      { found: 'file_truncated .windsurfrules:1', message: expect.stringContaining('has 13 bytes') },
    ]);
  });

  it.each([
    ['.claude/rules/a.md', rule('alwaysApply: true')],
    ['.claude/rules/a.md', rule('globs: "*.ts"', 'alwaysApply: false')],
    ['.github/instructions/a.instructions.md', rule('description: a', 'trigger:')],
    ['.continue/rules/a.md', rule('globs: ["*.ts", "{src,lib}/**"]')],
    ['.continue/rules/a.md', rule('globs: src/*.ts')],
    ['.cursor/rules/a.mdc', rule('globs: node_modules/x/**')],
    ['.roo/rules/a.xml', '<<<<<<< HEAD\nA\n=======\nB\n>>>>>>> other\n'],
    ['.augment/rules/rules.md', 'Text.'],
    ['CLAUDE.md', 'Ask @octocat.'],
    ['.github/copilot-instructions.md', rule('applyTo: "**"')],
    ['AGENTS.md', rule('name: x', 'title: y')],
    ['AGENTS.md', rule('globs: "*.ts"', 'alwaysApply: true')],
  ])('AP-08 %s: %j has no finding', async (path, text) => {
    expect(await found({ [path]: text, 'src/a.ts': '' })).toEqual([]);
  });

  it('AP-08 FM-02 that includeFiles finds is checked as its own tool reads it', async () => {
    const config = (includeFiles: unknown[]) => JSON.stringify({ clientContext: { includeFiles } });
    const text = rule('alwaysApply: true');
    const tree = { '.context/context-config.json': config(['.cursor/rules/**']), '.cursor/rules/a.mdc': text };
    expect(await found(tree)).toEqual([]);
    const named = { ...tree, '.context/context-config.json': config(['.cursor/rules/a.mdc']) };
    expect(await found({ ...named, '.cursor/rules/a.mdc': rule('trigger: alway') })).toEqual([
      'unknown_trigger .cursor/rules/a.mdc:2',
    ]);
  });

  it('AP-08 of another repository in the tree, of packages and of hidden folders is none of the project', async () => {
    const text = rule('trigger: always_on');
    const places = ['.cursor/rules/a.mdc', 'lib/.cursor/rules/a.mdc', 'node_modules/x/.cursor/rules/a.mdc'];
    const tree = Object.fromEntries([...places, '.x/.cursor/rules/a.mdc'].map((path) => [path, text]));
    expect(await found({ ...tree, 'lib/.git/HEAD': '' })).toEqual(['key_of_another_tool .cursor/rules/a.mdc:2']);
  });

  it('AP-08 of packages that Go and Composer copied into the tree is none of the project', async () => {
    const text = rule('trigger: always_on');
    const tree = { 'AGENTS.md': 'Text.', 'vendor/a.org/b/.cursor/rules/a.mdc': text };
    expect(await found(tree)).toEqual(['key_of_another_tool vendor/a.org/b/.cursor/rules/a.mdc:2']);
    expect(await found({ ...tree, 'vendor/modules.txt': '# a.org/b v1.0.0\n' })).toEqual([]);
    expect(await found({ ...tree, 'vendor/autoload.php': '<?php\n' })).toEqual([]);
    expect(await found({ 'lib/.cursor/rules/a.mdc': text, 'lib/modules.txt': '' })).toHaveLength(1);
    const [none] = await check({ 'vendor/a.org/b/AGENTS.md': 'Text.', 'vendor/modules.txt': '# a.org/b v1.0.0\n' });
    expect(none?.found).toBe(`nothing_to_check ${project}:undefined`);
    expect(none?.message).toContain(
      'Rule files are only in copies of packages or in other repositories, such as "vendor/a.org/b/AGENTS.md".',
    );
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
    expect(told[0]?.message).toContain(
      'is always active in Windsurf, and as .cursor/rules/style.mdc it is active only if it is mentioned in Cursor',
    );
  });

  it('AP-08 copies that have drifted apart are told with the first line that differs', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `Rule ${index}.`);
    const copy = lines.with(7, 'Another rule.').join('\n');
    const told = await check({ 'AGENTS.md': lines.join('\n'), 'CLAUDE.md': copy });
    expect(told.map((each) => each.found)).toEqual(['drifted_copy CLAUDE.md:8']);
    expect(told[0]?.message).toContain('copy of AGENTS.md, but the two files differ now: 19 lines are the same');
    const other = lines.map((line, index) => (index % 2 ? line : `Other ${line}`)).join('\n');
    expect(await found({ 'AGENTS.md': lines.join('\n'), 'CLAUDE.md': other })).toEqual([]);
  });

  it('AP-08 what a copy says of its own tool, headings and signs of generators are no drift', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `Rule ${index}.`);
    const copy = [
      '# CLAUDE.md',
      '<!-- for Claude -->',
      ...lines,
      'More is in .claude/rules/x.md.',
      'See ../docs/a.md.',
    ];
    const tree = { 'AGENTS.md': ['# AGENTS.md', ...lines, 'See docs/a.md.'].join('\n'), 'CLAUDE.md': copy.join('\n') };
    expect(await found(tree)).toEqual([]);
    expect(await found({ ...tree, 'GEMINI.md': [...copy, 'Another.'].join('\n') })).toEqual([
      'drifted_copy GEMINI.md:25',
    ]);
    const generated = ['Generated from AGENTS.md.', ...copy, 'Another.'].join('\n');
    expect(await found({ ...tree, 'GEMINI.md': generated })).toEqual([]);
  });

  it('AP-08 what all copies but one say is told once', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `Rule ${index}.`);
    const text = lines.join('\n');
    const tree = { 'AGENTS.md': text, 'CLAUDE.md': text, 'WARP.md': text, 'GEMINI.md': lines.slice(0, 18).join('\n') };
    const told = await check(tree);
    expect(told.map((each) => each.found)).toEqual(['drifted_copy GEMINI.md:18']);
    expect(told[0]?.message).toContain(
      'copy of AGENTS.md, but the two files differ now: 18 lines are the same, 0 only here, 2 only there',
    );
  });

  it('AP-08 a file of which all lines are in the file of another tool is told, whichever of them is longer', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `Rule ${index}.`);
    const [text, part] = [lines.join('\n'), lines.slice(0, 12).join('\n')];
    const shorter = await check({ 'AGENTS.md': text, 'CLAUDE.md': part });
    expect(shorter.map((each) => each.found)).toEqual(['drifted_copy CLAUDE.md:12']);
    expect(shorter[0]?.message).toContain('All its 12 lines are also in AGENTS.md, which has 18 more');
    const longer = await check({ 'AGENTS.md': part, 'CLAUDE.md': text });
    expect(longer.map((each) => each.found)).toEqual(['drifted_copy CLAUDE.md:13']);
    expect(longer[0]?.message).toContain('It has all 12 lines of AGENTS.md, and 18 more');
    expect(await found({ 'AGENTS.md': text, 'CLAUDE.md': lines.slice(0, 9).join('\n') })).toEqual([]);
    expect(await found({ 'AGENTS.md': text, 'CLAUDE.md': `${part}\nAnother.` })).toEqual([]);
    // Which of them applies is another question.
    const manual = `---\nalwaysApply: false\n---\n${part}`;
    const always = `---\ntrigger: always_on\n---\n${text}`;
    expect(await found({ '.cursor/rules/a.mdc': manual, '.windsurf/rules/a.md': always })).toEqual([
      'drifted_copy .windsurf/rules/a.md:16',
    ]);
  });

  it('AP-08 rules of two modes with one text are no duplicates, and two of one tool are', async () => {
    expect(await found({ '.roo/rules-code/a.md': 'Text.', '.roo/rules-ask/a.md': 'Text.' })).toEqual([]);
    const cursor = (name: string) => [`.cursor/rules/${name}.mdc`, rule('alwaysApply: true')] as const;
    expect(await found(Object.fromEntries([cursor('a'), cursor('b')]))).toEqual([
      'duplicate_rule .cursor/rules/b.mdc:1',
    ]);
    const forOthers = { '.cursor/rules/a.mdc': rule('globs: "*.ts"'), '.cursor/rules/b.mdc': rule('globs: "*.mdc"') };
    expect(await found({ ...forOthers, 'src/a.ts': '' })).toEqual([]);
  });

  it('AP-08 FM-07 imports that go round in a circle are told at the line that closes it', async () => {
    const tree = {
      'CLAUDE.md': 'Text.\n\n@docs/a.md',
      'docs/a.md': 'A.\n@b.md',
      'docs/b.md': '@a.md\n@../CLAUDE.md',
      'docs/c.md': '@c.md',
    };
    const told = await check(tree);
    expect(told.map((each) => each.found)).toEqual(['import_cycle docs/b.md:1', 'import_cycle docs/b.md:2']);
    expect(told[1]?.message).toContain('CLAUDE.md → docs/a.md → docs/b.md → CLAUDE.md');
    // Two ways to one file are no circle.
    expect(await found({ ...tree, 'CLAUDE.md': '@docs/a.md\n@docs/b.md', 'docs/b.md': 'B.' })).toEqual([]);
    expect(await found({ 'CLAUDE.md': '@CLAUDE.md' })).toEqual(['import_cycle CLAUDE.md:1']);
  });
});

describe('a link at a place of another tool', () => {
  it('AP-08 FM-05 a link of rules in another repository of the tree is not told of', async () => {
    const tree = {
      'AGENTS.md': 'A.',
      'vendor/lib/.git': 'gitdir: ../../.git/modules/lib\n',
      'vendor/lib/tools/a/SKILL.md': 'S.',
    };
    const { engine, files } = await createWorkspace(tree, { grantedRoots: [project] });
    files.symlink(`${project}/vendor/lib/.claude/skills/a`, '../../tools/a');
    files.symlink(`${project}/vendor/lib/CLAUDE.md`, 'nowhere.md');
    expect((await engine.validate({ mountedDirectory: project })).diagnostics).toEqual([]);
  });

  it('AP-08 FM-06 is told where it leads to nothing, outside, or to what is not read', async () => {
    const { engine, files } = await createWorkspace(
      { 'AGENTS.md': 'Text.', 'rules/b.md': 'B.', '.agents/rules/c.md': 'C.', '/other/d.md': 'D.' },
      { grantedRoots: [project] },
    );
    const link = (path: string, target: string) => files.symlink(`${project}/${path}`, target);
    link('CLAUDE.md', `${project}/AGENTS.md`);
    link('GEMINI.md', `${project}/missing.md`);
    link('WARP.md', '/other/d.md');
    link('notes.md', `${project}/missing.md`);
    link('.windsurfrules', `${project}/rules`);
    link('.clinerules', `${project}/rules`);
    link('.cursor/rules', `${project}/rules`);
    link('.claude/rules', `${project}/.agents/rules`);
    link('.claude/skills/x', `${project}/missing`);
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.map(({ code, path = '' }) => `${code} ${path.replace(`${project}/`, '')}`)).toEqual([
      'broken_link .claude/skills/x',
      'symlink .clinerules',
      'symlink .cursor/rules',
      'broken_link .windsurfrules',
      'broken_link GEMINI.md',
      'outside_roots WARP.md',
    ]);
  });

  it('AP-08 FM-06 that leads to what permissions hide is not said to lead to nothing', async () => {
    const { engine, files } = await createWorkspace({ 'locked/a.md': 'A.' }, { grantedRoots: [project] });
    files.symlink(`${project}/AGENTS.md`, 'locked/a.md');
    files.setMode(`${project}/locked`, 0);
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.filter(({ path }) => path === `${project}/AGENTS.md`)).toMatchObject([
      { code: 'broken_link', message: expect.stringContaining('leads to nothing that can be read,') },
    ]);
  });

  it('AP-08 FM-06 that leads to a file that no tool reads by its own name is checked as what the link is', async () => {
    const { engine, files } = await createWorkspace(
      { 'CONTRIBUTING.md': 'Read\n<<<<<<< HEAD\nA\n=======\nB\n>>>>>>> other\n', 'docs/key.pem': '<<<<<<< HEAD' },
      { grantedRoots: [project] },
    );
    files.symlink(`${project}/AGENTS.md`, `${project}/CONTRIBUTING.md`);
    files.symlink(`${project}/CLAUDE.md`, `${project}/CONTRIBUTING.md`);
    files.symlink(`${project}/GEMINI.md`, `${project}/docs/key.pem`);
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.map(({ code, path, line }) => `${code} ${path}:${line}`)).toEqual([
      `merge_conflict ${project}/CONTRIBUTING.md:2`,
    ]);
    files.write(`${project}/CONTRIBUTING.md`, 'Text.');
    expect((await engine.validate({ mountedDirectory: project })).diagnostics).toEqual([]);
  });

  it.each([
    ['another root', [project, '/else'], '/else/NOTES.md'],
    ['another repository', [project.slice(0, project.lastIndexOf('/'))], `${project}-2/NOTES.md`],
  ])('AP-08 FM-06 S-36 that leads to %s is not read to check it', async (_, grantedRoots, target) => {
    const { engine, files } = await createWorkspace({}, { grantedRoots });
    files.write(target, '<<<<<<< HEAD\nA\n=======\nB\n>>>>>>> other\n');
    files.write(`${project}-2/.git/HEAD`, 'x');
    files.symlink(`${project}/AGENTS.md`, target);
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.map(({ code }) => code)).not.toContain('merge_conflict');
  });
});
