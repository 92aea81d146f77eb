/** What is approved is what runs: the real daemon, real programs, and files that are swapped in between (S-18, S-22, S-26). */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { McpServerEntry } from '../../src/mcp/server-requests.ts';
import { sendRequest, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { listServers } from '../support/list-servers.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let outside: string;
let project: string;
let daemon: TestDaemon;
const good = () => join(outside, 'GOOD');
const mark = () => join(outside, 'MARK');
const write = (path: string, content: string) => {
  writeTree(project, { [path]: content });
  chmodSync(join(project, path), 0o755);
};
let defined = 0;
/** Under a name of its own: how often a server may be started is counted by name. */
const defineOne = (server: object) => define({ [`server${++defined}`]: server });
const define = (mcpServers: object) => write('.context/context-config.json', JSON.stringify({ mcpServers }));
const list = async (token = daemon.token): Promise<McpServerEntry[]> =>
  (await listServers({ url: daemon.url, token }, project)).servers;
const one = async () => (await list())[0] as McpServerEntry;
const post = (path: string, body: object = {}) => daemon.request(path, { method: 'POST', body });
const approve = async () => {
  const shown = await one();
  expect(await post('/v1/mcp/approvals', { fingerprint: shown.fingerprint })).toMatchObject({ status: 200 });
  return shown;
};
const start = ({ id }: { id: string }) => post(`/v1/mcp/servers/${id}/start`);
const isInstalled = (program: string) => {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }) !== '';
  } catch {
    return false;
  }
};

beforeAll(async () => {
  outside = temporaryDirectory();
  project = join(outside, 'project');
  mkdirSync(project);
  daemon = await startDaemon({ grantRoots: [project] });
});
beforeEach(() => {
  rmSync(project, { recursive: true, force: true });
  for (const path of [good(), mark()]) rmSync(path, { force: true });
  mkdirSync(project);
});
afterAll(() => daemon.stop());

const shell = (path: string) => `#!/bin/sh\ntouch '${path}'\n`;
const script = (path: string) => `require('fs').writeFileSync(${JSON.stringify(path)}, '')`;
const python = (path: string) => `open(${JSON.stringify(path)}, 'w')\n`;
const make = (path: string) => `serve:\n\t@touch '${path}'\n`;
const npm = (path: string) => JSON.stringify({ name: 'p', scripts: { serve: `touch '${path}'` } });

const node = process.execPath;
type Server = { command: string; args?: string[]; env?: Record<string, string> };
type Swap = [
  what: string,
  server: () => Server,
  path: string,
  content: (mark: string) => string,
  proof?: 'missing' | 'none',
];

/** Each is proven to run what is swapped, but for those that are not run here, and for a file that is not there at first. */
const swaps: Swap[] = [
  ['env -C', () => ({ command: 'env', args: ['-C', 'tools', './run.sh'] }), 'tools/run.sh', shell],
  ['env PATH=', () => ({ command: 'env', args: ['PATH=./tools:/usr/bin:/bin', 'run.sh'] }), 'tools/run.sh', shell],
  ['git -c alias', () => ({ command: 'git', args: ['-c', 'alias.x=!./pre.sh', 'x'] }), 'pre.sh', shell],
  [
    'NODE_OPTIONS',
    () => ({ command: node, args: ['-e', '0'], env: { NODE_OPTIONS: '--require ./pre.js' } }),
    'pre.js',
    script,
  ],
  ['sh -c cd', () => ({ command: 'sh', args: ['-c', 'cd tools && ./run.sh'] }), 'tools/run.sh', shell],
  ['$PWD', () => ({ command: 'bash', args: ['-c', '$PWD/pre.sh'] }), 'pre.sh', shell],
  ['a glob', () => ({ command: 'bash', args: ['-c', './t*/r?n.sh'] }), 'tools/run.sh', shell],
  [
    'BASH_ENV',
    () => ({ command: 'bash', args: ['-c', ':'], env: { BASH_ENV: './pre.sh', SHLVL: '2' } }),
    'pre.sh',
    shell,
  ],
  ['python -m', () => ({ command: 'python3', args: ['-m', 'pkg'] }), 'pkg/__main__.py', python],
  ['a module for python -m', () => ({ command: 'python3', args: ['-m', 'this'] }), 'this.py', python, 'missing'],
  ['make -C', () => ({ command: 'make', args: ['-C', 'tools', 'serve'] }), 'tools/Makefile', make],
  ['npm --prefix', () => ({ command: 'npm', args: ['--prefix', 'tools', 'run', 'serve'] }), 'tools/package.json', npm],
  ['npx of the project', () => ({ command: 'npx', args: ['-y', 'served'] }), 'node_modules/.bin/served', shell],
  ['a program of the project', () => ({ command: './tools/run.sh' }), 'tools/run.sh', shell],
  ['a script', () => ({ command: node, args: ['./srv.js'] }), 'srv.js', script],
  ['java @file', () => ({ command: 'java', args: ['@options'] }), 'options', (path) => `-version:${path}`, 'none'],
  ['flask run', () => ({ command: 'flask', args: ['run'] }), 'app.py', python],
  ['pytest', () => ({ command: 'pytest' }), 'conftest.py', python, 'none'],
  ['nodemon', () => ({ command: 'nodemon' }), 'nodemon.json', (path) => `{"exec":"touch ${path}"}`],
  ['gradle', () => ({ command: 'gradle' }), 'build.gradle', (path) => `new File('${path}').text = ''`],
  ['dotnet', () => ({ command: 'dotnet', args: ['run'] }), 'x.csproj', (path) => `<Project>${path}</Project>`],
  ['nix', () => ({ command: 'nix', args: ['run'] }), 'flake.nix', (path) => `{ x = "${path}"; }`],
  ['uv --directory', () => ({ command: 'uv', args: ['--directory', 'tools', 'run', 'x'] }), 'tools/x.py', python],
];

