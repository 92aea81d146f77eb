/** A PostgreSQL that answers late: what asks it several times, and what it does not take at once (FT-07). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { McpServerList } from '../../src/mcp/server-requests.ts';
import { holdRow, runSql } from '../adapters/postgres/support.ts';
import { type TestDaemon, until } from '../support/daemon.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { bodyOf, startSidecar } from '../support/fleet.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../support/shared-postgres.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

/** What may be waited for, and something for the machine that runs the tests. */
const longestMs = 5_000 + 1_500;

describe.skipIf(!hasPostgres)(`a store that answers late ${onPostgres}`, () => {
  let store: string;
  let proxy: FaultyProxy;
  let daemon: TestDaemon;
  let project: string;
  let session: string;
  let request: string;
  beforeAll(async () => {
    store = await createTestDatabase();
    proxy = await startFaultyProxy({ host: '127.0.0.1', port: Number(new URL(store).port) });
    project = temporaryDirectory();
    mkdirSync(join(project, '.context'));
    const mcpServers = { local: { command: process.execPath, args: ['-e', '0'] } };
    writeFileSync(join(project, '.context/context-config.json'), JSON.stringify({ mcpServers }));
    writeFileSync(join(project, 'a.ts'), 'export const a = 1;\n');
    daemon = await startSidecar(proxy.through(store), { grantRoots: [project] });
    const agent = { name: 'Helper', mountedDirectory: project };
    await bodyOf(daemon, '/v1/agents/helper', { method: 'PUT', body: agent });
    session = (await bodyOf<{ id: string }>(daemon, '/v1/sessions', { body: { agentId: 'helper' } })).id;
    request = (await ask<{ requestId: string }>('first')).requestId;
  });
  const ask = <Answer>(message: string) =>
    bodyOf<Answer>(daemon, `/v1/sessions/${session}/requests`, { body: { message } });
  afterEach(async () => {
    proxy.heal();
    await until(async () => (await daemon.request('/v1/agents')).status === 200);
  });
  afterAll(async () => {
    await daemon.stop();
    await proxy[Symbol.asyncDispose]();
  });
  const attempt = async (path: string, options: Parameters<TestDaemon['request']>[1] = {}) => {
    const begunMs = performance.now();
    const { status, body } = await daemon.request(path, options);
    return { status, body, tookMs: performance.now() - begunMs };
  };

  it('FT-07 refuses what asks it again and again within five seconds, and answers what asks it once after that', async () => {
    // Each answer takes 1.4 s, which no single one is refused for.
    proxy.delay(700);
    const message = { message: 'second' };
    const key = { 'idempotency-key': 'k' };
    const answers = await Promise.all([
      attempt(`/v1/sessions/${session}/requests`, { body: message, headers: key }),
      attempt(`/v1/sessions/${session}/requests/${request}`),
      attempt('/v1/sessions', { body: { agentId: 'helper' } }),
      attempt('/v1/context', { body: { mountedDirectory: project, sessionId: session, query: 'a' } }),
    ]);
    // Not beside the others, which may have all connections: opening one takes several answers.
    answers.push(await attempt('/v1/agents'));
    for (const { tookMs } of answers) expect(tookMs).toBeLessThan(longestMs);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, expect.any(Number), expect.any(Number), 200]);
  });

  it('S-15 FT-07 counts the wait for others that change the same, and takes out later what was revoked in vain', async () => {
    const minted = await Promise.all(
      [1, 2, 3, 4].map(() => bodyOf<{ id: string }>(daemon, '/v1/tokens', { body: { scope: 'agent' } })),
    );
    proxy.delay(700);
    const answers = await Promise.all(minted.map(({ id }) => attempt(`/v1/tokens/${id}`, { method: 'DELETE' })));
    for (const { tookMs } of answers) expect(tookMs).toBeLessThan(longestMs);
    expect(answers.map(({ status }) => status)).toEqual([204, expect.any(Number), 503, 503]);
    proxy.heal();
    await until(async () => (await runSql(store, 'SELECT id FROM contextd.tokens', 'default')).length === 0);
  });

  it('S-15 S-18 FT-07 takes what was revoked out of the store as soon as that lets it, when it was refused before', async () => {
    const { id } = await bodyOf<{ id: string }>(daemon, '/v1/tokens', { body: { scope: 'agent' } });
    const { servers } = await bodyOf<McpServerList>(
      daemon,
      `/v1/mcp/servers?${new URLSearchParams({ mountedDirectory: project })}`,
    );
    const [server] = servers;
    await bodyOf(daemon, '/v1/mcp/approvals', { body: { fingerprint: server?.fingerprint } });
    const stored = async () =>
      (await runSql(store, 'SELECT id FROM contextd.tokens UNION SELECT id FROM contextd.mcp_approvals', 'default'))
        .length;
    expect(await stored()).toBe(2);
    const letGo = await Promise.all([holdRow(store, 'tokens', id), holdRow(store, 'mcp_approvals', `${server?.id}`)]);
    const revoked = await Promise.all([
      daemon.request(`/v1/tokens/${id}`, { method: 'DELETE' }),
      daemon.request(`/v1/mcp/approvals/${server?.fingerprint}`, { method: 'DELETE' }),
    ]);
    expect(revoked.map(({ status }) => status)).toEqual([503, 503]);
    for (const { text } of revoked)
      expect(text).toMatch(/What was revoked is not valid here any more.*this one after another start/u);
    expect(await stored()).toBe(2);
    for (const end of letGo) await end();
    // Nobody asks again.
    await until(async () => (await stored()) === 0);
  });
});
