/** Writing the choice of formats of a project into its configuration (FM-14). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, home, project, type TestWorkspace } from '../support/workspace.ts';

const own = `${project}/.context/context-config.json`;
const anyVersion = () => true;
const tree = { 'AGENTS.md': 'Use tabs.', '.cursorrules': 'No any.' };

const roots = [{ path: '/', realPath: '/' }];
/** Reads what lies in memory, with its mark. */
function reader({ files }: TestWorkspace) {
  return async (path: string) => {
    const read = await files.read(path, { roots, followSymlinks: false, maxBytes: 1_000_000 });
    return read.ok ? Buffer.from(read.bytes).toString() : undefined;
  };
}

async function put(files: Record<string, string>, formats: 'all' | 'none' | string[], expected = anyVersion) {
  const workspace = await createWorkspace({ ...tree, ...files });
  const request = { mountedDirectory: project, formats };
  const outcome = await workspace.engine.putFormats(request, expected).catch((error: unknown) => error);
  return { ...workspace, textOf: reader(workspace), outcome };
}

describe('writing formats', () => {
  it('FM-14 writes a configuration where there is none, and it holds at once', async () => {
    const { engine, outcome, textOf } = await put({}, ['cursorrules']);
    expect(outcome).toMatchObject({ created: true, written: { configuration: own, formats: ['cursorrules'] } });
    expect(await textOf(own)).toBe('{\n  "clientContext": {\n    "formats": [\n      "cursorrules"\n    ]\n  }\n}\n');
    const { files } = await engine.resolve({ mountedDirectory: project });
    expect(files.map(({ relativePath }) => relativePath)).toEqual(['.cursorrules']);
    const { change } = await engine.formats({ mountedDirectory: project, with: 'agents-md' });
    const { etag } = (outcome as { written: { etag: string } }).written;
    expect(change).toMatchObject({ etag, formats: ['agents-md', 'cursorrules'] });
  });

  it.for<[what: string, name: string, before: string, after: string | RegExp]>([
    [
      'JSON',
      'context-config.json',
      '{\n\t"mcpServers": { "a": { "command": "a", "env": {"K": "v"} } },\n\t"clientContext": {"excludeFiles": ["x"], "formats": "all"}\n}',
      '{\n\t"mcpServers": { "a": { "command": "a", "env": {"K": "v"} } },\n\t"clientContext": {"excludeFiles": ["x"], "formats": "none"}\n}',
    ],
    [
      'JSON without the key',
      'context-config.json',
      '{\r\n  "mcpServers": {}\r\n}',
      /"mcpServers": \{\},\r\n {2}"clientContext": \{\r\n {4}"formats": "none"\r\n {2}\}\r\n\}$/u,
    ],
    ['JSON with a mark', 'context-config.json', '\uFEFF{}', '{\n  "clientContext": {\n    "formats": "none"\n  }\n}'],
    ['an empty file', 'context-config.json', '', '{\n  "clientContext": {\n    "formats": "none"\n  }\n}\n'],
    [
      'YAML with comments',
      'config.yaml',
      '# Ours\nclientContext:\n  # Not these\n  excludeFiles: ["x"]\nmcpServers: {}\n',
      '# Ours\nclientContext:\n  # Not these\n  excludeFiles: ["x"]\n  formats: none\nmcpServers: {}\n',
    ],
    [
      'YAML with a comment behind the choice',
      'config.yaml',
      'clientContext:\r\n  formats: all # Ask Ada first\r\n  excludeFiles:\r\n  - x   \r\n',
      'clientContext:\r\n  formats: none # Ask Ada first\r\n  excludeFiles:\r\n  - x   \r\n',
    ],
    [
      'YAML that is written in its own way',
      'config.yaml',
      'other:   0x1F\nclientContext:\n    # Not these\n    excludeFiles:\n    - "x"   # Old\n\nmcpServers:   {}',
      'other:   0x1F\nclientContext:\n    # Not these\n    excludeFiles:\n    - "x"   # Old\n    formats: none\n\nmcpServers:   {}',
    ],
    [
      'YAML with a list of formats',
      'config.yaml',
      'clientContext:\n    formats:\n      - cursor # Ours\n      - agents-md\n    excludeFiles:\n    - x\n',
      'clientContext:\n    formats:\n      none\n    excludeFiles:\n    - x\n',
    ],
  ])('FM-14 changes nothing else in %s', async ([, name, before, after]) => {
    const { outcome, textOf } = await put({ [`.context/${name}`]: before }, 'none');
    expect(outcome).toMatchObject({ created: false, written: { configuration: `${project}/.context/${name}` } });
    const text = await textOf(`${project}/.context/${name}`);
    if (typeof after === 'string') expect(text).toBe(after);
    else expect(text).toMatch(after);
  });

  it.each([
    ['broken', '{"clientContext": {'],
    ['no object', '[]'],
    ['a key twice', '{"clientContext": {"formats": "all"}, "clientContext": {"excludeFiles": ["a"]}}'],
    ['something else at the key', '{"clientContext": "x"}'],
    ['deep', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['no text', 'a\0b'],
  ])('FM-14 leaves a configuration alone that cannot be changed: %s', async (_what, text) => {
    const { outcome, textOf } = await put({ '.context/context-config.json': text }, 'none');
    expect(outcome).toMatchObject({ code: 'conflict' });
    expect(await textOf(own)).toBe(text);
  });

  it('FM-14 writes into the configuration of the home directory where that is mounted', async () => {
    const path = `${home}/.context/context-config.json`;
    const workspace = await createWorkspace({ [`${home}/AGENTS.md`]: 'x', [path]: '{}' }, { grantedRoots: [home] });
    const { engine } = workspace;
    const { change } = await engine.formats({ mountedDirectory: home, without: 'agents-md' });
    expect(change).toMatchObject({ configuration: path, etag: expect.any(String), after: { active: 0 } });
    await engine.putFormats({ mountedDirectory: home, formats: 'none' }, (etag) => etag === change?.etag);
    expect((await engine.resolve({ mountedDirectory: home })).files).toEqual([]);
  });

  it('FM-14 S-37 S-40 writes through no link, and makes no directory behind one', async () => {
    for (const [link, target] of [
      [`${project}/.context`, `${project}/other`],
      [`${project}/.context`, '/outside'],
      [`${project}/.context/context-config.json`, `${project}/other/x.json`],
    ] as const) {
      const workspace = await createWorkspace({ ...tree, 'other/x.json': '{}', '/outside/x.json': '{}' });
      workspace.files.symlink(link, target);
      const request = { mountedDirectory: project, formats: 'none' as const };
      await expect(workspace.engine.putFormats(request, anyVersion), link).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:conflict|path_outside_roots)$/u),
      });
      const textOf = reader(workspace);
      expect(await textOf(`${project}/other/x.json`)).toBe('{}');
      for (const path of ['other', '/outside'])
        expect(
          await textOf(`${path.startsWith('/') ? path : `${project}/${path}`}/context-config.json`),
        ).toBeUndefined();
    }
  });

  it('FM-14 refuses a version that was not seen, and says nothing of the text', async () => {
    const secret = '{"mcpServers":{"a":{"command":"a","env":{"KEY":"hidden-value"}}}}';
    const { outcome, textOf, engine } = await put({ '.context/context-config.json': secret }, 'none', () => false);
    expect(outcome).toMatchObject({ code: 'version_mismatch' });
    expect(await textOf(own)).toBe(secret);
    const written = await engine.putFormats({ mountedDirectory: project, formats: 'none' }, anyVersion);
    const { change } = await engine.formats({ mountedDirectory: project, without: 'agents-md' });
    expect(JSON.stringify([written, change])).not.toContain('hidden-value');
  });

  it('FM-14 gives the second of two who have seen the same version a refusal', async () => {
    const workspace = await createWorkspace({ ...tree, '.context/context-config.json': '{}' });
    const { engine } = workspace;
    const { change } = await engine.formats({ mountedDirectory: project, without: 'agents-md' });
    const write = (formats: 'all' | 'none') =>
      engine.putFormats({ mountedDirectory: project, formats }, (etag) => etag === change?.etag);
    const outcomes = await Promise.allSettled([write('all'), write('none')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await reader(workspace)(own)).toContain('"all"');
  });
});