describe('a file that is swapped after the approval', () => {
  it.for(swaps)('S-18 S-22 is not run: %s', { timeout: 60_000 }, async ([, server, path, content, proof]) => {
    write('tools/other.txt', 'other');
    const isMissing = proof === 'missing';
    const isProven = proof === undefined;
    if (!isMissing) write(path, content(good()));
    defineOne(server());
    const shown = await approve();
    if (isProven && isInstalled(server().command)) {
      // It is really run, and no MCP server, which is told as what failed.
      expect([502, 504]).toContain((await start(shown)).status);
      expect(existsSync(good())).toBe(true);
    }
    // What a program wrote of its own below its directory is looked at like anything else.
    if ((await one()).state === 'needs_approval') await approve();
    write(path, content(mark()));
    const refused = await start(shown);
    expect(refused).toMatchObject({ status: 403, body: { code: 'approval_required' } });
    expect(existsSync(mark())).toBe(false);
    const now = await one();
    expect(now).toMatchObject({ state: 'needs_approval', reason: { code: 'approval_stale' } });
    const changed = now.changes?.map(({ field }) => field) ?? [];
    expect(changed.some((field) => field.endsWith(`/${path}`))).toBe(true);
    const stale = await post('/v1/mcp/approvals', { fingerprint: shown.fingerprint });
    expect([404, 409]).toContain(stale.status);
  });
});

