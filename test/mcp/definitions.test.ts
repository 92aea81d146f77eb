/** Which servers are listed, and what is said where some may be missing. */
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../support/memory-store.ts';
import { createWorkspace, project } from '../support/workspace.ts';
import { configOf, configPath, createServers, local } from './support/servers.ts';

describe('without anything that starts servers', () => {
  it('MC-01 lists what is defined', async () => {
    const { engine } = await createWorkspace({ [configPath]: configOf({ local }) });
    const { servers } = await engine.mcp.list({ mountedDirectory: project });
    expect(servers).toMatchObject([{ name: 'local', state: 'needs_approval', danger: ['program_not_found'] }]);
    await engine.stopServers();
  });

  it('MC-01 says that a configuration cannot be used, and where', async () => {
    const { engine } = await createWorkspace({ [configPath]: '{"mcpServers": {\n "a": {"command": "x",}}}' });
    const { servers, warnings } = await engine.mcp.list({ mountedDirectory: project });
    expect(servers).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'invalid_config', path: configPath, line: 2 }]);
  });

  it.each([
    ['limit_walk_time', { limits: { walkMs: -1 } }],
    ['limit_entries', { limits: { entries: 0 } }],
    ['context_directory_outside_granted_roots', { settings: { clientContextPath: '../elsewhere' } }],
  ])('MC-01 says %s where that can be why servers are missing', async (code, options) => {
    const tree = { [configPath]: configOf({ local }), '/home/ada/elsewhere/context-config.json': configOf({ local }) };
    const { engine } = await createWorkspace(tree, options);
    const { servers, warnings } = await engine.mcp.list({ mountedDirectory: project });
    expect(servers).toEqual([]);
    expect(new Set(warnings.map((warning) => warning.code))).toEqual(new Set([code]));
  });

  it.each([
    ['a context directory', `${project}/.context`, undefined],
    ['a directory on the way to where work happens', `${project}/packages`, `${project}/packages/app`],
  ])('MC-01 says that %s is a link, behind which servers may be missing', async (_which, link, workingDirectory) => {
    const tree = { 'elsewhere/a.md': 'A', 'elsewhere/app/.context/context-config.json': configOf({ local }) };
    const { engine, files } = await createWorkspace(tree);
    files.symlink(link, `${project}/elsewhere`);
    const { servers, warnings } = await engine.mcp.list({ mountedDirectory: project, workingDirectory });
    expect(servers).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'symlink', path: link }]);
  });

  it('MC-01 says nothing of links among context files', async () => {
    const { engine, files } = await createWorkspace({ [configPath]: configOf({ local }) });
    for (const name of ['a.md', 'b.md']) files.symlink(`${project}/.context/${name}`, `${project}/elsewhere.md`);
    const { servers, warnings } = await engine.mcp.list({ mountedDirectory: project });
    expect(servers).toHaveLength(1);
    expect(warnings).toEqual([]);
    await engine.stopServers();
  });

  it.each([
    { code: 'limit_entries', limits: { entries: 20 }, slowMs: 0 },
    { code: 'limit_walk_time', limits: { walkMs: 2_000 }, slowMs: 5_000 },
  ])('MC-01 says nothing of $code where patterns cost it: all configurations were read', async (given) => {
    const config = JSON.stringify({ clientContext: { includeFiles: ['docs/**'] }, mcpServers: { local } });
    const tree: Record<string, string> = { [configPath]: config };
    for (let at = 0; at < 40; at += 1) tree[`docs/d${at % 4}/f${at}.md`] = 'Text.';
    const { engine, files, clock } = await createWorkspace(tree, { limits: given.limits });
    const list = files.list.bind(files);
    files.list = async (path, options) => {
      if (path.endsWith('/docs')) clock.advance(given.slowMs);
      return list(path, options);
    };
    const resolved = await engine.resolve({ mountedDirectory: project });
    expect(resolved.warnings).toMatchObject([{ code: given.code, pointer: '/clientContext/includeFiles' }]);
    const { servers, warnings } = await engine.mcp.list({ mountedDirectory: project });
    expect(servers).toHaveLength(1);
    expect(warnings).toEqual([]);
    await engine.stopServers();
  });
});

it('CC-03 MC-01 a command that begins with ~ is in the home directory, and shown as it is written', async () => {
  const tree = { '/home/ada/bin/srv': 'ELF' };
  const { run, launcher } = await createServers({ local: { command: '~/bin/srv', args: ['~/x'] } }, { tree });
  expect(await run()).toMatchObject({ command: ['~/bin/srv', '~/x'], program: '/home/ada/bin/srv', danger: [] });
  expect(launcher.launches).toMatchObject([{ command: '/home/ada/bin/srv', args: ['~/x'] }]);
});

it('MC-01 AG-05 an agent that has not changed is not read again', async () => {
  const store = createMemoryStore();
  let readings = 0;
  const get = store.agents.get.bind(store.agents);
  store.agents.get = (id) => {
    readings += 1;
    return get(id);
  };
  const { engine } = await createWorkspace({}, { ports: { store } });
  await engine.agents.put('a', { name: 'A', mcpServers: { own: local } });
  const list = async () => (await engine.mcp.list({ agentId: 'a' })).servers.map(({ name }) => name);
  await list();
  const before = readings;
  expect(await list()).toEqual(['own']);
  expect(readings).toBe(before);
  await engine.agents.put('a', { name: 'A', mcpServers: { other: local } });
  expect(await list()).toEqual(['other']);
  await engine.stopServers();
});

it('S-49 what starts servers is loaded again if it could not be loaded, and the end does not need it', async () => {
  const { engine, mcp, loadFailures, approve } = await createServers();
  const crowded = () => Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' });
  const { id } = await approve();
  loadFailures.push(crowded());
  await expect(mcp.start(id)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await mcp.start(id)).toMatchObject({ state: 'ready' });
  await engine.stopServers();

  const other = await createServers();
  other.loadFailures.push(crowded());
  await expect(other.run()).rejects.toMatchObject({ code: 'unavailable' });
  await other.engine.stopServers();
});
