import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpLauncher } from '../../../src/adapters/mcp/launcher.ts';
import type { McpConnection, McpFailure, McpLaunch } from '../../../src/ports/mcp-launcher.ts';
import { until } from '../../support/daemon.ts';
import { helper } from '../../support/helpers.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const standIn = helper('stand-in-server');
const packages = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');
const directory = temporaryDirectory();
const client = { name: 'contextd-test', version: '0' };
const times = {
  // In which a busy machine starts a server.
  initializeMs: 30_000,
  listMs: 10_000,
  callMs: 1_500,
  changeMs: 50,
  closeMs: 200,
  termMs: 200,
  pollMs: 20,
};
const launcher = createMcpLauncher({ stateDirectory: directory, client, times });
const impatient = createMcpLauncher({ stateDirectory: directory, client, times: { ...times, initializeMs: 3_000 } });
const quiet = { onEnd() {}, onListChanged() {} };

type Stdio = McpLaunch & { transport: 'stdio' };
const program = (path: string, args: readonly string[] = [], env: Record<string, string> = {}): Stdio => ({
  transport: 'stdio',
  command: process.execPath,
  args: [path, ...args],
  env: { PATH: '/usr/bin:/bin', ...env },
  cwd: directory,
});
const badServer = (mode: string, ...args: string[]) => program(standIn, [mode, ...args]);
const failureOf = (work: Promise<unknown>): Promise<McpFailure> =>
  work.then(
    () => expect.unreachable('it should have failed'),
    (error: { failure: McpFailure }) => error.failure,
  );
const textOf = async (connection: McpConnection, name: string): Promise<unknown> => {
  const { content } = await connection.callTool(name, { arguments: {} });
  return JSON.parse((content[0] as { text: string }).text);
};

afterAll(() => Promise.all([launcher, impatient].map((each) => each.dispose())));

describe('real servers on stdio', () => {
  it('MC-01 speaks with server-everything: tools, resources, prompts, a call', async () => {
    const connection = await launcher.connect(
      program(join(packages, 'server-everything/dist/index.js'), ['stdio']),
      quiet,
    );
    expect(connection.server.name).toMatch(/everything/u);
    expect((await connection.listTools()).map(({ name }) => name)).toContain('echo');
    expect((await connection.listResources()).length).toBeGreaterThan(0);
    expect((await connection.listPrompts()).length).toBeGreaterThan(0);
    const { content } = await connection.callTool('echo', { arguments: { message: 'hello' } });
    expect(content).toEqual([{ type: 'text', text: 'Echo: hello' }]);
    await connection.close();
  });

  it('MC-01 speaks with server-filesystem', async () => {
    const folder = join(directory, 'files');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.txt'), 'what it says');
    const connection = await launcher.connect(
      program(join(packages, 'server-filesystem/dist/index.js'), [folder]),
      quiet,
    );
    const { content } = await connection.callTool('read_text_file', { arguments: { path: join(folder, 'a.txt') } });
    expect(JSON.stringify(content)).toContain('what it says');
    await connection.close();
  });

  it('MC-01 speaks with server-memory', async () => {
    const launch = program(join(packages, 'server-memory/dist/index.js'), [], {
      MEMORY_FILE_PATH: join(directory, 'memory.json'),
    });
    const connection = await launcher.connect(launch, quiet);
    const entities = [{ name: 'contextd', entityType: 'daemon', observations: ['listens'] }];
    await connection.callTool('create_entities', { arguments: { entities } });
    const { content } = await connection.callTool('read_graph', { arguments: {} });
    expect(JSON.stringify(content)).toContain('listens');
    await connection.close();
  });
});

it('MC-01 speaks with a server that knows only the newest revision, which has no handshake', async () => {
  const connection = await launcher.connect(badServer('modern'), quiet);
  expect(connection.server).toMatchObject({ protocolVersion: '2026-07-28', instructions: 'Ask.' });
  expect((await connection.listTools()).map(({ name }) => name)).toContain('env');
  await connection.close();
});

