/** A project in which a mount lies whose server never answers (S-40, S-71). Needs a machine that lets us mount one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownProcess, runContextd, startDaemon, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

/** A FUSE file system that reads no request. It ends with its input. */
const silentFileSystem = `
import ctypes, os, sys
libc, directory = ctypes.CDLL(None), sys.argv[1].encode()
server = os.open('/dev/fuse', os.O_RDWR)
options = f'fd={server},rootmode=40000,user_id=0,group_id=0,allow_other'.encode()
if libc.mount(b'silent', directory, b'fuse', 0, options) != 0: sys.exit(1)
print('mounted', flush=True)
sys.stdin.read()
libc.umount2(directory, 2)
`;

const project = join(temporaryDirectory(), 'project');
const dead = join(project, 'dead');
let server: ChildProcess;
let isMounted = false;
beforeAll(async () => {
  for (const directory of ['.context', 'near', 'dead']) mkdirSync(join(project, directory), { recursive: true });
  writeFileSync(join(project, '.context/rule.md'), '---\ntrigger: always\n---\nUse tabs.\n');
  writeFileSync(join(project, 'near/cart.ts'), 'export const cart = [];\n');
  server = spawn('python3', ['-c', silentFileSystem, dead], { stdio: ['pipe', 'pipe', 'ignore'] });
  isMounted = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).once('exit', () => resolve(false));
    server.stdout?.once('data', () => resolve(true));
  });
});
afterAll(async () => {
  server.stdin?.end();
  await until(() => server.pid === undefined || server.exitCode !== null || server.signalCode !== null);
});

it('S-40 S-71 requests about a mount that never answers end, others are answered, and processes stop', async (context) => {
  context.skip(!isMounted, 'FUSE cannot be mounted here');
  const checked = runContextd(['check', project], { ...ownProcess, env: { HOME: join(project, '..') } });
  await using daemon = await startDaemon({ grantRoots: [project] });
  const ask = (path: string, body: object) => daemon.request(path, { body });
  // The first request takes long on a busy machine.
  await ask('/v1/context/resolve', { mountedDirectory: project });
  const refused = ask('/v1/context/resolve', { mountedDirectory: dead });
  const found = ask('/v1/workspace/files/search', { mountedDirectory: project, query: 'cart' });
  const rule = { files: [{ relativePath: '.context/rule.md' }], warnings: [] };
  expect((await ask('/v1/context/resolve', { mountedDirectory: project })).body).toMatchObject(rule);
  expect(await refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(await found).toMatchObject({
    body: {
      files: [{ relativePath: 'near/cart.ts' }],
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'unreadable' })]),
    },
  });
  const beside = { mountedDirectory: project, files: [join(dead, 'a.ts')] };
  expect((await ask('/v1/context/resolve', beside)).body).toMatchObject({
    ...rule,
    warnings: [
      { code: 'unreadable', path: join(dead, '.context'), message: expect.stringContaining('does not answer') },
    ],
  });
  // Neither a command nor the daemon waits for the thread that the disk keeps.
  expect(await checked).toMatchObject({ code: 0 });
  daemon.process.child.kill('SIGTERM');
  await daemon.process.exited;
  expect(daemon.process.output.stderr).toContain('"msg":"stopped"');
});
