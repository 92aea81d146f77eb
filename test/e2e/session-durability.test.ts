/** Whether acknowledged writes have reached the disk, counted at the system calls (S-69); needs `strace`. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDaemon, until } from '../support/daemon.ts';

const isInstalled = spawnSync('strace', ['-V']).status === 0;

it.skipIf(!isInstalled)(
  'S-69 each acknowledged write of a session was synced before',
  async ({ skip }) => {
    await using daemon = await startDaemon();
    await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A' } });
    const { id } = (await daemon.request('/v1/sessions', { body: { agentId: 'a' } })).body as { id: string };
    const trace = join(daemon.home, 'trace');
    const filter = 'trace=fsync,fdatasync';
    const tracer = spawn('strace', ['-f', '-o', trace, '-e', filter, '-p', String(daemon.process.child.pid)]);
    const ended = once(tracer, 'exit');
    let told = '';
    tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    await until(() => told.includes('attached') || tracer.exitCode !== null);
    if (tracer.exitCode !== null) skip(`strace may not attach: ${told}`);

    const writes = 20;
    for (let write = 0; write < writes; write += 1) {
      const appendMessages = [{ role: 'user', content: `${write}` }];
      const { status } = await daemon.request(`/v1/sessions/${id}`, { method: 'PATCH', body: { appendMessages } });
      expect(status).toBe(200);
    }
    tracer.kill('SIGINT');
    await ended;
    const synced = readFileSync(trace, 'utf8').match(/sync.* = 0$/gmu) ?? [];
    expect(synced.length).toBeGreaterThanOrEqual(writes);
  },
  60_000,
);
