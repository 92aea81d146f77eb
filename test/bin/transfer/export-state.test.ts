/** What an export and a look at one leave when they are ended while they work. */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { writeDiscoveryFile } from '../../../src/bin/state/discovery-file.ts';
import { writeExportFile } from '../../../src/bin/transfer/export-state.ts';
import { entryPath, spawnContextd, until } from '../../support/daemon.ts';
import { goldenText } from '../../support/exports.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

it.each(signals)('S-68 a half-written export goes with the process on %s', async (signal) => {
  const token = 'token';
  // A daemon that never comes to an end.
  const server = createServer(({ url }, response) => {
    const challenge = new URL(url ?? '', 'http://x').searchParams.get('challenge');
    if (challenge === null) response.write('{"format"');
    else response.end(JSON.stringify({ proof: createHmac('sha256', token).update(challenge).digest('hex') }));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const port = await listenOnLoopback(server);
  const url = `http://127.0.0.1:${port}`;
  const rest = { pid: process.pid, version: '0', startedAt: new Date(0), instanceId: 'i' };
  writeDiscoveryFile(join(directory, 'daemon.json'), { url, token, ...rest });
  const { child, exited } = spawnContextd(['export', 'out', '--state-dir', directory], { cwd: directory });
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => readdirSync(directory).some((name) => name.startsWith('out.')));
  child.kill(signal);
  await exited;
  expect([child.signalCode, readdirSync(directory)]).toEqual([signal, ['daemon.json']]);
});

it('S-68 a signal is waited for until nothing is left of the export that it could leave', async () => {
  const found: string[][] = [];
  const look = (name: unknown) => {
    if (name === 'SIGTERM') found.push(readdirSync(directory));
  };
  process.on('removeListener', look);
  onTestFinished(() => void process.off('removeListener', look));
  async function* chunks() {
    yield Buffer.from(goldenText);
  }
  await writeExportFile(join(directory, 'out'), chunks(), { force: false });
  expect(found).toEqual([['out']]);
});

it.each(signals)('S-68 what import --dry-run makes to look goes with the process on %s', async (signal) => {
  const child = spawn(
    process.execPath,
    [entryPath, 'import', '-', '--dry-run', '--state-dir', join(directory, 'none')],
    {
      env: { PATH: process.env.PATH, TMPDIR: directory },
      // Never ends, so that it looks until the signal.
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => readdirSync(directory).length > 0);
  child.kill(signal);
  await exited;
  expect([child.signalCode, readdirSync(directory)]).toEqual([signal, []]);
});
