/** Files that settings of other tools name (FM-13). */
import { describe, expect, it } from 'vitest';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { startProcessorClock } from '../support/expect-quick.ts';
import { createWorkspace, project } from '../support/workspace.ts';

type Tree = Record<string, string>;

/** Each file as `path format trigger state`, in the order of the answer. */
const shown = ({ files }: ResolveResult): string[] =>
  files.map(({ relativePath, format = '-', trigger, state }) => `${relativePath} ${format} ${trigger} ${state}`);
const told = ({ warnings }: ResolveResult): string[] =>
  warnings.map(({ code, path = '', line }) => `${code} ${path.slice(project.length + 1)}:${line}`);
const resolveIn = async (
  tree: Tree,
  request: Partial<ResolveRequest> = {},
  options: Parameters<typeof createWorkspace>[1] = {},
) => (await createWorkspace(tree, options)).resolve(request);

describe('files that aider is told to read', () => {
  it('FM-13 are one name or a list, from the directory of its settings', async () => {
    const one = await resolveIn({ '.aider.conf.yml': 'read: CONVENTIONS.md\n', 'CONVENTIONS.md': 'Tabs.' });
    expect(shown(one)).toEqual(['CONVENTIONS.md aider always active']);
    expect(one.files[0]).toMatchObject({ name: 'CONVENTIONS', source: 'format', owner: project, content: 'Tabs.' });
    const tree = {
      'packages/a/.aider.conf.yml': 'model: x\nread: ["docs/[id].txt", ./b.md, docs/sub]\n',
      'packages/a/docs/[id].txt': 'One.',
      'packages/a/docs/i.txt': 'Not named.',
      'packages/a/b.md': 'Two.',
      'packages/a/docs/sub/deep/c.rst': 'Three.',
      'b.md': 'Not named.',
    };
    const list = await resolveIn(tree, { files: ['packages/a/x.py'] });
    expect(shown(list)).toEqual([
      'packages/a/b.md aider always active',
      'packages/a/docs/[id].txt aider always active',
      'packages/a/docs/sub/deep/c.rst aider always active',
    ]);
    expect(list.warnings).toEqual([]);
    const below = await resolveIn(tree, { workingDirectory: '.', files: ['packages/a/x.py'] });
    expect(shown(below)[0]).toBe('packages/a/b.md aider auto active');
  });

  it('FM-06 FM-13 are named by settings behind a link, inside of the same granted root', async () => {
    const { files, resolve } = await createWorkspace({
      'config/aider.yml': 'read: A.md\n',
      'A.md': 'A.',
      '/home/ada/other/opencode.json': '{"instructions": ["A.md"]}',
    });
    files.symlink(`${project}/.aider.conf.yml`, 'config/aider.yml');
    files.symlink(`${project}/opencode.json`, '/home/ada/other/opencode.json');
    const result = await resolve();
    expect(shown(result)).toEqual(['A.md aider always active']);
    // Whoever misses its servers is told besides.
    expect(told(result).toSorted()).toEqual([
      'config_not_read opencode.json:undefined',
      'outside_roots opencode.json:undefined',
    ]);
  });

  it('FM-13 S-36 outside of the granted roots, or not there, are a warning with the line', async () => {
    const settings = 'read:\n  - ../other/a.md\n  - /etc/motd\n  - missing.md\n  - ~/notes.md\n';
    const result = await resolveIn({ '.aider.conf.yml': settings, '~/notes.md': 'N.', '/home/ada/other/a.md': 'A.' });
    expect(shown(result)).toEqual([]);
    expect(told(result)).toEqual([
      'pattern_outside_granted_roots .aider.conf.yml:2',
      'pattern_outside_granted_roots .aider.conf.yml:3',
      'named_file_missing .aider.conf.yml:4',
      'pattern_outside_granted_roots .aider.conf.yml:5',
    ]);
    expect(JSON.stringify(result.warnings)).not.toContain('includeFiles');
  });

  it('FM-13 S-36 of another granted repository wait until they are mentioned', async () => {
    const tree = { '.aider.conf.yml': 'read: ../other/a.md\n', '/home/ada/other/a.md': 'A.' };
    const granted = { grantedRoots: [project, '/home/ada/other'] };
    const result = await resolveIn(tree, {}, granted);
    expect(result.files).toMatchObject([{ state: 'available', reason: { code: 'outside_repository' } }]);
    expect(told(result)).toEqual(['outside_repository .aider.conf.yml:undefined']);
  });

  it('CC-18 FM-13 nothing else of its settings is told, and no sensitive file is read', async () => {
    const settings = 'openai-api-key: sk-very-secret\nread: [.env, .aider.conf.yml, AGENTS.md]\n';
    const tree = { '.aider.conf.yml': settings, '.env': 'KEY=1', 'AGENTS.md': 'Tabs.' };
    const result = await resolveIn(tree, { mentions: ['.aider.conf.yml'] });
    expect(shown(result)).toEqual(['AGENTS.md agents-md always active']);
    expect(result.excluded.map(({ reason }) => reason.code)).toEqual(['sensitive', 'sensitive']);
    expect(JSON.stringify(result)).not.toContain('sk-very-secret');
  });
});

