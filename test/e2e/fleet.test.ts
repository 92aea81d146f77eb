/** Two daemons, one PostgreSQL, with a pooler in between or without: what one of them knows, the other knows. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { McpServerEntry } from '../../src/mcp/server-requests.ts';
import { type DaemonOptions, sendRequest, type TestDaemon, until } from '../support/daemon.ts';
import { bodyOf, readEvents, startSidecar } from '../support/fleet.ts';
import { listServers } from '../support/list-servers.ts';
import { tellMeasured } from '../support/measured.ts';
import { behindPooler, hasPooler, type Pooler, startPooler } from '../support/pgbouncer.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../support/shared-postgres.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

type Session = { id: string; lastSyncId: number; messages: { role: string; content: string }[] };
type Receipt = { requestId: string };

const kinds = [
  { name: onPostgres, isThere: hasPostgres, isPooled: false },
  { name: behindPooler, isThere: hasPooler, isPooled: true },
].map((kind) => ({ ...kind, suite: describe.skipIf(!kind.isThere) }));

for (const { name, suite, isPooled } of kinds) suite(`a fleet ${name}`, () => fleet(isPooled));

function fleet(isPooled: boolean): void {
  let store: string;
  let direct: Record<string, string> = {};
  let pooler: Pooler | undefined;
  let project: string;
  let one: TestDaemon;
  let two: TestDaemon;

  beforeAll(async () => {
    store = await createTestDatabase();
    if (isPooled) {
      direct = { CONTEXTD_STORE_DIRECT: store };
      pooler = await startPooler(store);
      store = pooler.through(store);
    }
    project = temporaryDirectory();
    mkdirSync(join(project, '.context'));
    writeFileSync(join(project, '.context/style.md'), '---\ntrigger: always\n---\nBe brief.');
    [one, two] = (await Promise.all([0, 1].map(() => start({ grantRoots: [project] })))) as [TestDaemon, TestDaemon];
    const agent = { id: 'helper', name: 'Helper', mountedDirectory: project };
    await bodyOf(one, '/v1/agents/helper', { method: 'PUT', body: { ...agent, id: undefined } });
  });
  afterAll(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await pooler?.[Symbol.asyncDispose]();
  });
  const start = (options: DaemonOptions = {}) => startSidecar(store, { ...options, env: direct });
  const begin = (daemon: TestDaemon) => bodyOf<Session>(daemon, '/v1/sessions', { body: { agentId: 'helper' } });
  const say = (daemon: TestDaemon, id: string, { message, headers = {} }: { message: string; headers?: object }) =>
    bodyOf<Receipt>(daemon, `/v1/sessions/${id}/requests`, { body: { message }, headers: { ...headers } });

  it('FT-01 goes on with a conversation at another daemon, with all that was said', async () => {
    const { id } = await begin(one);
    const { requestId } = await say(one, id, { message: 'first' });
    const reply = { body: { modelReply: { content: 'reply' } } };
    await bodyOf(two, `/v1/sessions/${id}/requests/${requestId}/reply`, reply);
    await say(two, id, { message: 'second' });
    const there = await bodyOf<Session>(one, `/v1/sessions/${id}`);
    expect(there.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(await bodyOf<Session>(two, `/v1/sessions/${id}`)).toEqual(there);
    expect((await two.request(`/v1/sessions/${id}/requests/${requestId}/reply`, reply)).status).toBe(409);
    const past = (daemon: TestDaemon) => bodyOf<object>(daemon, `/v1/sessions/${id}/requests/${requestId}`);
    expect(await past(two)).toEqual(await past(one));
  });

  it('FT-02 numbers what both change without gaps, and loses nothing', async () => {
    const { id, lastSyncId } = await begin(one);
    const writers = [one, two].flatMap((daemon, of) =>
      Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; n < 10; n += 1) {
          const appendMessages = [{ role: 'user', content: `${of}.${writer}.${n}` }];
          await bodyOf(daemon, `/v1/sessions/${id}`, { method: 'PATCH', body: { appendMessages } });
        }
      }),
    );
    await Promise.all(writers);
    const changes = await bodyOf<{ changes: { syncId: number; message: { content: string } }[] }>(
      two,
      `/v1/sessions/${id}/changes?since=${lastSyncId}&limit=100`,
    );
    expect(changes.changes.map(({ syncId }) => syncId)).toEqual(
      Array.from({ length: 80 }, (_, n) => lastSyncId + 1 + n),
    );
    expect(new Set(changes.changes.map(({ message }) => message.content)).size).toBe(80);
    const [first] = await Promise.all(
      [one, two].map((daemon) =>
        daemon.request(`/v1/sessions/${id}`, {
          method: 'PATCH',
          body: { topP: 0.5 },
          headers: { 'if-match': `"${lastSyncId + 80}"` },
        }),
      ),
    );
    const stale = { method: 'PATCH', body: { topP: 0.1 }, headers: { 'if-match': `"${lastSyncId + 80}"` } };
    expect([200, 412]).toContain(first?.status);
    expect((await two.request(`/v1/sessions/${id}`, stale)).status).toBe(412);
  });

  it('FT-03 tells readers at one daemon soon what the other has changed', async (context) => {
    const reader = await readEvents(two);
    onTestFinished(() => reader.close());
    const { id } = await begin(one);
    await until(() => reader.heard.some(({ data }) => data.sessionId === id));
    const tookMs: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const before = reader.heard.length;
      await bodyOf(one, `/v1/sessions/${id}`, {
        method: 'PATCH',
        body: { appendMessages: [{ role: 'user', content: `${n}` }] },
      });
      const answeredMs = performance.now();
      await until(() => reader.heard.length > before);
      tookMs.push((reader.heard[before]?.atMs ?? Number.NaN) - answeredMs);
    }
    tookMs.sort((a, b) => a - b);
    tellMeasured(
      context,
      `an event is at the other daemon ${tookMs[10]?.toFixed(1)} ms after the answer (median), ${tookMs[19]?.toFixed(1)} ms at most`,
    );
    expect(tookMs[10]).toBeLessThan(200);
    const own = reader.heard.filter(({ type, data }) => type === 'session-changed' && data.sessionId === id);
    expect(own.map(({ data }) => data.lastSyncId)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
    expect(own.map(({ data }) => data.change)).toEqual(['created', ...Array.from({ length: 20 }, () => 'updated')]);
    await bodyOf(one, '/v1/agents/other', { method: 'PUT', body: { name: 'Other' } });
    await bodyOf(one, '/v1/agents/other', { method: 'DELETE' });
    await bodyOf(one, '/v1/supplementary', { body: { mountedDirectory: project, kind: 'file', path: 'a.ts' } });
    await until(() => reader.heard.some(({ type }) => type === 'supplementary-changed'));
    expect(reader.heard.filter(({ type }) => type === 'agent-changed').map(({ data }) => data.change)).toEqual([
      'created',
      'deleted',
    ]);
  });

  it('FT-04 makes a request once, to whichever daemon it is sent again', async () => {
    const { id } = await begin(one);
    const key = { 'idempotency-key': 'the one and only' };
    const first = await say(one, id, { message: 'once', headers: key });
    expect((await say(two, id, { message: 'once', headers: key })).requestId).toBe(first.requestId);
    expect((await bodyOf<Session>(two, `/v1/sessions/${id}`)).messages).toHaveLength(1);
    const both = await Promise.all(
      [one, two].map((daemon) => say(daemon, id, { message: 'twice at once', headers: { 'idempotency-key': 'k' } })),
    );
    expect(new Set(both.map(({ requestId }) => requestId)).size).toBe(1);
    expect((await bodyOf<Session>(one, `/v1/sessions/${id}`)).messages).toHaveLength(2);
  });

  it('FT-01 shares agents with their versions, and refuses a change of what was not seen', async () => {
    const put = (daemon: TestDaemon, name: string, etag: string) =>
      daemon.request('/v1/agents/helper', {
        method: 'PUT',
        body: { name, mountedDirectory: project },
        headers: { 'if-match': etag },
      });
    const etagAt = async (daemon: TestDaemon) => `${(await daemon.request('/v1/agents/helper')).headers.etag}`;
    const etag = await etagAt(one);
    expect(await etagAt(two)).toBe(etag);
    expect((await put(two, 'New', etag)).status).toBe(200);
    expect((await put(one, 'Newer', etag)).status).toBe(412);
    expect((await put(one, 'Newer', await etagAt(one))).status).toBe(200);
    expect((await two.request('/v1/agents/helper')).body).toMatchObject({ name: 'Newer' });
  });

  it('FT-01 FT-03 takes a token at every daemon, until it is revoked at one', async () => {
    const minted = await bodyOf<{ id: string; token: string }>(one, '/v1/tokens', {
      body: { scope: 'agent', label: 'x' },
    });
    // A connection of a token ends with it, so that an answer under way may not come.
    const statusAt = ({ url }: TestDaemon) =>
      sendRequest(`${url}/v1/agents`, { headers: { authorization: `Bearer ${minted.token}` } }).then(
        ({ status }) => status,
        () => 'ended',
      );
    expect(await statusAt(one)).toBe(200);
    await until(async () => (await statusAt(two)) === 200);
    expect((await two.request(`/v1/tokens/${minted.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await statusAt(two)).toBe(401);
    await until(async () => (await statusAt(one)) === 401);
  });

  it('FT-01 S-18 holds an approval at every daemon, for exactly what was approved', async () => {
    const define = (args: string[]) => {
      const mcpServers = { local: { command: process.execPath, args } };
      writeFileSync(join(project, '.context/context-config.json'), JSON.stringify({ mcpServers }));
    };
    const serverAt = async (daemon: TestDaemon) => (await listServers(daemon, project)).servers[0] as McpServerEntry;
    define(['-e', '0']);
    const { fingerprint } = await serverAt(one);
    expect((await serverAt(two)).fingerprint).toBe(fingerprint);
    await bodyOf(one, '/v1/mcp/approvals', { body: { fingerprint } });
    await until(async () => (await serverAt(two)).state !== 'needs_approval');
    define(['-e', '1']);
    for (const daemon of [one, two]) expect((await serverAt(daemon)).state).toBe('needs_approval');
    define(['-e', '0']);
    for (const daemon of [one, two]) expect((await serverAt(daemon)).state).not.toBe('needs_approval');
    await bodyOf(two, `/v1/mcp/approvals/${fingerprint}`, { method: 'DELETE' });
    await until(async () => (await serverAt(one)).state === 'needs_approval');
  });

  it('FT-01 does not share what may be read', async () => {
    const other = temporaryDirectory();
    await bodyOf(one, '/v1/roots', { body: { path: other } });
    const resolveAt = (daemon: TestDaemon) =>
      daemon.request('/v1/context/resolve', { body: { mountedDirectory: other } });
    expect((await resolveAt(one)).status).toBe(200);
    expect((await resolveAt(two)).status).toBe(403);
  });

  it('FT-01 FT-04 lets a runtime go on at the other daemon when its own is killed in the middle of a conversation', async () => {
    const [first, second] = (await Promise.all([0, 1].map(() => start()))) as [TestDaemon, TestDaemon];
    onTestFinished(async () => void (await Promise.all([first.stop(), second.stop()])));
    const { token } = await bodyOf<{ token: string }>(one, '/v1/tokens', { body: { scope: 'agent' } });
    const script = join(import.meta.dirname, '../../docker/fleet/runtime.ts');
    await until(async () => {
      const ask = { headers: { authorization: `Bearer ${token}` } };
      return (await Promise.all([first, second].map(({ url }) => sendRequest(`${url}/v1/agents`, ask)))).every(
        ({ status }) => status === 200,
      );
    });
    const runtime = spawn(process.execPath, [script, 'helper', '20', first.url, second.url], {
      env: { PATH: process.env.PATH, CONTEXTD_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    runtime.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('message 7 ')) first.process.child.kill('SIGKILL');
    });
    const [code] = await once(runtime, 'close');
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining('20 messages and 20 replies, at 41: none lost, none twice'),
    });
    expect(said).toContain(`message 7 by way of ${first.url}`);
    expect(said).toContain(`message 20 by way of ${second.url}`);
  });

  it('FT-09 keeps tenants apart', async () => {
    await using stranger = await start({ args: ['--tenant', 'stranger'] });
    const { id } = await begin(one);
    expect(await bodyOf<{ agents: unknown[] }>(stranger, '/v1/agents')).toMatchObject({ agents: [] });
    expect((await stranger.request(`/v1/sessions/${id}`)).status).toBe(404);
    expect((await stranger.request('/v1/sessions', { body: { agentId: 'helper' } })).status).toBe(404);
    const reader = await readEvents(stranger);
    onTestFinished(() => reader.close());
    await say(one, id, { message: 'not for strangers' });
    await bodyOf(stranger, '/v1/agents/own', { method: 'PUT', body: { name: 'Own' } });
    await until(() => reader.heard.length > 0);
    expect(reader.heard.map(({ type, data }) => [type, data.agentId])).toEqual([['agent-changed', 'own']]);
  });

  it('FT-06 S-91 shows the password nowhere', async () => {
    // Tests that run at the same time show theirs on command lines.
    const secret = 'hunter2canaryoffleets';
    const url = new URL(store);
    url.password = secret;
    await using daemon = await startSidecar(url.href, { args: ['--log-level', 'trace'], env: direct });
    await begin(daemon).catch(() => {});
    const status = await daemon.request('/v1/status');
    const discovery = await daemon.cli(['api', 'GET', '/v1/status']);
    const { stdout: processes } = await promisify(execFile)('ps', ['-eo', 'args']).catch(() => ({ stdout: '' }));
    for (const text of [
      daemon.process.output.stdout,
      daemon.process.output.stderr,
      status.text,
      discovery.stdout,
      processes,
    ])
      expect(text).not.toContain(secret);
    expect(daemon.process.output.stderr).toContain(`postgres://127.0.0.1:${url.port}`);
  });
}
