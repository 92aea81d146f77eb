/** What MCP servers of the real daemon get, and where it calls none (S-24, S-27). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { helper } from '../support/helpers.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const standIn = helper('stand-in-server');
const workspace = temporaryDirectory();
mkdirSync(join(workspace, '.context'));

/** Defines one server, approves and starts it; returns its id with the answer to the start. */
async function startServer(daemon: TestDaemon, server: object) {
  writeFileSync(join(workspace, '.context/config.json'), JSON.stringify({ mcpServers: { only: server } }));
  const query = new URLSearchParams({ mountedDirectory: workspace });
  const { body } = await daemon.request(`/v1/mcp/servers?${query}`);
  const [listed] = (body as { servers: { id: string; fingerprint: string }[] }).servers;
  if (listed === undefined) throw new Error('no server is listed');
  await daemon.request('/v1/mcp/approvals', { body: { fingerprint: listed.fingerprint } });
  return { id: listed.id, ...(await daemon.request(`/v1/mcp/servers/${listed.id}/start`, { method: 'POST' })) };
}

it('S-24 gives servers nothing of the environment of the daemon but what programs need', async () => {
  const canaries = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`CANARY_${at}`, `canary-${at}`]));
  const key = { CONTEXTD_EMBEDDER_KEY: 'canary-key' };
  await using daemon = await startDaemon({ grantRoots: [workspace], env: { ...canaries, ...key, TERM: 'dumb' } });
  const env = { OWN: 'approved', LITERAL: `$${'{CANARY_1}'}` };
  const { id, status } = await startServer(daemon, { command: process.execPath, args: [standIn, 'well'], env });
  expect(status).toBe(200);
  const answer = await daemon.request(`/v1/mcp/servers/${id}/tools/env/call`, { body: { arguments: {} } });
  expect(answer.status, answer.text).toBe(200);
  const { content } = answer.body as { content: { text: string }[] };
  const got = JSON.parse(content[0]?.text ?? '') as Record<string, string>;
  expect(Object.keys(got).sort()).toEqual(['CONTEXTD_MCP', 'HOME', 'LITERAL', 'OWN', 'PATH', 'TERM']);
  expect(got).toMatchObject({ LITERAL: `$${'{CANARY_1}'}`, OWN: 'approved', TERM: 'dumb' });
  expect(answer.text).not.toContain('canary-');
});

it('S-27 calls neither itself nor a metadata service', async () => {
  await using daemon = await startDaemon({ grantRoots: [workspace] });
  for (const url of [`${daemon.url}/mcp`, `http://localhost:${daemon.port}/mcp`, 'http://169.254.169.254/']) {
    const { status, text } = await startServer(daemon, { url });
    expect(status, text).toBe(502);
    expect(text).toMatch(/daemon itself|metadata/u);
  }
});
