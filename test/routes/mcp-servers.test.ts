/** The operations about MCP servers over HTTP (S-05, S-13, S-15, S-26). */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServers, local, type ServerTest } from '../mcp/support/servers.ts';
import { project } from '../support/workspace.ts';
import { createTestApp } from './support/listening-app.ts';

let test: ServerTest;
let app: FastifyInstance;
beforeEach(async () => {
  test = await createServers({ local });
  ({ app } = await createTestApp({ engine: test.engine }));
});
afterEach(() => app.close());

type Sent = { body?: object; from?: string };
async function send(method: 'GET' | 'POST' | 'DELETE', url: string, { body, from = '127.0.0.1' }: Sent = {}) {
  const answer = await app.inject({
    method,
    url,
    remoteAddress: from,
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}
const approve = async () => {
  const { id, fingerprint } = await test.server();
  expect(await send('POST', '/v1/mcp/approvals', { body: { fingerprint } })).toMatchObject({ status: 200 });
  return { id, fingerprint };
};

describe('/v1/mcp', () => {
  it('MC-01 MC-02 lists, approves, starts, calls, stops and revokes', async () => {
    const query = new URLSearchParams({ mountedDirectory: project });
    expect((await send('GET', `/v1/mcp/servers?${query}`)).body.servers).toMatchObject([{ state: 'needs_approval' }]);
    const { id, fingerprint } = await approve();
    expect(await send('POST', `/v1/mcp/servers/${id}/start`)).toMatchObject({ status: 200, body: { state: 'ready' } });
    expect((await send('GET', `/v1/mcp/servers/${id}/tools`)).body.tools).toMatchObject([{ name: 'echo' }]);
    const call = { body: { arguments: { text: 'hi' } } };
    expect(await send('POST', `/v1/mcp/servers/${id}/tools/echo/call`, call)).toEqual({
      status: 200,
      body: { content: [{ type: 'text', text: 'echo hi' }] },
    });
    expect(await send('POST', `/v1/mcp/servers/${id}/restart`)).toMatchObject({ status: 200 });
    expect(await send('POST', `/v1/mcp/servers/${id}/stop`)).toMatchObject({ body: { state: 'stopped' } });
    expect(await send('DELETE', `/v1/mcp/approvals/${fingerprint}`)).toEqual({ status: 204, body: undefined });
    expect(await send('POST', `/v1/mcp/servers/${id}/start`)).toMatchObject({
      status: 403,
      body: { code: 'approval_required' },
    });
  });

  it('S-19 answers 409 for an approval of what is not there any more, 404 for what never was', async () => {
    const { fingerprint } = await test.server();
    test.setServers({ local: { ...local, args: ['x'] } });
    const stale = await send('POST', '/v1/mcp/approvals', { body: { fingerprint } });
    expect(stale).toMatchObject({ status: 409, body: { code: 'approval_stale' } });
    expect(await send('POST', '/v1/mcp/approvals', { body: { fingerprint: '0'.repeat(64) } })).toMatchObject({
      status: 404,
    });
  });

  it('S-05 takes no command from a caller, and starts nothing by GET', async () => {
    const { id } = await approve();
    for (const body of [{ command: 'touch X' }, { args: ['x'] }, { env: { A: '1' } }])
      expect(await send('POST', `/v1/mcp/servers/${id}/start`, { body })).toMatchObject({ status: 400 });
    for (const path of ['tools', 'resources', 'prompts', 'start', 'stop'])
      await send('GET', `/v1/mcp/servers/${id}/${path}`);
    expect(test.launcher.launches).toEqual([]);
  });

  it.each(['192.168.1.5', '::ffff:10.0.0.1', '2001:db8::1', '1127.0.0.1'])(
    'S-13 approves and starts nothing for a client at "%s"',
    async (from) => {
      const { fingerprint } = await test.server();
      expect(await send('POST', '/v1/mcp/approvals', { body: { fingerprint }, from })).toMatchObject({ status: 403 });
      const { id } = await approve();
      for (const verb of ['start', 'restart'])
        expect(await send('POST', `/v1/mcp/servers/${id}/${verb}`, { from })).toMatchObject({ status: 403 });
      const call = { body: { arguments: { text: 'x' } }, from };
      expect(await send('POST', `/v1/mcp/servers/${id}/tools/echo/call`, call)).toMatchObject({ status: 503 });
      await test.engine.agents.put('a', { name: 'A', mountedDirectory: project });
      expect(await send('POST', '/v1/sessions', { body: { agentId: 'a' }, from })).toMatchObject({ status: 201 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(test.launcher.launches).toEqual([]);
    },
  );

  it('MC-01 makes the servers of an agent ready when a session begins', async () => {
    await approve();
    await test.engine.agents.put('a', { name: 'A', mountedDirectory: project });
    expect(await send('POST', '/v1/sessions', { body: { agentId: 'a' }, from: '::1' })).toMatchObject({ status: 201 });
    await expect.poll(async () => (await test.server()).state).toBe('ready');
  });

  it('MC-01 makes them ready when a request begins', async () => {
    await test.engine.agents.put('a', { name: 'A', mountedDirectory: project });
    const { body } = await send('POST', '/v1/sessions', { body: { agentId: 'a' } });
    await approve();
    const url = `/v1/sessions/${(body as { id: string }).id}/requests`;
    expect(await send('POST', url, { body: { message: 'Hello' } })).toMatchObject({ status: 201 });
    await expect.poll(async () => (await test.server()).state).toBe('ready');
  });

  it('S-29 says in a header when a server that failed can be tried again', async () => {
    const { id } = await approve();
    test.launcher.failure = { code: 'exited', detail: 'It ended.' };
    expect(await send('POST', `/v1/mcp/servers/${id}/start`)).toMatchObject({ status: 502 });
    const url = `/v1/mcp/servers/${id}/tools/echo/call`;
    const answer = await app.inject({ method: 'POST', url, payload: { arguments: { text: 'x' } } });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    await send('POST', `/v1/mcp/servers/${id}/stop`);
    const stopped = await app.inject({ method: 'POST', url, payload: { arguments: { text: 'x' } } });
    expect([stopped.statusCode, stopped.headers['retry-after']]).toEqual([503, undefined]);
  });

  it.each(['nobody', '0'.repeat(32)])('S-16 finds no server with the unknown id %s', async (id) => {
    for (const verb of ['start', 'stop', 'restart'])
      expect(await send('POST', `/v1/mcp/servers/${id}/${verb}`)).toMatchObject({ status: 404 });
    expect(await send('GET', `/v1/mcp/servers/${id}/tools`)).toMatchObject({ status: 404 });
  });

  it('MC-01 asks for a directory or an agent', async () => {
    expect(await send('GET', '/v1/mcp/servers')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/mountedDirectory' }] },
    });
    expect(await send('GET', '/v1/mcp/servers?agentId=nobody')).toMatchObject({ status: 404 });
  });

  it('MC-01 calls tools with long names', async () => {
    const name = 'ä'.repeat(128);
    test.launcher.tools = [{ name, description: '', inputSchema: {} }];
    const { id } = await approve();
    const url = `/v1/mcp/servers/${id}/tools/${encodeURIComponent(name)}/call`;
    expect(await send('POST', url, { body: { arguments: { text: 'x' } } })).toMatchObject({ status: 200 });
  });
});