describe('approvals of the real daemon', () => {
  const serverThatSwaps = (file: string) => `
    const { readFileSync, writeFileSync } = require('node:fs');
    writeFileSync(${JSON.stringify(file)}, 'other');
    let held = '';
    process.stdin.on('data', (chunk) => {
      held += chunk;
      for (let at = held.indexOf('\\n'); at >= 0; at = held.indexOf('\\n')) {
        const { id, method, params } = JSON.parse(held.slice(0, at));
        held = held.slice(at + 1);
        if (id === undefined) continue;
        const result = method === 'initialize'
          ? { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } }
          : {};
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      }
    });`;

  it.each([
    ['file', './srv.js', 'srv.js'],
    ['directory', './lib/srv.js', 'lib'],
  ])('S-18 S-22 end when a link to a %s that is not granted leads elsewhere', async (_what, named, link) => {
    for (const [directory, path] of Object.entries({ first: good(), second: mark() })) {
      mkdirSync(join(outside, directory), { recursive: true });
      writeFileSync(join(outside, directory, 'srv.js'), script(path));
    }
    const leadTo = (directory: string) => {
      rmSync(join(project, link), { force: true });
      symlinkSync(join(outside, directory, link === 'lib' ? '' : 'srv.js'), join(project, link));
    };
    leadTo('first');
    defineOne({ command: node, args: [named] });
    const shown = await approve();
    expect((await start(shown)).status).toBe(502);
    expect(existsSync(good())).toBe(true);
    leadTo('second');
    expect(await start(shown)).toMatchObject({ status: 403, body: { code: 'approval_required' } });
    expect(existsSync(mark())).toBe(false);
    const [before, after] = ['first', 'second'].map((directory) => join(outside, directory, 'srv.js'));
    expect((await one()).changes).toEqual([{ field: `links.${join(project, named)}`, before, after }]);
  });

  it('S-18 S-19 compare once more before a server counts as ready', async () => {
    writeFileSync(join(outside, 'swaps.cjs'), serverThatSwaps(join(project, 'lib.sh')));
    write('lib.sh', 'one');
    defineOne({ command: 'sh', args: ['-c', `exec '${node}' '${join(outside, 'swaps.cjs')}'`] });
    const shown = await approve();
    expect(await start(shown)).toMatchObject({ status: 403, body: { code: 'approval_required' } });
    expect(await one()).toMatchObject({ state: 'needs_approval', reason: { code: 'approval_stale' } });
    // The proof that it was this: what it writes is there by now.
    await approve();
    expect(await start(shown)).toMatchObject({ status: 200, body: { state: 'ready' } });
    expect(await post(`/v1/mcp/servers/${shown.id}/stop`)).toMatchObject({ status: 200 });
  }, 60_000);

  it('S-18 outlive what does not run: a new dependency, a database that is written, a directory', async () => {
    writeFileSync(join(outside, 'plain.cjs'), serverThatSwaps(join(project, 'data.db')));
    write('data.db', 'one');
    write('package.json', '{"name":"p"}');
    defineOne({ command: node, args: [join(outside, 'plain.cjs'), './data.db', '.'] });
    const shown = await approve();
    expect(shown).not.toHaveProperty('unverifiable');
    write('package.json', '{"name":"p","dependencies":{"x":"1"}}');
    for (let run = 0; run < 2; run += 1) {
      expect(await start(shown)).toMatchObject({ status: 200, body: { state: 'ready' } });
      expect(await post(`/v1/mcp/servers/${shown.id}/stop`)).toMatchObject({ status: 200 });
    }
  }, 60_000);

  it('S-18 are possible for programs of any size', async () => {
    write('big.js', script(good()));
    truncateSync(join(project, 'big.js'), 100 * 1024 * 1024);
    expect(statSync(join(project, 'big.js')).size).toBeGreaterThan(64 * 1024 * 1024);
    defineOne({ command: node, args: ['./big.js'] });
    const shown = await approve();
    expect(shown).toMatchObject({ approvable: true, files: [{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) }] });
    const before = shown.files[0]?.sha256;
    write('big.js', script(mark()));
    truncateSync(join(project, 'big.js'), 100 * 1024 * 1024);
    expect(await start(shown)).toMatchObject({ status: 403 });
    expect((await one()).files[0]?.sha256).not.toBe(before);
  }, 60_000);

  it('S-26 show agents no arguments, values or paths of addresses', async () => {
    const remote = { url: 'https://a.example/s/canary-path/mcp?k=canary-q', headers: { authorization: 'canary-h' } };
    const local = {
      command: node,
      args: ['--token', 'canary-a'],
      env: { PIN: 'canary-e', NODE_OPTIONS: '--canary-o' },
    };
    define({ local, remote });
    const { token } = (await post('/v1/tokens', { label: 'runtime', scope: 'agent' })).body as { token: string };
    for (const { fingerprint } of await list()) await post('/v1/mcp/approvals', { fingerprint });
    define({ local: { ...local, args: ['--token', 'canary-b'] }, remote: { ...remote, url: `${remote.url}2` } });
    await daemon.request('/v1/agents/secretive', {
      method: 'PUT',
      body: { name: 'A', mountedDirectory: project, mcpServers: { own: local, other: remote } },
    });
    const asked = async (path: string, body?: object) => {
      const options = { headers: { authorization: `Bearer ${token}` }, ...(body && { method: 'POST', body }) };
      const { status, text } = await sendRequest(`${daemon.url}${path}`, options);
      expect([path, status]).toEqual([path, 200]);
      return text;
    };
    const listed = await list(token);
    expect(listed[0]).toMatchObject({ command: [node, '***', '***'], env: { PIN: '***', NODE_OPTIONS: '***' } });
    expect(listed[0]?.changes).toEqual([{ field: 'args.1', before: '***', after: '***' }]);
    expect(listed[1]).toMatchObject({ url: 'https://a.example/***', headers: { authorization: '***' } });
    const everything = [
      JSON.stringify(listed),
      await asked('/v1/context/resolve', { mountedDirectory: project }),
      await asked('/v1/agents/secretive'),
      await asked('/v1/mcp/servers?agentId=secretive'),
    ].join('\n');
    expect(everything).not.toContain('canary');
    expect((await list())[0]?.command).toEqual([node, '--token', 'canary-b']);
    expect((await list())[0]?.env).toEqual({ PIN: '***', NODE_OPTIONS: '--canary-o' });
  }, 60_000);

  it('S-25 SY-04 say on the command line why what runs cannot be followed', async () => {
    write('pre.js', 'x');
    defineOne({ command: node, args: ['/x.js'], env: { NODE_OPTIONS: '--require ./pre.js', PIN: '4711' } });
    const { stdout } = await until(() => daemon.cli(['mcp', 'list'], { cwd: project }));
    expect(stdout).toContain(
      `contextd cannot follow what it runs (NODE_OPTIONS changes what programs load or find), so any change of a file below ${project} needs a new approval.`,
    );
    expect(stdout).toContain('NODE_OPTIONS=--require ./pre.js');
    expect(stdout).toContain('PIN=***');
  });
});