describe('files that opencode and Kilo are told to read', () => {
  it('FM-13 are paths and patterns, in JSON with comments', async () => {
    const tree = {
      'opencode.jsonc': '{\n  // More.\n  "instructions": ["CONTRIBUTING.md", "docs/*.md",],\n}',
      '.opencode/opencode.json': '{"instructions": ["STYLE.md"]}',
      'kilo.json': '{"instructions": ["KILO.md"]}',
      'CONTRIBUTING.md': 'C.',
      'STYLE.md': 'S.',
      'KILO.md': 'K.',
      'docs/a.md': 'A.',
      'docs/b/c.md': 'No.',
    };
    expect(shown(await resolveIn(tree))).toEqual([
      'KILO.md kilo always active',
      'CONTRIBUTING.md opencode always active',
      'STYLE.md opencode always active',
      'docs/a.md opencode always active',
    ]);
  });

  it('FM-13 are never fetched, which is said once', async () => {
    const settings = '{"instructions": [\n"https://example.com/a.md", "http://example.com/b.md", "A.md"]}';
    const result = await resolveIn({ 'opencode.json': settings, 'A.md': 'A.' });
    expect(shown(result)).toEqual(['A.md opencode always active']);
    expect(told(result)).toEqual(['not_fetched opencode.json:2']);
  });

  it('FM-13 that lie at the place of another format stay what they are there', async () => {
    const tree = {
      'opencode.json': '{"instructions": [".cursor/rules/*.mdc"]}',
      '.cursor/rules/a.mdc': '---\nglobs: "*.ts"\n---\nNo any.',
    };
    expect(shown(await resolveIn(tree))).toEqual(['.cursor/rules/a.mdc cursor auto available']);
    expect(shown(await resolveIn(tree, { formats: ['opencode'] }))).toEqual([
      '.cursor/rules/a.mdc opencode always active',
    ]);
    expect(shown(await resolveIn(tree, { formats: ['agents-md'] }))).toEqual([]);
  });

  it('FM-05 rules of Kilo are read, those of its modes when they are mentioned', async () => {
    const result = await resolveIn({
      '.kilo/rules/a.md': 'A.',
      '.kilocode/rules/b.md': 'B.',
      '.kilocode/rules-code/c.md': 'C.',
      '.kilocoderules': 'D.',
      '.kilocoderules-ask': 'F.',
      '~/.config/kilo/AGENTS.md': 'G.',
      '~/.kilocode/rules/e.md': 'E.',
    });
    expect(shown(result)).toEqual([
      '~/.config/kilo/AGENTS.md kilo always active',
      '~/.kilocode/rules/e.md kilo always active',
      '.kilo/rules/a.md kilo always active',
      '.kilocode/rules-code/c.md kilo manual available',
      '.kilocode/rules/b.md kilo always active',
      '.kilocoderules kilo always active',
      '.kilocoderules-ask kilo manual available',
    ]);
  });
});