describe('starting a process', () => {
  it('S-23 gives a shell no chance: what looks like one arrives as it is', async () => {
    const args = ['$(touch X)', '`touch X`', '&& touch X', '; touch X', '| tee X', '> X', '*', ' trailing '];
    const connection = await launcher.connect(badServer('well', ...args), quiet);
    expect(await textOf(connection, 'arguments')).toEqual(args);
    await connection.close();
    const failure = await failureOf(launcher.connect({ ...badServer('well'), command: 'echo; touch X' }, quiet));
    expect(failure.code).toBe('not_found');
    expect(() => rmSync(join(directory, 'X'))).toThrow('ENOENT');
  });

  it.each([
    ['a NUL in an argument', { args: ['a\0b'] }],
    ['a NUL in the command', { command: '/bin/true\0' }],
    ['a NUL in a variable', { env: { A: 'a\0b' } }],
    ['a variable whose name is an assignment', { env: { 'LD_PRELOAD=/x.so': '' } }],
    ['a line break in an argument', { args: ['a\nb'] }],
    ['a line break in the command', { command: '/bin/true\r' }],
    ['a batch file', { command: '/tmp/run.cmd' }],
    ['a batch file by another spelling', { command: '/tmp/run.BAT. ' }],
  ])('S-23 refuses %s', async (_, change) => {
    const failure = await failureOf(launcher.connect({ ...badServer('well'), ...change }, quiet));
    expect(failure.code).toBe('refused');
  });

  it('S-24 passes on nothing of its own environment', async () => {
    const canaries = Array.from({ length: 20 }, (_, at) => [`CANARY_${at}`, `canary-${at}-${Math.random()}`] as const);
    for (const [name, value] of canaries) process.env[name] = value;
    try {
      const launch = program(standIn, ['well'], { HOME: '/home/x', LITERAL: '$' + '{CANARY_1}' });
      const connection = await launcher.connect(launch, quiet);
      const env = (await textOf(connection, 'env')) as Record<string, string>;
      expect(Object.keys(env).sort()).toEqual(['CONTEXTD_MCP', 'HOME', 'LITERAL', 'PATH']);
      expect(JSON.stringify(env)).not.toMatch(/canary-/u);
      expect(env.LITERAL).toBe('$' + '{CANARY_1}');
      await connection.close();
    } finally {
      for (const [name] of canaries) delete process.env[name];
    }
  });

  it.for([
    ['exit code 0', badServer('exits', '0'), 'exited', 'code 0'],
    ['exit code 1', badServer('exits', '1'), 'exited', 'code 1'],
    ['a signal', badServer('kills-itself'), 'exited', 'SIGKILL'],
    ['no program', { ...badServer('well'), command: '/nowhere/program' }, 'not_found', '/nowhere/program'],
    ['no directory', { ...badServer('well'), cwd: '/nowhere' }, 'not_found', 'working directory'],
    ['a program that may not be run', { ...badServer('well'), command: standIn }, 'not_executable', 'EACCES'],
  ] as const)('S-29 says what became of a server: %s', async ([, launch, code, words]) => {
    const failure = await failureOf(launcher.connect(launch, quiet));
    expect(failure).toMatchObject({ code, detail: expect.stringContaining(words) });
  });

  it('S-29 says why Node.js could not run a server, not which version it has', async () => {
    const failure = await failureOf(launcher.connect({ ...badServer('well'), args: ['/nowhere/server.js'] }, quiet));
    const detail = expect.stringMatching(
      /code 1\. Its last output: Error: Cannot find module '\/nowhere\/server\.js'$/u,
    );
    expect(failure).toMatchObject({ code: 'exited', detail });
  });

  it('S-26 tells the last words of a server without the secrets it was given', async () => {
    const launch = program(standIn, ['speaks-and-exits'], { PASSWORD: 'open sesame' });
    const { detail } = await failureOf(launcher.connect(launch, quiet));
    expect(detail).toContain('the password is ***');
  });
});

