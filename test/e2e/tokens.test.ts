/** Tokens for agents, through the real daemon and its command line (S-15). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, sendRequest, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let daemon: TestDaemon;
const start = () => startDaemon({ grantRoots: [directory], stateDirectory: join(directory, 'state') });

beforeAll(async () => {
  directory = temporaryDirectory();
  mkdirSync(join(directory, '.context'));
  writeFileSync(join(directory, '.context/plain.md'), '---\ntrigger: always\n---\nWrite plainly.\n');
  daemon = await start();
  const body = { name: 'Reviewer', mountedDirectory: directory };
  expect((await daemon.request('/v1/agents/reviewer', { method: 'PUT', body })).status).toBe(201);
});
afterAll(() => daemon.stop());

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await daemon.cli(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

type Ask = (path: string, body?: object, method?: string) => Promise<Answer>;

/** Asks the daemon that runs with this token. */
function holderOf(token: string): Ask {
  return (path, body, method) =>
    sendRequest(`${daemon.url}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method }),
    });
}

it('S-15 SY-04 a token that the command line mints opens sessions and no more, until it is revoked', async () => {
  const token = (await run('token', '--label', 'build agent')).trimEnd();
  expect(token).toMatch(/^[\w-]{43}$/u);
  const ask = holderOf(token);
  const resolved = await ask('/v1/context/resolve', { mountedDirectory: directory });
  expect(resolved.body).toMatchObject({ files: [{ name: 'plain', state: 'active' }] });
  const session = await ask('/v1/sessions', { agentId: 'reviewer' });
  expect(session.status).toBe(201);
  const { id } = session.body as { id: string };
  expect((await ask(`/v1/sessions/${id}/requests`, { message: 'Hello' })).status).toBe(201);
  for (const [path, body, method] of [
    ['/v1/roots', { path: '/' }, 'POST'],
    ['/v1/tokens', { scope: 'agent' }, 'POST'],
    ['/v1/tokens', undefined, 'GET'],
    ['/v1/shutdown', {}, 'POST'],
    [`/v1/sessions/${id}`, undefined, 'DELETE'],
    ['/v1/agents/reviewer', { name: 'Mine' }, 'PUT'],
    ['/v1/policy', { mountedDirectory: directory, aiContextPolicy: 'allow', exclude: [] }, 'PUT'],
  ] as const) {
    const { status, body: problem } = await ask(path, body, method);
    expect({ path, status, problem }).toMatchObject({ path, status: 403, problem: { code: 'forbidden_scope' } });
  }

  await daemon.stop();
  daemon = await start();
  expect((await ask(`/v1/sessions/${id}`)).status).toBe(200);
  const listed = await run('token', 'list');
  expect(listed).toMatch(
    /^[0-9a-f]{32} {2}agent {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}build agent {2}1 session, \d+ (?:B|KiB)\n$/u,
  );
  expect(await run('token', 'revoke', listed.slice(0, 32))).toBe('The token is revoked.\n');
  expect(await ask(`/v1/sessions/${id}`)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  expect(await run('token', 'list', '--json')).toBe('{\n  "tokens": []\n}\n');
  const again = await daemon.cli(['token', 'revoke', listed.slice(0, 32)]);
  expect(again).toMatchObject({ code: 64, stderr: 'contextd: There is no such token.\n' });

  await daemon.stop();
  daemon = await start();
  expect((await ask(`/v1/sessions/${id}`)).status).toBe(401);
}, 60_000);

it('S-15 an agent does not decide which calls of tools its user is asked about', async () => {
  const { token } = JSON.parse(await run('token', '--json')) as { token: string };
  const ask = holderOf(token);
  const settings = { toolPermission: 'never' };
  const refused = { status: 403, body: { code: 'forbidden_scope' } };
  const created = await ask('/v1/sessions', { agentId: 'reviewer', settings });
  expect(created).toMatchObject({ ...refused, body: { errors: [{ pointer: '/settings/toolPermission' }] } });
  const { id } = (await ask('/v1/sessions', { agentId: 'reviewer', settings: { topP: 0.5 } })).body as { id: string };
  const path = `/v1/sessions/${id}`;
  const message = { role: 'error', content: 'Something went wrong.' };
  const patched = await ask(path, { ...settings, appendMessages: [message] }, 'PATCH');
  expect(patched).toMatchObject({ ...refused, body: { errors: [{ pointer: '/toolPermission' }] } });
  expect((await ask(path, { topP: 0.25, appendMessages: [message] }, 'PATCH')).status).toBe(200);
  expect((await ask(path)).body).toMatchObject({ toolPermission: 'tool', topP: 0.25, lastSyncId: 3 });
  const byUser = await daemon.request(path, { method: 'PATCH', body: settings });
  expect(byUser.body).toMatchObject(settings);
});
