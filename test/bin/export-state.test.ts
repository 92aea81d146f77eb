/** What an export leaves when it is ended while it writes. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeDiscoveryFile } from '../../src/bin/discovery-file.ts';
import { spawnContextd, temporaryDirectory, until } from '../support/daemon.ts';

it.each(['SIGINT', 'SIGTERM'] as const)('S-68 a half-written export goes with the process on %s', async (signal) => {
  const directory = temporaryDirectory();
  const token = 'token';
  // A daemon that never comes to an end.
  const server = createServer(({ url }, response) => {
    const challenge = new URL(url ?? '', 'http://x').searchParams.get('challenge');
    if (challenge === null) response.write('{"format"');
    else response.end(JSON.stringify({ proof: createHmac('sha256', token).update(challenge).digest('hex') }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rest = { pid: process.pid, version: '0', startedAt: new Date(0), instanceId: 'i' };
  writeDiscoveryFile(join(directory, 'daemon.json'), { url, token, ...rest });
  const { child, exited } = spawnContextd(['export', 'out', '--state-dir', directory], { cwd: directory });
  await until(() => readdirSync(directory).some((name) => name.startsWith('out.')));
  child.kill(signal);
  await exited;
  expect([child.signalCode, readdirSync(directory)]).toEqual([signal, ['daemon.json']]);
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});