it('S-32 ends with all else a server that is still starting, and starts none afterwards', async () => {
  const ending = createMcpLauncher({ stateDirectory: directory, client, times });
  const failures = [1, 2, 3].map(() => failureOf(ending.connect(badServer('never-answers'), quiet)));
  await delay(300);
  await ending.dispose();
  for (const failure of await Promise.all(failures)) expect(failure.code).toMatch(/exited|cancelled/u);
  expect(await failureOf(ending.connect(badServer('well'), quiet))).toMatchObject({ code: 'cancelled' });
});

it('S-32 ends a server that is shaking hands when its start is called off', async () => {
  const callOff = new AbortController();
  const failure = failureOf(launcher.connect({ ...badServer('never-answers') }, { ...quiet, signal: callOff.signal }));
  await delay(300);
  callOff.abort();
  expect(await failure).toMatchObject({ code: 'cancelled' });
});

it('S-19 asks right before each process whether it may be started', async () => {
  let asked = 0;
  const confirm = async () => {
    asked += 1;
  };
  await (await launcher.connect(badServer('modern'), { ...quiet, confirm })).close();
  expect(asked).toBe(2);
  const mark = join(directory, 'started-unasked');
  const refused = new Error('not any more');
  const touch = { ...program('unused'), command: '/usr/bin/touch', args: [mark] };
  const start = launcher.connect(touch, { ...quiet, confirm: () => Promise.reject(refused) });
  await expect(start).rejects.toBe(refused);
  expect(existsSync(mark)).toBe(false);
});

