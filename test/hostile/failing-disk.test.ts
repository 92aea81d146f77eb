/** What the disk fails to give is said, not passed over in silence (S-71). */

import { describe, expect, it } from 'vitest';
import type { FileRefusal, Files } from '../../src/ports/ports.ts';
import { configOf, createServers } from '../mcp/support/servers.ts';
import { dieBelow } from '../support/dead-mount.ts';
import { createMemoryFileWriter } from '../support/memory-file-writer.ts';
import { nothingYet } from '../support/versions.ts';
import { contextFile, createWorkspace, project } from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });
const unreadable = [{ code: 'unreadable', message: expect.any(String), path: expect.any(String) }];

type Broken = { paths: string[]; code: FileRefusal['code'] };

/** The same files, of which some paths cannot be read or listed; behind `stat:` and `real:`, not looked at or located. */
function breakFiles(files: Files, broken: Broken): Files {
  const refuse = (path: string): FileRefusal | undefined =>
    broken.paths.includes(path) ? { ok: false, code: broken.code } : undefined;
  return {
    homeDirectory: files.homeDirectory,
    stat: async (path) => refuse(`stat:${path}`) ?? files.stat(path),
    statSoon: (path) => refuse(`stat:${path}`) ?? files.stat(path),
    namesAreExact: false,
    realPath: async (path) => refuse(`real:${path}`) ?? files.realPath(path),
    list: async (path, options) => refuse(path) ?? files.list(path, options),
    read: async (path, options) => refuse(path) ?? files.read(path, options),
    hash: async (path, options) => refuse(path) ?? files.hash(path, options),
  };
}

async function createBroken(tree: Record<string, string>) {
  const { files } = await createWorkspace(tree);
  const broken: Broken = { paths: [], code: 'io_error' };
  const ports = { files: breakFiles(files, broken), fileWriter: createMemoryFileWriter(files) };
  const { engine } = await createWorkspace({}, { ports });
  return { engine, files, broken };
}

describe.each(['io_error', 'unreadable'] as const)('S-71 what is %s', (code) => {
  it('S-71 is a warning of resolve, of an agent that has the directory, and of a new session', async () => {
    const { engine, broken } = await createBroken({ '.context/rule.md': always });
    Object.assign(broken, { code, paths: [`${project}/.context/rule.md`] });
    expect(await engine.resolve({ mountedDirectory: project })).toMatchObject({ files: [], warnings: unreadable });
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    expect(await engine.agents.catalog({ agentId: 'a' })).toMatchObject({ items: [], warnings: unreadable });
    expect(await engine.sessions.create({ agentId: 'a' })).toMatchObject({ contextItems: [], warnings: unreadable });
    broken.paths = [];
    expect((await engine.resolve({ mountedDirectory: project })).warnings).toEqual([]);
  });

  it('S-71 is a warning of the session that was made without it, though it can be read again by then', async () => {
    const { engine, broken } = await createBroken({ '.context/rule.md': always });
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    Object.assign(broken, { code, paths: [`${project}/.context/rule.md`] });
    const unsubscribe = engine.subscribe({
      since: undefined,
      types: undefined,
      deliver: () => {
        broken.paths = [];
      },
      end() {},
    });
    expect(await engine.sessions.create({ agentId: 'a' })).toMatchObject({ contextItems: [], warnings: unreadable });
    expect(broken.paths).toEqual([]);
    unsubscribe.close();
  });

  it('S-71 is a warning where files and policies are listed, searched and previewed', async () => {
    const { engine, broken } = await createBroken({ 'src/a.ts': '', 'docs/a.md': '' });
    Object.assign(broken, { code, paths: [`${project}/src`] });
    expect(await engine.policy.list(project)).toMatchObject({ warnings: unreadable });
    const preview = await engine.policy.preview({ mountedDirectory: project, aiContextPolicy: 'allow' });
    expect(preview).toMatchObject({ allowed: 1, warnings: unreadable });
    const found = await engine.supplementary.searchFiles({ mountedDirectory: project, query: 'a' });
    expect(found).toMatchObject({ files: [{ relativePath: 'docs/a.md' }], warnings: [{ code: 'unreadable' }] });
    broken.paths = [];
    expect(await engine.supplementary.searchFiles({ mountedDirectory: project, query: 'a' })).toMatchObject({
      files: [{}, {}],
      warnings: [],
    });
  });

  it('S-71 after a policy was written does not change what is said of it', async () => {
    const { engine, broken } = await createBroken({ 'a.md': '' });
    const wanted = { aiContextPolicy: 'allow' as const, exclude: ['private/**'] };
    Object.assign(broken, { code, paths: [`${project}/.ai-context-policy.yaml`] });
    const place = { mountedDirectory: project, directory: project };
    const { policy } = await engine.policy.put({ ...place, ...wanted }, nothingYet);
    broken.paths = [];
    expect((await engine.policy.list(project)).policies).toEqual([policy]);
    expect(policy).toMatchObject({ ...wanted, valid: true });
  });

  it('S-71 of the configuration of servers is a warning where they are listed', async () => {
    const { engine, broken } = await createBroken({
      '.context/context-config.json': configOf({ local: { command: './srv.js' } }),
      'srv.js': '',
    });
    expect((await engine.mcp.list({ mountedDirectory: project })).servers).toHaveLength(1);
    for (const path of [`${project}/.context`, `${project}/.context/context-config.json`]) {
      Object.assign(broken, { code, paths: [path, `stat:${path}`] });
      const { servers, warnings } = await engine.mcp.list({ mountedDirectory: project });
      expect([servers, warnings.length], path).toEqual([[], 1]);
    }
  });

  it('S-71 S-18 of a file that a server is started with: it cannot be approved', async () => {
    const { engine, broken } = await createBroken({
      '.context/context-config.json': configOf({ local: { command: '/usr/bin/node', args: ['./srv.js'] } }),
      'srv.js': '',
      '/usr/bin/node': 'ELF',
    });
    Object.assign(broken, { code, paths: [`real:${project}/srv.js`] });
    const [server] = (await engine.mcp.list({ mountedDirectory: project })).servers;
    expect(server).toMatchObject({ approvable: false });
    await expect(engine.mcp.approve({ fingerprint: server?.fingerprint ?? '' })).rejects.toMatchObject({
      code: 'conflict',
    });
    broken.paths = [];
    expect((await engine.mcp.list({ mountedDirectory: project })).servers).toMatchObject([{ approvable: true }]);
  });
});

