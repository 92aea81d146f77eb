/** The files of a running daemon are replaced, as by `npm install -g` of another version. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runContextd, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const tested = process.env.CONTEXTD_TESTED_PROGRAM ?? '';
const root = join(import.meta.dirname, '../..');
const mended = /files of contextd were replaced or removed .* start it again/u;

let base: string;
let dist: string;
let entry: string;
let workspace: string;
beforeEach(() => {
  base = temporaryDirectory();
  dist = join(base, 'contextd/dist');
  entry = join(dist, 'contextd.js');
  workspace = join(base, 'workspace');
  cpSync(dirname(tested), dist, { recursive: true });
  cpSync(join(root, 'package.json'), join(dist, '../package.json'));
  mkdirSync(join(workspace, '.context'), { recursive: true });
  writeFileSync(join(workspace, '.context/style.md'), '---\ntrigger: always\n---\nUse tabs.\n');
  writeFileSync(join(workspace, 'a.ts'), "import { b } from './b.ts';\nb();\n");
});

const start = () => startDaemon({ entry, grantRoots: [workspace], stateDirectory: join(base, 'state') });
const isPart = (name: string) => /-[\w-]{8}\.js$/u.test(name);

/** The same program with other names of its parts in the place of the present one. */
function replaceProgram(): void {
  const other = join(base, 'other');
  mkdirSync(other);
  const otherName = (part: string) => part.replace(/[\w-]{8}(?=\.js$)/u, (hash) => [...hash].reverse().join(''));
  const renamed = (text: string) =>
    text.replaceAll(/[\w.-]+-[\w-]{8}\.js/gu, (name) => (parts.has(name) ? otherName(name) : name));
  const parts = new Set(readdirSync(dist).filter(isPart));
  for (const name of readdirSync(dist)) {
    if (name.endsWith('.js'))
      writeFileSync(join(other, renamed(name)), renamed(readFileSync(join(dist, name), 'utf8')));
    else renameSync(join(dist, name), join(other, name));
  }
  rmSync(dist, { recursive: true });
  renameSync(other, dist);
}

it('PK-03 ends in order when its program is replaced, says why, and the next start is that of the new one', async () => {
  const daemon = await start();
  const body = JSON.stringify({ path: workspace });
  const socket = connect(daemon.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => (answer += text));
  const head = `POST /v1/roots HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${daemon.token}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  // Answered after the head of the other request has arrived.
  await daemon.request('/health');

  replaceProgram();
  await until(() => !existsSync(join(daemon.stateDirectory, 'daemon.json')));
  expect(daemon.process.output.code).toBeNull();
  socket.write(body.slice(5));
  expect(await daemon.process.exited).toMatchObject({ code: 69, stderr: expect.stringMatching(mended) });
  expect(answer).toMatch(/^HTTP\/1.1 20[01] /u);

  const place = { entry, env: { HOME: base } };
  const found = await runContextd(['ensure', '--port', '0', '--state-dir', daemon.stateDirectory, '--json'], place);
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(found.stdout).pid).not.toBe(daemon.process.child.pid);
  expect(await runContextd(['stop', '--state-dir', daemon.stateDirectory], place)).toMatchObject({ code: 0 });
  await daemon.stop();
});

it('PK-03 what needs a part that is gone is unavailable, and nothing is an unexpected error', async () => {
  const daemon = await start();
  // The part by which it knows that it is there.
  removeAllBut(/^daemon-/u);
  const refused = await askAll(daemon);
  // What was loaded when it started.
  expect(refused).not.toContain('/v1/context/resolve');
  expect(refused).toEqual(
    expect.arrayContaining(['/v1/retrieve', '/v1/context', '/v1/status', '/docs/swagger-ui.css']),
  );

  // Nobody waits for what is watched.
  await daemon.request('/v1/events', { headers: { accept: 'text/event-stream' } }).catch(() => undefined);
  const { code, stderr } = await daemon.process.exited;
  expect([code, stderr]).toEqual([69, expect.stringMatching(mended)]);
  expect(stderr).toContain('"msg":"stopped"');
  await daemon.stop();
});

function removeAllBut(kept: RegExp): void {
  for (const name of readdirSync(dist)) if (!kept.test(name)) rmSync(join(dist, name), { recursive: true });
}

/** Asks for something of each part; returns the paths that are refused. */
async function askAll(daemon: TestDaemon): Promise<string[]> {
  const here = { mountedDirectory: workspace };
  const place = `mountedDirectory=${encodeURIComponent(workspace)}`;
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const accept = { accept: 'application/json, text/event-stream' };
  const asked: Record<string, { method?: string; body?: object; headers?: Record<string, string> }> = {
    '/v1/context/resolve': { body: here },
    '/v1/context': { body: { ...here, query: 'tabs' } },
    '/v1/context/explain': { body: here },
    '/v1/context/convert': { body: { ...here, to: 'cursor' } },
    '/v1/retrieve': { body: { ...here, activeDocument: { path: 'a.ts' } } },
    '/v1/search': { body: { ...here, query: 'tabs' } },
    '/v1/config/validate': { body: here },
    '/v1/schemas/context-config': {},
    '/v1/policy/check': { body: { ...here, paths: ['a.ts'] } },
    '/v1/workspace/files/search': { body: { ...here, query: 'a' } },
    [`/v1/supplementary?${place}`]: {},
    [`/v1/mcp/servers?${place}`]: {},
    '/v1/agents/a': { method: 'PUT', body: { name: 'A', ...here } },
    '/v1/sessions': { body: { agentId: 'a' } },
    '/v1/hooks/claude-code': { body: { hook_event_name: 'UserPromptSubmit', prompt: 'tabs', cwd: workspace } },
    '/mcp': { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }, headers: accept },
    '/v1/status': {},
    '/v1/roots': {},
    '/metrics': {},
    '/': {},
    '/docs': {},
    '/docs/swagger-ui.css': {},
    '/openapi.json': {},
    '/health': {},
  };
  const refused: string[] = [];
  // All at once: a daemon whose program is gone soon stops.
  const ask = async (path: string): Promise<void> => {
    const { status, body, headers } = await daemon.request(path, asked[path]);
    if (status < 500) return;
    refused.push(path);
    expect([path, status, body]).toEqual([path, 503, expect.objectContaining({ code: 'unavailable' })]);
    if (!path.startsWith('/docs/')) expect([path, headers['retry-after']]).toEqual([path, '1']);
  };
  await Promise.all(Object.keys(asked).map(ask));
  return refused;
}