describe('the SDK', () => {
  it('is not loaded before a server is started', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
      const { createMcpLauncher } = await import(process.argv[1]);
      await createMcpLauncher({ stateDirectory: process.argv[2], client: { name: 'x', version: '0' } }).sweep();
      console.log(seen.join(' '));`;
    const path = join(import.meta.dirname, '../../../src/adapters/mcp/launcher.ts');
    const seen = execFileSync(process.execPath, ['--input-type=module', '-e', script, path, directory], {
      encoding: 'utf8',
    });
    expect(seen).toContain('./processes.ts');
    expect(seen).not.toContain('@modelcontextprotocol');
  });
});

describe('waiting', () => {
  it('S-28 keeps only so much for a server that does not read', async () => {
    const connection = await launcher.connect(badServer('well'), quiet);
    const frozen = failureOf(connection.callTool('freeze', { arguments: {} }));
    const state = () => execFileSync('ps', ['-o', 'stat=', '-p', `${connection.pid}`], { encoding: 'utf8' });
    await until(() => state().startsWith('T'));
    const large = { text: 'x'.repeat(6 * 1024 * 1024) };
    const calls = [1, 2, 3].map(() => failureOf(connection.callTool('hang', { arguments: large })));
    expect(await calls[2]).toEqual({ code: 'limit_exceeded', detail: expect.stringContaining('does not read') });
    await Promise.all([frozen, ...calls, connection.close()]);
  });

  it.concurrent('S-28 gives up on a server that never answers', async () => {
    expect(await failureOf(impatient.connect(badServer('never-answers'), quiet))).toMatchObject({ code: 'timeout' });
  });

  it.concurrent('S-28 gives up on a server that answers byte by byte', async () => {
    expect(await failureOf(impatient.connect(badServer('byte-by-byte'), quiet))).toMatchObject({ code: 'timeout' });
  });

  it.concurrent('S-28 notices an output that is closed while the process lives', async () => {
    const failure = await failureOf(launcher.connect(badServer('closes-output'), quiet));
    expect(failure).toMatchObject({ code: 'protocol', detail: expect.stringContaining('closed its output') });
  });

  it.concurrent('says what a server says instead of MCP', async () => {
    const failure = await failureOf(launcher.connect(badServer('babbles'), quiet));
    expect(failure.detail).toContain('Listening on port 80');
    const connection = await launcher.connect(badServer('greets'), quiet);
    await connection.close();
  });

  it('S-28 gives up on a call, tells the server, and goes on', async () => {
    const connection = await launcher.connect(badServer('well'), quiet);
    expect(await failureOf(connection.callTool('hang', { arguments: {} }))).toMatchObject({ code: 'timeout' });
    const heard = (await textOf(connection, 'received')) as { method: string; requestId?: number }[];
    expect(heard.filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(1);
    await connection.close();
  });

  it('S-28 says in words what of a result is no MCP, and goes on', async () => {
    const connection = await launcher.connect(badServer('well'), quiet);
    const { code, detail } = await failureOf(connection.callTool('wrong', { arguments: {} }));
    expect(code).toBe('protocol');
    expect(detail).toBe('Its answer is not valid: Invalid result for tools/call: content.0: Invalid input');
    expect(await textOf(connection, 'arguments')).toEqual([]);
    await connection.close();
  });

  it('S-28 tells the server when a caller calls off', async () => {
    const connection = await launcher.connect(badServer('well'), quiet);
    const controller = new AbortController();
    const call = failureOf(connection.callTool('hang', { arguments: {}, signal: controller.signal }));
    await textOf(connection, 'received');
    controller.abort();
    expect(await call).toMatchObject({ code: 'cancelled' });
    const heard = (await textOf(connection, 'received')) as { method: string }[];
    expect(heard.some(({ method }) => method === 'notifications/cancelled')).toBe(true);
    await connection.close();
  });

  it('S-28 gives up on a stopped process, and ends it', async () => {
    const connection = await launcher.connect(badServer('well'), quiet);
    expect(await failureOf(connection.callTool('freeze', { arguments: {} }))).toMatchObject({ code: 'timeout' });
    await connection.close();
    expect(() => process.kill(connection.pid ?? 0, 0)).toThrow('ESRCH');
  });

  it('S-28 lets only a hundred requests wait', async () => {
    const connection = await launcher.connect(badServer('well'), quiet);
    const calls = Array.from({ length: 101 }, () => failureOf(connection.callTool('hang', { arguments: {} })));
    expect(await calls[100]).toMatchObject({ code: 'limit_exceeded' });
    await connection.close();
    await Promise.all(calls);
  });
});

describe('what a server does later', () => {
  let connection: McpConnection;
  const ends: McpFailure[] = [];
  const changes: string[] = [];
  beforeAll(async () => {
    const handlers = {
      onEnd: (failure: McpFailure) => ends.push(failure),
      onListChanged: (list: string) => changes.push(list),
    };
    connection = await launcher.connect(badServer('well'), handlers);
  });

  it('MC-04 tells once of many changes', async () => {
    await textOf(connection, 'announce');
    await until(() => changes.length > 0);
    expect(changes).toEqual(['tools']);
  });

  it('runs no pattern of a server on what it answers', async () => {
    expect((await connection.listTools()).find(({ name }) => name === 'pattern')?.outputSchema).toBeDefined();
    const { structuredContent } = await connection.callTool('pattern', { arguments: {} });
    expect(structuredContent).toEqual({ text: `${'a'.repeat(40)}!` });
  });

  it('passes on that a request is answered with an error, as plain text', async () => {
    const failure = await failureOf(connection.callTool('fail', { arguments: {} }));
    const detail = expect.stringMatching(/-32602.*no {1,2}\[31msuch thing/u);
    expect(failure).toEqual({ code: 'rejected', detail, rpcCode: -32_602 });
  });

  it('S-29 tells once that a process ended', async () => {
    expect(await failureOf(connection.callTool('die', { arguments: {} }))).toMatchObject({ code: 'exited' });
    expect(ends).toEqual([{ code: 'exited', detail: expect.stringContaining('code 7') }]);
    expect(await failureOf(connection.listTools())).toMatchObject({ code: 'exited' });
  });
});