it('S-71 what the disk fails to say of a directory does not mean that it is not there', async () => {
  const { engine, broken } = await createBroken({ 'src/a.ts': '' });
  const unavailable = { code: 'unavailable', errors: [{ pointer: '/mountedDirectory' }] };
  for (const call of ['stat', 'real']) {
    broken.paths = [`${call}:${project}`];
    await expect(engine.resolve({ mountedDirectory: project })).rejects.toMatchObject(unavailable);
    await expect(engine.grantRoot(project)).rejects.toMatchObject({ code: 'unavailable' });
  }
  broken.paths = [`${project}/src`];
  const place = { mountedDirectory: project, directory: `${project}/src` };
  await expect(engine.policy.preview(place)).rejects.toMatchObject({ code: 'unavailable' });
});

it('S-71 a preview says when it does not know what it would change', async () => {
  const { engine, broken } = await createBroken({
    '.ai-context-policy.yaml': 'ai_context_policy: allow\n',
    'a.md': '',
  });
  broken.paths = [`stat:${project}/.ai-context-policy.yaml`];
  const preview = await engine.policy.preview({ mountedDirectory: project, aiContextPolicy: 'allow' });
  expect(preview.warnings).toMatchObject([{ code: 'policy_not_read' }]);
});

it('S-71 the servers of a directory that can be read are listed without a warning', async () => {
  expect((await (await createServers()).mcp.list({ mountedDirectory: project })).warnings).toEqual([]);
});

it('S-40 S-71 granted directories on a disk that does not answer keep no other one waiting, and one thread', async () => {
  const dead = ['/home/ada/dead/one', '/home/ada/dead/a/b/two'];
  const { files } = await createWorkspace({ '.context/rule.md': always });
  // By a link, which must be looked at each time.
  const mountedDirectory = '/home/ada/link';
  files.symlink(mountedDirectory, project);
  const { engine } = await createWorkspace({}, { ports: { files }, grantedRoots: [...dead, mountedDirectory] });
  expect((await engine.resolve({ mountedDirectory })).files).toHaveLength(1);
  const mount = dieBelow('/home/ada/dead', files);
  for (let times = 0; times < 2; times += 1) expect((await engine.resolve({ mountedDirectory })).files).toHaveLength(1);
  expect((await engine.retrieve({ mountedDirectory, query: 'rule' })).warnings).toEqual([]);
  expect((await engine.listRoots()).map(({ path }) => path)).toEqual(expect.arrayContaining(dead));
  expect(mount.looks()).toBe(1);
});

/** Parts of the engine keep the verbs that they were given, and see what becomes of the files all the same. */
const seen = (files: Files): Files => ({
  ...files,
  stat: (path) => files.stat(path),
  statSoon: (path) => files.statSoon(path),
  realPath: (path) => files.realPath(path),
  list: (path, options) => files.list(path, options),
  read: (path, options) => files.read(path, options),
  hash: (path, options) => files.hash(path, options),
});

async function createMounted() {
  const { files } = await createWorkspace({ '.context/rule.md': always });
  const { engine } = await createWorkspace({}, { ports: { files: seen(files) } });
  return { engine, files };
}

