/**
 * Secrets planted wherever the daemon meets some, and all kinds of traffic at trace level, forced errors and a crash
 * included: none of them is in a log, a metric, an answer, an event, the document or the database, but where exactly that
 * was asked for (S-09, S-26).
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Answer, type RequestOptions, startDaemon, until } from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let directory: string;
let project: string;
beforeEach(() => {
  directory = temporaryDirectory();
  project = join(directory, 'project');
});

/** By where they are: that is what a failure names. */
const planted = new Map<string, string>();
function plant(where: string): string {
  const canary = `c4n4ry${planted.size}x${Math.random().toString(36).slice(2, 14)}`;
  planted.set(where, canary);
  return canary;
}

const sensitive = ['.env', '.env.local', 'id_rsa', 'server.pem', '.npmrc', '.netrc', '.aws/credentials', 'secrets.key'];

function writeProject(): void {
  const server = (name: string) => ({
    command: process.execPath,
    args: [join(project, 'server.mjs')],
    env: { API_KEY: plant(`env of server ${name}`), OTHER: plant(`second env of server ${name}`) },
  });
  const remote = (name: string) => ({
    url: `http://user:${plant(`password of ${name}`)}@127.0.0.1:9/mcp?key=${plant(`query of ${name}`)}`,
    headers: { Authorization: `Bearer ${plant(`header of ${name}`)}`, 'X-Key': plant(`second header of ${name}`) },
  });
  const mcpServers = { one: server('one'), two: server('two'), far: remote('far'), away: remote('away') };
  const files: Record<string, string> = {
    // Says its secrets wherever it can, and dies of it.
    'server.mjs': `console.error(JSON.stringify(process.env)); console.log(process.env.API_KEY); process.exit(3);`,
    '.context/rule.md': '---\ntrigger: always\n---\nUse tabs.\n',
    '.context/context-config.json': JSON.stringify({ clientContext: { includeFiles: ['**/*'] }, mcpServers }),
    '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["**/blocked*"]\n',
    'src/main.ts': "import './blocked-import.ts';\nexport const main = 1;\n",
    'src/blocked-import.ts': `export const secret = '${plant('blocked import')}';\n`,
    '.context/blocked.md': `---\ntrigger: always\n---\n${plant('blocked rule')}\n`,
    'docs/blocked.md': plant('blocked document'),
    '../outside.md': plant('file outside the roots'),
    '../home/.context/context-config.json': JSON.stringify({ mcpServers: { global: server('global') } }),
  };
  for (const name of sensitive) files[`.context/${name}`] = plant(`sensitive file ${name}`);
  for (const name of sensitive) files[`src/${name}`] = plant(`sensitive file src/${name}`);
  writeTree(project, files);
}

/** Errors nobody foresaw, with the token in them: one that is answered 500 while the file is there, one that ends the process. */
function writePreload(state: string): { preload: string; failing: string } {
  const [preload, failing] = [join(directory, 'preload.mjs'), join(directory, 'failing')];
  const text = `
    import { existsSync, readFileSync } from 'node:fs';
    const token = () => JSON.parse(readFileSync(${JSON.stringify(join(state, 'daemon.json'))}, 'utf8')).token;
    const { memoryUsage } = process;
    process.memoryUsage = () => {
      if (existsSync(${JSON.stringify(failing)})) throw Object.assign(new Error('failed with ' + token()), { token: token() });
      return memoryUsage.call(process);
    };
    process.on('SIGUSR2', () => {
      throw Object.assign(new Error('crash with ' + token()), { deep: { token: token() } });
    });`;
  writeFileSync(preload, text);
  return { preload, failing };
}

