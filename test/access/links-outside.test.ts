/** No answer tells whether something exists behind a link that leads out of the granted roots (S-37). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';

const mountedDirectory = project;

async function linkedWorkspace(followSymlinks: boolean) {
  const { engine, files } = await createWorkspace(
    { '/outside/is.md': 'x', '/outside/place/a.md': 'x', '/outside/place/.context/a.md': 'x' },
    {
      settings: { followSymlinks },
    },
  );
  files.symlink(`${project}/out`, '/outside');
  // Behind these, something is there or not: that tells whether the target exists.
  files.symlink(`${project}/to-is`, '/outside/place');
  files.symlink(`${project}/to-no`, '/outside/nothing');
  const add = async (kind: 'file' | 'folder' | 'tab', path: string) => {
    const { item } = await engine.supplementary.add({ mountedDirectory, kind, path });
    await engine.supplementary.remove(item.id);
    return item.disabledReasons;
  };
  const retrieve = async (request: object) => {
    const { omitted, warnings } = await engine.retrieve({ mountedDirectory, ...request });
    return { omitted, warnings };
  };
  const ways: Record<string, (path: string) => Promise<unknown>> = {
    'an open tab': (path) => retrieve({ openTabs: [path] }),
    'the active document': (path) => retrieve({ activeDocument: { path } }),
    'a document of a prompt': async (path) =>
      (await engine.gatherContext({ mountedDirectory, documents: [{ path }] })).omitted,
    'an added file': (path) => add('file', path),
    'an added folder': (path) => add('folder', path),
    'an added tab': (path) => add('tab', path),
    'a path that is explained': (path) => engine.explain({ mountedDirectory, path }),
    'a check of policies': (path) => engine.policy.check({ mountedDirectory, paths: [path] }),
    'the global context': async (path) => {
      const globalContextPath = `${project}/${path}`;
      const { excluded, warnings } = await engine.resolve({ mountedDirectory, globalContextPath });
      return { excluded, warnings };
    },
    'the directory of a policy': (path) => {
      const policy = { aiContextPolicy: 'allow' as const, exclude: [] };
      return engine.policy.preview({ mountedDirectory, directory: path, ...policy }).catch((error: Error) => error);
    },
    'the mounted directory': (path) =>
      engine.resolve({ mountedDirectory: `${project}/${path}` }).catch((error: Error) => error),
  };
  // With the option, answers tell links of a repository that lead outside from those that lead to nothing.
  if (!followSymlinks)
    ways['a pattern of a configuration'] = async (path) => {
      const config = JSON.stringify({ clientContext: { includeFiles: [`${path}/*.md`] } });
      files.write(`${project}/.context/context-config.json`, config);
      const { excluded, warnings } = await engine.resolve({ mountedDirectory });
      return { excluded, warnings };
    };
  return { ways };
}

describe.each([false, true])('with followSymlinks %s', (followSymlinks) => {
  it.each([
    ['out/is.md', 'out/no.md'],
    ['out/place', 'out/space'],
    ['out/is.md/below', 'out/no.md/below'],
    ['to-is/x.md', 'to-no/x.md'],
    ['to-is', 'to-no'],
  ])('S-37 %s and %s get the same answer', async (one, other) => {
    const { ways } = await linkedWorkspace(followSymlinks);
    for (const [name, ask] of Object.entries(ways)) {
      const told = async (path: string) => JSON.stringify(await ask(path)).replaceAll(path, 'path');
      expect(await told(other), name).toBe(await told(one));
    }
  });
});

it('S-37 a link to nothing on the way to a root is not a link out of it', async () => {
  const { engine, files } = await createWorkspace({}, { grantedRoots: [`${project}/granted`] });
  files.symlink(`${project}/granted`, '/nothing');
  const resolving = engine.resolve({ mountedDirectory: `${project}/granted` });
  await expect(resolving).rejects.toMatchObject({ code: 'not_found' });
});