describe('other names for GEMINI.md', () => {
  it('FM-13 are looked for in each directory, beside the usual one', async () => {
    const tree = {
      '.gemini/settings.json': '{"context": {"fileName": ["AI.md", "docs/TEAM.md"]}}',
      'GEMINI.md': 'G.',
      'AI.md': 'A.',
      'docs/TEAM.md': 'T.',
      'a/AI.md': 'B.',
      'b/AI.md': 'C.',
    };
    expect(shown(await resolveIn(tree, { files: ['a/x.ts'] }))).toEqual([
      'AI.md gemini always active',
      'GEMINI.md gemini always active',
      'docs/TEAM.md gemini always active',
      'a/AI.md gemini always active',
    ]);
    const older = { '.gemini/settings.json': '{"contextFileName": "AI.md"}', 'AI.md': 'A.' };
    expect(shown(await resolveIn(older))).toEqual(['AI.md gemini always active']);
  });

  it('FM-13 S-34 are names in a directory and nothing else', async () => {
    const names = '["../x.md", "/etc/motd", "~/x.md", "a/", "*", "a/../x.md", "server.key"]';
    const result = await resolveIn({
      '.gemini/settings.json': `{"context": {"fileName": ${names}}}`,
      'x.md': 'X.',
      '~/x.md': 'X.',
      'a/b.md': 'B.',
      'server.key': 'K',
    });
    expect(shown(result)).toEqual([]);
    expect(told(result)).toEqual(Array.from({ length: 6 }, () => 'name_not_used .gemini/settings.json:1'));
    expect(result.excluded).toMatchObject([{ reason: { code: 'sensitive' } }]);
  });
});

describe('settings that cannot be read', () => {
  it('FM-08 FM-13 are a warning with the line, and the rest is answered', async () => {
    const broken = async (path: string, text: string) => {
      const result = await resolveIn({ [path]: text, 'AGENTS.md': 'Tabs.', 'A.md': 'A.' });
      expect(shown(result)).toContain('AGENTS.md agents-md always active');
      return told(result);
    };
    expect(await broken('opencode.json', '{\n"instructions": ["A.md"')).toContain('invalid_settings opencode.json:2');
    expect(await broken('.aider.conf.yml', 'read:\n\t- A.md')).toEqual(['invalid_settings .aider.conf.yml:2']);
    expect(await broken('.aider.conf.yml', 'read: 7')).toEqual(['invalid_settings .aider.conf.yml:1']);
    expect(await broken('.aider.conf.yml', '')).toEqual([]);
    expect(await broken('.aider.conf.yml', 'just text')).toEqual([]);
    expect(await broken('opencode.json', '{}')).toEqual([]);
    expect(await broken('opencode.json', '[1, 2]')).toEqual(['invalid_config opencode.json:1']);
    expect(await broken('opencode.json', `{"instructions": [${'"A.md",'.repeat(65)}]}`)).toEqual([
      'invalid_settings opencode.json:1',
    ]);
  });

  it('S-58 S-61 FM-13 hostile ones cost little and give nothing', async () => {
    const bomb = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, index) => `b${index}: &b${index} [*a, *a]`).join('\n')}\nread: *a\n`;
    const cases: Tree = {
      '.aider.conf.yml': bomb,
      'opencode.json': `{"instructions": ["${'x'.repeat(5 * 1024 * 1024)}"]}`,
      'kilo.json': `{"instructions": ${'['.repeat(100_000)}`,
      '.gemini/settings.json': `{"context": {"fileName": [${'"a.md",'.repeat(50_000)}]}}`,
    };
    const spentMs = startProcessorClock();
    const result = await resolveIn({ ...cases, 'AGENTS.md': 'Tabs.' });
    expect(spentMs()).toBeLessThan(5_000);
    expect(shown(result)).toEqual(['AGENTS.md agents-md always active']);
    expect(told(result).toSorted()).toEqual([
      'config_too_large .gemini/settings.json:undefined',
      'config_too_large opencode.json:undefined',
      'invalid_config kilo.json:1',
      'invalid_settings kilo.json:1',
      'settings_too_large .gemini/settings.json:undefined',
      'settings_too_large opencode.json:undefined',
    ]);
  });
});
