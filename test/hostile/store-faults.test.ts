/** What becomes of a daemon, and of what it has acknowledged, when its PostgreSQL is cut off, killed, slow, full or read-only. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestDaemon, until } from '../support/daemon.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { bodyOf, readEvents, startSidecar } from '../support/fleet.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { hasPostgres, onPostgres } from '../support/shared-postgres.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

type Session = { id: string; lastSyncId: number };
type Health = { status: string; unavailable?: string[] };
/** What may be waited for, and something for the machine that runs the tests. */
const longestMs = 5_000 + 1_500;

describe.skipIf(!hasPostgres)(`a store that fails ${onPostgres}`, () => {
  let server: PostgresServer;
  let database: string;
  let proxy: FaultyProxy;
  let daemon: TestDaemon;
  let project: string;

  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync=on'] });
    database = await server.createDatabase();
    proxy = await startFaultyProxy({ host: '127.0.0.1', port: server.port });
    project = temporaryDirectory();
    mkdirSync(join(project, '.context'));
    writeFileSync(join(project, '.context/style.md'), '---\ntrigger: always\n---\nBe brief.');
    writeFileSync(join(project, 'a.ts'), 'export const a = 1;\n');
    daemon = await startSidecar(proxy.through(database), { grantRoots: [project] });
    await bodyOf(daemon, '/v1/agents/helper', { method: 'PUT', body: { name: 'Helper' } });
  });
  afterEach(async () => {
    proxy.heal();
    await until(isWell);
  });
  afterAll(async () => {
    await daemon.stop();
    await proxy[Symbol.asyncDispose]();
    await server.stop();
  });

  const health = () => bodyOf<Health>(daemon, '/health');
  const isWell = async () => (await attempt('/v1/agents')).status === 200 && (await health()).status === 'ok';
  const begin = () => bodyOf<Session>(daemon, '/v1/sessions', { body: { agentId: 'helper' } });
  /** An answer, and how long it took. */
  const attempt = async (path: string, options: Parameters<TestDaemon['request']>[1] = {}) => {
    const begunMs = performance.now();
    const { status, body } = await daemon.request(path, options);
    return { status, code: (body as { code?: string } | undefined)?.code, body, tookMs: performance.now() - begunMs };
  };
  const append = (id: string, content: string) =>
    attempt(`/v1/sessions/${id}`, { method: 'PATCH', body: { appendMessages: [{ role: 'user', content }] } });
  /** The contents of all messages, and that their numbers have no gap. */
  const contentsOf = async (id: string): Promise<string[]> => {
    const contents: string[] = [];
    for (let since = 1, more = true; more; ) {
      const page = await bodyOf<{ changes: { syncId: number; message: { content: string } }[]; next?: number }>(
        daemon,
        `/v1/sessions/${id}/changes?since=${since}&limit=500`,
      );
      for (const { syncId, message } of page.changes) {
        expect(syncId).toBe(since + 1);
        since = syncId;
        contents.push(message.content);
      }
      more = page.next !== undefined;
    }
    return contents;
  };
  /** What needs no store is answered, soon. */
  const expectContext = async () => {
    const resolved = await attempt('/v1/context/resolve', { body: { mountedDirectory: project } });
    expect(resolved).toMatchObject({ status: 200, body: { files: [{ name: 'style', state: 'active' }] } });
    const retrieved = await attempt('/v1/retrieve', { body: { mountedDirectory: project, openTabs: ['a.ts'] } });
    expect(retrieved).toMatchObject({ status: 200, body: { items: [{ relativePath: 'a.ts' }] } });
    expect((retrieved.body as { warnings: { code: string }[] }).warnings).toMatchObject([
      { code: 'store_unavailable' },
    ]);
    const gathered = await attempt('/v1/context', {
      body: { mountedDirectory: project, documents: [{ path: 'a.ts' }], query: 'a' },
    });
    expect(gathered.status).toBe(200);
    for (const { tookMs } of [resolved, retrieved, gathered]) expect(tookMs).toBeLessThan(longestMs);
  };
  /** Everything that needs it is refused in time, and the daemon says so. */
  const expectDegraded = async () => {
    const { id } = { id: '0'.repeat(32) };
    const refused = await Promise.all([
      append(id, 'x'),
      attempt('/v1/agents'),
      attempt('/v1/agents/helper', { method: 'PUT', body: { name: 'x' } }),
      attempt('/v1/sessions'),
      attempt('/v1/tokens', { body: { scope: 'agent' } }),
      attempt(`/v1/supplementary?${new URLSearchParams({ mountedDirectory: project })}`),
    ]);
    expect(refused.map(({ status, code }) => [status, code])).toEqual(refused.map(() => [503, 'unavailable']));
    for (const { tookMs } of refused) expect(tookMs).toBeLessThan(longestMs);
    expect(await health()).toMatchObject({
      status: 'degraded',
      unavailable: expect.arrayContaining(['agents', 'sessions']),
    });
    const status = await attempt('/v1/status');
    expect(status).toMatchObject({ status: 200, body: { store: { kind: 'postgres', available: false } } });
    expect((status.body as { warnings: { code: string }[] }).warnings.map(({ code }) => code)).toContain(
      'store_unavailable',
    );
    expect(status.tookMs).toBeLessThan(longestMs);
    await expectContext();
  };

  it('FT-07 S-68 loses nothing that it acknowledged when it is cut off in the middle of commits, and keeps nothing half', async () => {
    const { id } = await begin();
    const sent: { content: string; status: number; tookMs: number }[] = [];
    for (let round = 0; round < sized(4, 200, 2); round += 1) {
      const cut = proxy.cutAtCommit(round % 2 === 0 ? 'before' : 'after');
      const contents = Array.from({ length: 8 }, (_, n) => `${round}.${n}`);
      const answers = await Promise.all(contents.map((content) => append(id, content)));
      sent.push(...answers.map(({ status, tookMs }, n) => ({ content: contents[n] as string, status, tookMs })));
      await cut;
      await until(isWell);
    }
    expect(Math.max(...sent.map(({ tookMs }) => tookMs))).toBeLessThan(longestMs);
    expect(new Set(sent.map(({ status }) => status).filter((status) => status !== 200 && status !== 503))).toEqual(
      new Set(),
    );
    const there = await contentsOf(id);
    expect(there).toHaveLength(new Set(there).size);
    expect(there).toEqual(
      expect.arrayContaining(sent.filter(({ status }) => status === 200).map(({ content }) => content)),
    );
    const all = sent.map(({ content }) => content);
    expect(all).toEqual(expect.arrayContaining(there));
  });

  it('FT-07 FT-03 goes on without a server that was killed, and with it when it is there again', async () => {
    const { id } = await begin();
    expect((await append(id, 'before')).status).toBe(200);
    const reader = await readEvents(daemon);
    onTestFinished(() => reader.close());
    await server.kill();
    await expectDegraded();
    await server.restart();
    // It finds out by itself.
    await until(async () => (await health()).status === 'ok');
    expect(await contentsOf(id)).toEqual(['before']);
    expect((await append(id, 'after')).status).toBe(200);
    await until(() => reader.heard.some(({ type }) => type === 'resync'));
    await until(() => reader.heard.some(({ data }) => data.sessionId === id));
  });

  it('FT-07 waits for nobody when the network swallows everything', async () => {
    const { id } = await begin();
    proxy.stall();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => append(id, `${n}`)));
    for (const { status, tookMs } of answers) {
      expect(status).toBe(503);
      expect(tookMs).toBeLessThan(longestMs);
    }
    await expectDegraded();
    proxy.heal();
    proxy.cut();
    await until(isWell);
    expect(await contentsOf(id)).toHaveLength(0);
  });

  it('FT-07 is only slower with a server that answers after half a second', async () => {
    const { id } = await begin();
    proxy.delay(250);
    for (const content of ['a', 'b']) {
      const alone = await append(id, content);
      expect(alone.status).toBe(200);
      expect(alone.tookMs).toBeLessThan(longestMs);
    }
    expect((await health()).status).toBe('ok');
    // Those that would take too long one after the other are refused.
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => append(id, `${n}`)));
    for (const { tookMs } of answers) expect(tookMs).toBeLessThan(longestMs);
    proxy.delay(0);
    const acknowledged = answers.flatMap(({ status }, n) => (status === 200 ? [`${n}`] : []));
    expect(await contentsOf(id)).toEqual(expect.arrayContaining(['a', 'b', ...acknowledged]));
    expect(acknowledged).not.toEqual([]);
  });

  it('FT-07 reads from a server that is read-only, refuses to write, and says so', async () => {
    const { id } = await begin();
    expect((await append(id, 'before')).status).toBe(200);
    await server.restart(['default_transaction_read_only=on']);
    // The next test begins with a daemon that has noticed.
    onTestFinished(async () => {
      await server.restart();
      await until(isWell);
    });
    await until(async () => (await attempt('/v1/agents')).status === 200);
    const refused = await append(id, 'refused');
    expect(refused).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await attempt('/v1/agents/other', { method: 'PUT', body: { name: 'x' } })).status).toBe(503);
    expect(await contentsOf(id)).toEqual(['before']);
    expect(await health()).toMatchObject({ status: 'degraded' });
    await server.restart();
    await until(async () => (await append(id, 'after')).status === 200);
    await until(async () => (await health()).status === 'ok');
    expect(await contentsOf(id)).toEqual(expect.arrayContaining(['before', 'after']));
    expect(await contentsOf(id)).not.toContain('refused');
  });

  it('FT-07 loses nothing that it acknowledged when the server is killed again and again under load', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, begin));
    const acknowledged = new Map(sessions.map(({ id }) => [id, [] as string[]]));
    let isOver = false;
    let slowestMs = 0;
    const writers = sessions.map(async ({ id }, writer) => {
      for (let n = 0; !isOver; n += 1) {
        const content = `${writer}.${n}`;
        const { status, tookMs } = await append(id, content);
        slowestMs = Math.max(slowestMs, tookMs);
        if (status === 200) acknowledged.get(id)?.push(content);
        else await delay(50);
      }
    });
    await until(() => [...acknowledged.values()].every(({ length }) => length > 0));
    for (let round = 0; round < sized(2, 50, 1); round += 1) {
      await delay(300);
      await server.kill();
      await delay(200);
      await server.restart();
      await until(isWell);
    }
    isOver = true;
    await Promise.all(writers);
    expect(slowestMs).toBeLessThan(longestMs);
    for (const { id } of sessions) {
      const there = await contentsOf(id);
      expect(there).toHaveLength(new Set(there).size);
      expect(there).toEqual(expect.arrayContaining(acknowledged.get(id) ?? []));
    }
  });

  // The last one: a server does not recover without a disk that it had.
  it.skipIf(process.getuid?.() !== 0)(
    'FT-07 S-71 refuses what finds no room, keeps the rest, and goes on when there is room again',
    async () => {
      const disk = join(server.directory, 'small');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=0777', 'tmpfs', disk]);
      onTestFinished(() => void execFileSync('umount', ['-l', disk]));
      execFileSync('chown', ['--reference', server.directory, disk]);
      await server.sql(`CREATE TABLESPACE small LOCATION '${disk}'`);
      await server.sql('CREATE DATABASE full_one OWNER contextd TABLESPACE small');
      const url = new URL(database);
      url.pathname = 'full_one';
      const full = await startSidecar(url.href);
      onTestFinished(() => full.stop());
      await bodyOf(full, '/v1/agents/helper', { method: 'PUT', body: { name: 'Helper' } });
      const { id } = await bodyOf<Session>(full, '/v1/sessions', { body: { agentId: 'helper' } });
      const say = (content: string) =>
        full.request(`/v1/sessions/${id}`, { method: 'PATCH', body: { appendMessages: [{ role: 'user', content }] } });
      let acknowledged = 0;
      // It compresses what repeats itself.
      const text = () => Array.from({ length: 20_000 }, () => Math.random().toString(36).slice(2)).join(' ');
      const refused = await until(async () => {
        const answer = await say(text());
        if (answer.status === 200) acknowledged += 1;
        return answer.status === 200 ? undefined : answer;
      });
      expect(refused).toMatchObject({ status: 507, body: { code: 'storage_full' } });
      expect((await full.request(`/v1/sessions/${id}`)).status).toBe(200);
      expect(acknowledged).toBeGreaterThan(0);
      const count = async () => (await bodyOf<{ lastSyncId: number }>(full, `/v1/sessions/${id}`)).lastSyncId - 1;
      expect(await count()).toBe(acknowledged);
      execFileSync('mount', ['-o', 'remount,size=64m', disk]);
      expect((await say('there is room')).status).toBe(200);
      expect(await count()).toBe(acknowledged + 1);
    },
  );
});
