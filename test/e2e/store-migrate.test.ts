/** `contextd store migrate`: from SQLite to PostgreSQL and back, with real databases. */
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { McpServerEntry } from '../../src/mcp/server-requests.ts';
import { runContextd, sendRequest, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { bodyOf } from '../support/fleet.ts';
import { listServers } from '../support/list-servers.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../support/shared-postgres.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

describe.skipIf(!hasPostgres)(`contextd store migrate ${onPostgres}`, () => {
  let home: string;
  let project: string;
  let stateDirectory: string;
  let store: string;
  let token: string;
  let session: string;
  let requestId: string;
  let fingerprint: string;

  const start = (options: object = {}) => startDaemon({ stateDirectory, env: { HOME: home }, ...options });
  const migrate = (...args: string[]) =>
    runContextd(['store', 'migrate', '--state-dir', stateDirectory, ...args], { env: { HOME: home } });
  const serverAt = async (daemon: TestDaemon) => (await listServers(daemon, project)).servers[0] as McpServerEntry;
  /** All that can be asked of what was stored. */
  const ask = async (daemon: TestDaemon) => ({
    agents: await bodyOf(daemon, '/v1/agents'),
    agent: await bodyOf(daemon, '/v1/agents/helper'),
    etag: (await daemon.request('/v1/agents/helper')).headers.etag,
    sessions: await bodyOf(daemon, '/v1/sessions'),
    changes: await bodyOf(daemon, `/v1/sessions/${session}/changes?since=1`),
    request: await bodyOf(daemon, `/v1/sessions/${session}/requests/${requestId}`),
    // What it says of tools is about a server of this run.
    usage: { ...(await bodyOf<object>(daemon, '/v1/agents/helper/usage')), warnings: [] },
    supplementary: await bodyOf(daemon, `/v1/supplementary?${new URLSearchParams({ mountedDirectory: project })}`),
    roots: await bodyOf(daemon, '/v1/roots'),
    isApproved: (await serverAt(daemon)).state !== 'needs_approval',
    fingerprint: (await serverAt(daemon)).fingerprint,
    byToken: (await sendRequest(`${daemon.url}/v1/agents`, { headers: { authorization: `Bearer ${token}` } })).status,
  });
  let before: Awaited<ReturnType<typeof ask>>;

  beforeAll(async () => {
    home = temporaryDirectory();
    project = join(home, 'project');
    stateDirectory = join(home, 'state');
    mkdirSync(join(project, '.context'), { recursive: true });
    writeFileSync(join(project, 'a.ts'), 'export const a = 1;\n');
    const mcpServers = { local: { command: process.execPath, args: ['-e', '0'], env: { KEY: 'secret' } } };
    writeFileSync(join(project, '.context/context-config.json'), JSON.stringify({ mcpServers }));
    store = await createTestDatabase();
    await using daemon = await start();
    await bodyOf(daemon, '/v1/roots', { body: { path: project } });
    const rules = Array.from({ length: 30 }, (_, n) => ({ name: `rule${n}`, text: `text ${n} é`, include: 'always' }));
    await bodyOf(daemon, '/v1/agents/helper', {
      method: 'PUT',
      body: { name: 'Helper', mountedDirectory: project, rules },
    });
    ({ id: session } = await bodyOf<{ id: string }>(daemon, '/v1/sessions', { body: { agentId: 'helper' } }));
    for (let n = 0; n < 5; n += 1) {
      const message = `message ${n} \ud83d\ude00 \0`;
      ({ requestId } = await bodyOf<{ requestId: string }>(daemon, `/v1/sessions/${session}/requests`, {
        body: { message },
      }));
      await bodyOf(daemon, `/v1/sessions/${session}/requests/${requestId}/reply`, {
        body: { modelReply: { content: `${n}` } },
      });
    }
    await bodyOf(daemon, '/v1/supplementary', { body: { mountedDirectory: project, kind: 'file', path: 'a.ts' } });
    ({ token } = await bodyOf<{ token: string }>(daemon, '/v1/tokens', { body: { scope: 'agent' } }));
    ({ fingerprint } = await serverAt(daemon));
    await bodyOf(daemon, '/v1/mcp/approvals', { body: { fingerprint } });
    before = await ask(daemon);
    expect(before).toMatchObject({ isApproved: true, byToken: 200 });
  });

  it('FT-08 moves everything to PostgreSQL, where it means the same, and back', async () => {
    const there = await migrate('--from', 'sqlite', '--to', store);
    expect(there).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 agent, 1 added file or folder, 1 session'),
    });
    {
      await using daemon = await start({ args: ['--store', store] });
      expect(await ask(daemon)).toEqual(before);
      // What is new gets numbers that are free.
      await bodyOf(daemon, '/v1/sessions', { body: { agentId: 'helper' } });
      await bodyOf(daemon, `/v1/sessions/${session}/requests`, { body: { message: 'one more' } });
      await bodyOf(daemon, '/v1/agents/other', { method: 'PUT', body: { name: 'Other' } });
      before = await ask(daemon);
      const busy = await migrate('--from', 'sqlite', '--to', store);
      expect(busy.code).toBe(75);
    }
    const refused = await migrate('--from', store, '--to', 'sqlite');
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('there is state already') });
    const back = await migrate('--from', store, '--to', 'sqlite', '--replace');
    expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('2 agents') });
    expect(readdirSync(stateDirectory).filter((name) => name.includes('.migrate'))).toEqual([]);
    await using daemon = await start();
    expect(await ask(daemon)).toEqual(before);
  });

  it('FT-08 replaces nothing unasked, and changes nothing when it fails', async () => {
    const refused = await migrate('--from', 'sqlite', '--to', store);
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('--replace') });
    const running = await startDaemon({ env: { CONTEXTD_STORE: store } });
    const shared = await migrate('--from', 'sqlite', '--to', store, '--replace');
    expect(shared).toMatchObject({ code: 64, stderr: expect.stringContaining('Stop all of them') });
    await running.stop();
    expect(await migrate('--from', 'sqlite', '--to', store, '--replace')).toMatchObject({ code: 0 });
    await using daemon = await start({ args: ['--store', store] });
    expect(await ask(daemon)).toEqual(before);
  });

  it('FT-08 refuses what it cannot do, with what to do', async () => {
    for (const [from, to] of [
      ['sqlite', 'sqlite'],
      [store, store],
    ] as const)
      expect(await migrate('--from', from, '--to', to)).toMatchObject({ code: 64 });
    const gone = new URL(store);
    gone.port = '1';
    const unreachable = await migrate('--from', 'sqlite', '--to', gone.href);
    expect(unreachable).toMatchObject({ code: 69, stderr: expect.stringContaining('ECONNREFUSED') });
    const empty = temporaryDirectory();
    // This link leads nowhere.
    symlinkSync('loop', join(empty, 'loop'));
    for (const place of [empty, join(empty, 'loop')]) {
      const nothing = await runContextd(['store', 'migrate', '--from', 'sqlite', '--to', store, '--state-dir', place]);
      expect(nothing).toMatchObject({ code: 64, stderr: expect.stringContaining('nothing to move') });
    }
  });

  it('FT-08 S-72 first ends what a daemon that was killed began with a damaged database', async () => {
    const path = join(stateDirectory, 'contextd.db');
    const interrupt = () => {
      renameSync(path, `${path}.salvaged`);
      writeFileSync(`${path}.corrupt-20260101T000000Z`, 'x'.repeat(4_096));
    };
    interrupt();
    expect(await migrate('--from', 'sqlite', '--to', store, '--replace')).toMatchObject({ code: 0 });
    interrupt();
    expect(await migrate('--from', store, '--to', 'sqlite')).toMatchObject({ code: 64 });
    interrupt();
    expect(await migrate('--from', store, '--to', 'sqlite', '--replace')).toMatchObject({ code: 0 });
    rmSync(`${path}.corrupt-20260101T000000Z`);
    await using daemon = await start();
    expect(await ask(daemon)).toEqual(before);
  });

  it('FT-08 takes the state directory for no backup of a store that the environment names', async () => {
    const run = (...args: string[]) =>
      runContextd([...args, '--state-dir', stateDirectory], { env: { HOME: home, CONTEXTD_STORE: store } });
    const file = join(home, 'backup.jsonl');
    expect(await run('export', file)).toMatchObject({
      code: 69,
      stderr: expect.stringContaining('CONTEXTD_STORE=sqlite'),
    });
    const alone = ['export', file, '--state-dir', stateDirectory];
    expect(await runContextd(alone, { env: { HOME: home, CONTEXTD_STORE: 'sqlite' } })).toMatchObject({ code: 0 });
    const imported = await run('import', file, '--replace');
    expect(imported).toMatchObject({ code: 64, stderr: expect.stringContaining('contextd store migrate') });
    expect(await run('import', file, '--dry-run', '--replace')).toMatchObject({ code: 64 });
  });
});