it('S-09 S-26 fifty planted secrets are found nowhere but where they were asked for', async () => {
  writeProject();
  const state = join(directory, 'state');
  planted.set('path of the database', join(state, 'contextd.db'));
  const { preload, failing } = writePreload(state);
  const daemon = await startDaemon({
    stateDirectory: state,
    grantRoots: [project],
    args: [
      '--log-level',
      'trace',
      '--slow-request',
      '1',
      '--global-context-path',
      join(directory, 'home'),
      '--offline',
    ],
    nodeOptions: ['--import', preload],
    env: { CANARY: plant('environment of the daemon'), AWS_SECRET_ACCESS_KEY: plant('cloud key in the environment') },
  });
  planted.set('token', daemon.token);

  /** What comes out, apart from what was asked for. */
  const heard: string[] = [];
  const told = async (path: string, options: RequestOptions = {}): Promise<Answer> => daemon.request(path, options);
  const ask = async (path: string, options: RequestOptions = {}): Promise<Answer> => {
    const answer = await told(path, options);
    heard.push(`${path.split('?')[0]} ${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text}`);
    return answer;
  };
  const stream = await openEventStream(daemon);

  // Secrets that the daemon makes, each shown once to who asks for it.
  const minted = await told('/v1/tokens', { body: { label: 'runtime', scope: 'agent' } });
  planted.set('token for agents', (minted.body as { token: string }).token);
  const code = (await told('/v1/console/codes', { method: 'POST' })).body as {
    code: string;
    url: string;
  };
  planted.set('code of the console', code.code);
  const atConsole = { headers: { host: new URL(code.url).host }, body: { code: code.code } };
  const session = await told('/v1/console/sessions', atConsole);
  expect([minted.status, session.status]).toEqual([201, 201]);
  planted.set('token of the console', (session.body as { token: string }).token);
  await ask('/v1/console/sessions', atConsole);
  const unused = (await told('/v1/console/codes', { method: 'POST' })).body as { code: string };
  planted.set('unused code', unused.code);

  // What an agent is given is stored, and shown to nobody.
  const ofAgent = { env: plant('env of an agent'), header: plant('header of an agent') };
  const mcpServers = {
    local: { command: 'node', args: [], env: { KEY: ofAgent.env } },
    remote: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: ofAgent.header } },
  };
  const agent = { name: 'Keeper', mountedDirectory: project, mcpServers };
  await ask('/v1/agents/keeper', { method: 'PUT', body: agent });
  for (const path of ['', '/items', '/export', '/usage']) await ask(`/v1/agents/keeper${path}`);
  const made = await ask('/v1/sessions', { body: { agentId: 'keeper' } });
  const sessionId = (made.body as { id: string }).id;
  const mentions = ['blocked', 'docs/blocked.md', '.context/.env', '../outside.md', join(directory, 'outside.md')];
  await ask(`/v1/sessions/${sessionId}/requests`, { body: { message: 'Hello', mentions } });

  // The workspace, by every way in.
  const mount = { mountedDirectory: project };
  const query = `mountedDirectory=${encodeURIComponent(project)}`;
  const tabs = [...sensitive.map((name) => `src/${name}`), 'docs/blocked.md', '../outside.md'];
  await ask('/v1/context/resolve', {
    body: { ...mount, mentions: [...mentions, ...tabs], files: tabs, query: 'secret' },
  });
  await ask('/v1/context/explain', { body: { ...mount, mentions: [...mentions, ...tabs] } });
  await ask('/v1/config/validate', { body: mount });
  await ask('/v1/retrieve', {
    body: { ...mount, activeDocument: { path: 'src/main.ts' }, openTabs: tabs, query: 'secret' },
  });
  await ask('/v1/policy/check', { body: { ...mount, paths: tabs } });
  await ask(`/v1/policy?${query}`);
  await ask('/v1/workspace/files/search', { body: { ...mount, query: 'env' } });
  await ask('/v1/search', { body: { ...mount, query: 'secret' } });
  for (const path of tabs) await ask('/v1/supplementary', { body: { ...mount, kind: 'file', path } });
  for (const outside of [state, join(state, 'daemon.json'), directory]) {
    await ask('/v1/context/resolve', { body: { mountedDirectory: outside } });
    await ask('/v1/context/resolve', { body: { ...mount, mentions: [join(outside, 'daemon.json')] } });
  }

  // Its servers: shown, approved, started, failing.
  type Servers = { servers: { id: string; name: string; fingerprint: string }[] };
  const listed = await ask(`/v1/mcp/servers?${query}`);
  const { servers } = listed.body as Servers;
  expect(servers.map(({ name }) => name).sort()).toEqual(['away', 'far', 'global', 'one', 'two']);
  for (const { id, fingerprint } of servers) {
    await ask('/v1/mcp/approvals', { body: { fingerprint } });
    await ask(`/v1/mcp/servers/${id}/start`, { method: 'POST' });
    await ask(`/v1/mcp/servers/${id}/tools`);
  }
  await ask(`/v1/mcp/servers?${query}`);

  // What clients send where it does not belong.
  const headers = Object.fromEntries(
    ['cookie', 'user-agent', 'referer', 'x-api-key', 'x-forwarded-for'].map((name) => [name, plant(`header ${name}`)]),
  );
  const inQuery = plant('query');
  const inPath = plant('path');
  const document = await ask('/openapi.json');
  const { paths } = document.body as { paths: Record<string, Record<string, { operationId: string }>> };
  const echoed: string[] = [];
  // Beside those of each operation.
  expect(planted.size).toBeGreaterThanOrEqual(50);
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId }] of Object.entries(methods)) {
      // The export is meant to hold what agents have.
      if (['shutDown', 'streamEvents', 'streamMcp', 'exportState'].includes(operationId)) continue;
      const named = path.replaceAll(/\{\w+\}/gu, 'x');
      const { text } = await told(`${named}?key=${inQuery}`, { method: method.toUpperCase(), headers });
      echoed.push(text);
      const bad = await told(`${named}/${inPath}`, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${plant(`bad token of ${operationId}`)}` },
      });
      echoed.push(bad.text);
    }

  // Errors nobody foresaw.
  writeFileSync(failing, '');
  expect([(await ask('/v1/status')).status, (await ask('/metrics')).status]).toEqual([500, 500]);
  rmSync(failing);
  expect([(await ask('/v1/status')).status, (await ask('/metrics')).status]).toEqual([200, 200]);
  heard.push(...echoed);
  stream.close();
  const events = stream.text();
  expect(events).toContain('event: agent-changed\n');
  expect(events).toContain('event: mcp-state-changed\n');
  daemon.process.child.kill('SIGUSR2');
  const {
    code: exitCode,
    stdout,
    stderr,
  } = await until(() => (daemon.process.output.code === null ? undefined : daemon.process.output));
  await daemon.stop();
  expect(exitCode).toBe(70);
  expect(stderr).toContain('crash with [token]');
  expect(stderr).toContain('failed with [token]');

  const sinks: Record<string, string> = { log: stdout + stderr, answers: heard.join('\n'), events };
  for (const name of readdirSync(state).filter(
    (each) => each !== 'daemon.json' && !/^(?:compile-cache|models|contextd\.sock)$/u.test(each),
  ))
    sinks[name] = readFileSync(join(state, name), 'latin1');
  expect(Object.keys(sinks)).toContain('contextd.db');
  // The daemon starts the servers of an agent with them.
  const isMeant = (sink: string, where: string): boolean =>
    sink.startsWith('contextd.db') && where.endsWith('of an agent');
  const found = Object.entries(sinks).flatMap(([sink, text]) =>
    [...planted]
      .filter(([where, canary]) => text.includes(canary) && !isMeant(sink, where))
      .map(([where]) => `${sink}: ${where}`),
  );
  expect(found).toEqual([]);
  // They would be found: what the daemon has to keep is.
  expect(`${sinks['contextd.db']}${sinks['contextd.db-wal']}`.includes(ofAgent.env)).toBe(true);
}, 120_000);
