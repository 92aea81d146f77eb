/** Daemons that reach their PostgreSQL by way of a PgBouncer in transaction mode. What fleets do there is in `fleet.test.ts`. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runContextd, sendRequest, until } from '../support/daemon.ts';
import { startFaultyProxy } from '../support/faulty-proxy.ts';
import { bodyOf, readEvents, startSidecar } from '../support/fleet.ts';
import { behindPooler, hasPooler, type Pooler, startPooler } from '../support/pgbouncer.ts';
import { createTestDatabase } from '../support/shared-postgres.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

type Health = { status: string; unavailable?: string[] };

describe.skipIf(!hasPooler)(`a daemon ${behindPooler}`, () => {
  let direct: string;
  let store: string;
  let pooler: Pooler;
  beforeAll(async () => {
    direct = await createTestDatabase();
    pooler = await startPooler(direct);
    store = pooler.through(direct);
  });
  afterAll(async () => {
    await pooler[Symbol.asyncDispose]();
  });
  const start = (CONTEXTD_STORE_DIRECT: string, args: string[] = []) =>
    startSidecar(store, { env: { CONTEXTD_STORE_DIRECT }, args });
  /** What a daemon says that does not start. */
  const refusal = async (args: string[], exitCode = 78): Promise<string> => {
    const home = temporaryDirectory();
    const command = ['serve', '--port', '0', '--state-dir', `${home}/state`, '--store', store, ...args];
    const { code, stderr } = await runContextd(command, { env: { HOME: home } });
    expect(code).toBe(exitCode);
    return stderr;
  };

  it('FT-10 S-92 does not start where nothing that others tell would arrive, and says what to do', async () => {
    await using _before = await start(direct);
    const other = await createTestDatabase();
    expect(await refusal([])).toContain('--store-direct <address>, or CONTEXTD_STORE_DIRECT');
    for (const wrong of [store, other])
      expect(await refusal(['--store-direct', wrong])).toContain('must lead to the same database');
    const nowhere = await refusal(['--store-direct', 'postgres://contextd@127.0.0.1:1/x'], 69);
    expect(nowhere).toContain('directly postgres://127.0.0.1:1/x');
    expect(nowhere).toContain('ECONNREFUSED');
  });

  it('FT-10 FT-08 moves state through it, as soon as the daemons have ended', async () => {
    const home = temporaryDirectory();
    const args = ['--tenant', 'moved', '--store-direct', direct];
    {
      await using one = await startSidecar(store, { args });
      await bodyOf(one, '/v1/agents/helper', { method: 'PUT', body: { name: 'Helper' } });
      const running = await migrate(home, ['--from', store, '--to', 'sqlite', ...args]);
      expect(running).toMatchObject({ code: 0, stdout: expect.stringContaining('1 agent') });
      const refused = await migrate(home, ['--from', 'sqlite', '--to', store, '--replace', ...args]);
      expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('Stop all of them') });
    }
    const back = await migrate(home, ['--from', 'sqlite', '--to', store, '--replace', ...args]);
    expect(back).toMatchObject({ code: 0, stderr: '' });
  });
  const migrate = (home: string, args: string[]) =>
    runContextd(['store', 'migrate', '--state-dir', `${home}/state`, ...args], { env: { HOME: home } });

  it('FT-10 FT-09 S-90 keeps tenants apart whose statements share connections', async () => {
    await using one = await start(direct, ['--tenant', 'one']);
    await using other = await start(direct, ['--tenant', 'other']);
    const put = (daemon: typeof one, name: string, n: number) =>
      bodyOf(daemon, `/v1/agents/${name}${n}`, { method: 'PUT', body: { name: `${name}${n}` } });
    const list = async (daemon: typeof one) =>
      (await bodyOf<{ agents: { id: string }[] }>(daemon, '/v1/agents')).agents.map(({ id }) => id);
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const seen: string[][] = [];
    await Promise.all(
      numbers.flatMap((n) => [
        put(one, 'own', n).then(async () => seen.push(await list(one))),
        put(other, 'strange', n),
        list(other),
      ]),
    );
    expect(seen.flat().filter((id) => !id.startsWith('own'))).toEqual([]);
    expect((await list(one)).length).toBe(numbers.length);
    expect((await list(other)).filter((id) => !id.startsWith('strange'))).toEqual([]);
  });

  it('FT-10 S-92 FT-07 says so while what others tell does not arrive, and then takes over what they have revoked', async () => {
    await using proxy = await startFaultyProxy({ host: '127.0.0.1', port: Number(new URL(direct).port) });
    await using cut = await start(proxy.through(direct));
    await using other = await start(direct);
    const health = () => bodyOf<Health>(cut, '/health');
    const minted = await bodyOf<{ id: string; token: string }>(cut, '/v1/tokens', { body: { scope: 'agent' } });
    // A connection of a token ends with it, so that an answer under way may not come.
    const statusOf = () =>
      sendRequest(`${cut.url}/v1/agents`, { headers: { authorization: `Bearer ${minted.token}` } }).then(
        ({ status }) => status,
        () => 'ended',
      );
    const reader = await readEvents(cut);
    onTestFinished(() => reader.close());
    expect(await health()).toMatchObject({ status: 'ok' });
    proxy.refuse();
    await until(async () => (await health()).status === 'degraded');
    expect(await health()).toMatchObject({ unavailable: ['events'] });
    const { warnings } = await bodyOf<{ warnings: { code: string }[] }>(cut, '/v1/status');
    expect(warnings.map(({ code }) => code)).toContain('store_unavailable');
    // All else works.
    await bodyOf(cut, '/v1/agents/helper', { method: 'PUT', body: { name: 'Helper' } });
    expect((await other.request(`/v1/tokens/${minted.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await statusOf()).toBe(200);
    proxy.heal();
    await until(async () => (await health()).status === 'ok');
    await until(async () => (await statusOf()) === 401);
    expect(reader.heard.map(({ type }) => type)).toContain('resync');
  });

  it('FT-10 FT-07 finds out by itself that the pooler is there again, which it does not listen through', async () => {
    await using proxy = await startFaultyProxy({ host: '127.0.0.1', port: Number(new URL(store).port) });
    const env = { CONTEXTD_STORE_DIRECT: direct };
    await using daemon = await startSidecar(proxy.through(store), { env });
    const health = () => bodyOf<Health>(daemon, '/health');
    proxy.refuse();
    expect((await daemon.request('/v1/agents')).status).toBe(503);
    expect((await health()).unavailable).toContain('sessions');
    proxy.heal();
    await until(async () => (await health()).status === 'ok');
    expect((await daemon.request('/v1/agents')).status).toBe(200);
  });

  it('FT-06 S-91 hands the second address on as it does the first, and shows the password of neither', async () => {
    const home = temporaryDirectory();
    const env = { HOME: home };
    const state = ['--state-dir', `${home}/state`];
    onTestFinished(async () => void (await runContextd(['stop', ...state], { env })));
    const secret = 'hunter2canary';
    const withSecret = direct.replace('contextd@', `contextd:${secret}@`);
    const addresses = ['--store', store, '--store-direct', withSecret];
    const started = await runContextd(['start', '--port', '0', ...state, ...addresses], { env });
    expect(started).toMatchObject({ code: 0, stderr: '' });
    const status = await runContextd(['api', 'GET', '/v1/status', ...state], { env });
    expect(JSON.parse(status.stdout).store).toMatchObject({ kind: 'postgres', available: true });
    expect(status.stdout).not.toContain(secret);
    const print = ['service', 'print', '--systemd', ...state];
    const refused = await runContextd([...print, ...addresses], { env });
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('--store-password-file') });
    const printed = await runContextd([...print, '--store', store], { env: { ...env, CONTEXTD_STORE_DIRECT: direct } });
    expect(printed.stdout).toContain(`--store-direct=${direct}`);
    const alone = await runContextd([...print, '--store', 'sqlite'], {
      env: { ...env, CONTEXTD_STORE_DIRECT: direct },
    });
    expect(alone).toMatchObject({ code: 0, stdout: expect.not.stringContaining('--store-direct') });
  });
});