it('S-40 S-71 a directory on a disk that does not answer is refused in time, and keeps one thread', async () => {
  const { engine, files } = await createMounted();
  const mountedDirectory = project;
  await engine.resolve({ mountedDirectory });
  await engine.agents.put('a', { name: 'A', mountedDirectory });
  const mount = dieBelow(project, files);
  const verbs = {
    resolve: () => engine.resolve({ mountedDirectory }),
    'resolve of a file': () => engine.resolve({ mountedDirectory, files: ['/home/ada/elsewhere/a.ts'] }),
    'resolve of a folder': () => engine.resolve({ mountedDirectory: `${project}/src` }),
    explain: () => engine.explain({ mountedDirectory, path: '.context/rule.md' }),
    retrieve: () => engine.retrieve({ mountedDirectory, query: 'rule' }),
    context: () => engine.gatherContext({ mountedDirectory, query: 'rule' }),
    validate: () => engine.validate({ mountedDirectory }),
    policies: () => engine.policy.list(project),
    preview: () => engine.policy.preview({ mountedDirectory, aiContextPolicy: 'allow' }),
    files: () => engine.supplementary.searchFiles({ mountedDirectory, query: 'a' }),
    formats: () => engine.formats({ mountedDirectory }),
  };
  for (const [name, ask] of Object.entries(verbs))
    await expect(ask(), name).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('does not answer'),
    });
  const warnings = [expect.objectContaining({ code: 'unavailable', path: project })];
  expect(await engine.agents.catalog({ agentId: 'a' })).toMatchObject({ items: [], warnings });
  expect(await engine.sessions.create({ agentId: 'a' })).toMatchObject({ contextItems: [], warnings });
  expect(mount.looks()).toBe(1);
  await mount.comeBack();
  expect((await engine.resolve({ mountedDirectory })).files).toHaveLength(1);
});

it('S-40 S-71 a directory on a disk that wakes up after some seconds is read', async () => {
  const { engine, files } = await createMounted();
  const mount = dieBelow(project, files);
  setTimeout(mount.comeBack, 3_000);
  expect((await engine.resolve({ mountedDirectory: project })).files).toHaveLength(1);
  expect(mount.looks()).toBe(1);
});

it('S-40 S-71 a file on a disk that does not answer is left out, and the project is read', async () => {
  const { engine, files } = await createMounted();
  dieBelow('/dead', files);
  const resolved = await engine.resolve({ mountedDirectory: project, files: ['/dead/x.ts'] });
  expect(resolved.files).toHaveLength(1);
  expect(resolved.omitted).toMatchObject([{ path: '/dead/x.ts', reason: { code: 'outside_roots' } }]);
});

it('S-40 S-71 a root that is a link to a disk that wakes up is read by the first request', async () => {
  const { files } = await createWorkspace({ '.context/rule.md': always });
  const mountedDirectory = '/home/ada/link';
  files.symlink(mountedDirectory, project);
  const { engine } = await createWorkspace({}, { ports: { files: seen(files) }, grantedRoots: [mountedDirectory] });
  const mount = dieBelow(project, files);
  setTimeout(mount.comeBack, 3_000);
  expect((await engine.resolve({ mountedDirectory })).files).toHaveLength(1);
});

it('S-40 S-71 directories beside each other on a disk that does not answer keep one thread', async () => {
  const projects = ['one', 'two', 'three', 'four'].map((name) => `/dead/${name}`);
  const { files } = await createWorkspace({ '/dead/one/.context/rule.md': always });
  const { engine } = await createWorkspace({}, { ports: { files }, grantedRoots: ['/links/work'] });
  files.symlink('/links/work', '/dead');
  const mount = dieBelow('/dead', files);
  for (const mountedDirectory of projects)
    await expect(engine.resolve({ mountedDirectory })).rejects.toMatchObject({ code: 'unavailable' });
  expect(mount.looks()).toBe(1);
});

it.each(['/home/ada/.claude', '/home/ada/.context', '/home/ada'])(
  'S-40 S-71 %s on a disk that does not answer keeps no project for long, and few threads',
  async (dead) => {
    const mountedDirectory = '/work/project';
    const { files } = await createWorkspace({
      [`${mountedDirectory}/.context/rule.md`]: always,
      '/home/ada/.claude/CLAUDE.md': 'Hi.',
    });
    const { engine } = await createWorkspace({}, { ports: { files }, grantedRoots: [mountedDirectory] });
    const resolve = async () => (await engine.resolve({ mountedDirectory })).files.map(({ path }) => path);
    const mount = dieBelow(dead, files);
    for (let times = 0; times < 2; times += 1)
      expect(await resolve()).toContain(`${mountedDirectory}/.context/rule.md`);
    expect(mount.looks()).toBeLessThan(3);
    await mount.comeBack();
    expect(await resolve()).toContain('/home/ada/.claude/CLAUDE.md');
  },
);

it('S-40 S-71 a directory in a project whose disk does not answer is named, and the others are read', async () => {
  const { engine, files } = await createMounted();
  for (const name of ['far', 'near']) files.write(`${project}/${name}/a.md`, name);
  const mount = dieBelow(`${project}/far`, files);
  const mountedDirectory = project;
  const found = await engine.supplementary.searchFiles({ mountedDirectory, query: 'a' });
  expect(found.files).toMatchObject([{ relativePath: 'near/a.md' }]);
  expect(found.warnings).toMatchObject([{ code: 'unreadable' }]);
  await engine.resolve({ mountedDirectory, files: [`${project}/far/a.md`] });
  await engine.retrieve({ mountedDirectory, query: 'near' });
  await engine.formats({ mountedDirectory });
  expect(mount.looks()).toBeLessThan(3);
});
