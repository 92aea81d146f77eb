/** Sessions with servers that have never run: their tools come as soon as they are known (MC-01, SE-01; management document, "Session Level"). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestReceipt } from '../../src/session/request.ts';
import type { Session, SessionChanges } from '../../src/session/session.ts';
import { startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { listServers } from '../support/list-servers.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const modules = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
const everything = { command: process.execPath, args: [join(modules, 'server-everything/dist/index.js')] };

let directory: string;
let project: string;
let daemon: TestDaemon;
const start = () => startDaemon({ grantRoots: [project], stateDirectory: join(directory, 'state') });
const post = (path: string, body: object = {}) => daemon.request(path, { method: 'POST', body });
const servers = async () => (await listServers(daemon, project)).servers;
const approve = async (mcpServers: object) => {
  writeFileSync(join(project, '.context/context-config.json'), JSON.stringify({ mcpServers }));
  for (const { fingerprint, state } of await servers())
    if (state === 'needs_approval')
      expect(await post('/v1/mcp/approvals', { fingerprint })).toMatchObject({ status: 200 });
};
const isReady = (name: string) =>
  until(async () => (await servers()).some((each) => each.name === name && each.state === 'ready'));
const createSession = async (more: object = {}) => {
  const { status, body } = await post('/v1/sessions', { agentId: 'a', ...more });
  expect(status).toBe(201);
  return body as Session;
};
const ask = async (id: string, message = 'Add two and three.') => {
  const { status, body } = await post(`/v1/sessions/${id}/requests`, { message });
  expect(status).toBe(201);
  return body as RequestReceipt;
};
const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);
const toolsOf = ({ tools }: RequestReceipt) => tools.map(({ serverName, name }) => `${serverName} ${name}`);

beforeAll(async () => {
  directory = temporaryDirectory();
  project = join(directory, 'project');
  mkdirSync(join(project, '.context'), { recursive: true });
  daemon = await start();
  const agent = { name: 'A', mountedDirectory: project };
  expect(await daemon.request('/v1/agents/a', { method: 'PUT', body: agent })).toMatchObject({ status: 201 });
});
afterAll(() => daemon.stop());

describe('a session with an approved server that has never run', () => {
  it('SE-01 says that its tools are pending, starts it, and has its `always` tools in the next request', async () => {
    await approve({ everything });
    const session = await createSession();
    expect(session).toMatchObject({ pendingServers: ['everything'], contextItems: [] });
    expect(codes(session)).toContain('tools_pending');
    const first = await ask(session.id);
    const [before] = [toolsOf(first)];
    if (before.length === 0) expect(codes(first)).toContain('tools_pending');
    await isReady('everything');

    const second = await ask(session.id);
    expect(toolsOf(second)).toContain('everything get-sum');
    expect(codes(second)).not.toContain('tools_pending');
    const now = (await daemon.request(`/v1/sessions/${session.id}`)).body as Session;
    expect(now.contextItems).toContainEqual({
      type: 'tool',
      serverName: 'everything',
      name: 'get-sum',
      includeMode: 'always',
    });
    expect(now).not.toHaveProperty('pendingServers');
    const { changes } = (await daemon.request(`/v1/sessions/${session.id}/changes?since=1`)).body as SessionChanges;
    expect(changes.filter(({ type }) => type === 'item_added')).toHaveLength(now.contextItems.length);
    expect(changes.find(({ type }) => type === 'settings')).toMatchObject({ settings: { pendingServers: [] } });

    // What the user takes out stays out.
    const ref = 'type=tool&serverName=everything&name=get-sum';
    await daemon.request(`/v1/sessions/${session.id}/context-items?${ref}`, { method: 'DELETE' });
    expect(toolsOf(await ask(session.id))).not.toContain('everything get-sum');
  });

  it('SE-01 MC-01 keeps the tools of the last start across a restart, and what was pending then', async () => {
    const never = { command: process.execPath, args: [...everything.args, 'stdio'] };
    await approve({ everything, never });
    await post(`/v1/mcp/servers/${(await servers()).find(({ name }) => name === 'everything')?.id}/stop`);
    // It is approved, and cannot say its tools before the daemon ends.
    const waiting = await createSession();
    expect(waiting.pendingServers).toEqual(['never']);
    expect(waiting.contextItems).toContainEqual(expect.objectContaining({ serverName: 'everything', name: 'get-sum' }));
    await daemon.stop();
    daemon = await start();

    const fresh = await createSession();
    expect(fresh.contextItems).toContainEqual(expect.objectContaining({ serverName: 'everything', name: 'get-sum' }));
    await isReady('everything');
    await isReady('never');
    const receipt = await ask(waiting.id);
    expect(toolsOf(receipt)).toEqual(expect.arrayContaining(['everything get-sum', 'never get-sum']));
    expect(codes(receipt)).not.toContain('tools_pending');
  });

  it('SE-01 says of a server that cannot start, or must be approved anew, why its tools are missing', async () => {
    await approve({ broken: { command: process.execPath, args: ['-e', 'process.exit(3)'] } });
    const session = await createSession();
    expect(session.pendingServers).toEqual(['broken']);
    await until(async () => (await servers())[0]?.state === 'failed');
    const receipt = await ask(session.id);
    const warning = receipt.warnings.find(({ code }) => code === 'tools_unavailable');
    expect(warning?.message).toContain('"broken"');

    await approve({ broken: everything });
    const changed = { broken: { ...everything, env: { EXTRA: '1' } } };
    writeFileSync(join(project, '.context/context-config.json'), JSON.stringify({ mcpServers: changed }));
    const stale = await ask(session.id);
    expect(stale.warnings.find(({ code }) => code === 'tools_need_approval')?.message).toContain('"broken"');
    await approve(changed);
    await ask(session.id);
    await isReady('broken');
    expect(toolsOf(await ask(session.id))).toContain('broken get-sum');
  });
});
