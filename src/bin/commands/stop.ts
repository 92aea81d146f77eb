import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { visibleText } from '../../texts/visible-text.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import { processRuns } from '../daemon/watchdogs.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

const waitMs = 8_000;

/** `contextd stop`: ends the daemon and waits for its end. Succeeds if none runs. */
export function addStopCommand(program: Command): void {
  program
    .command('stop')
    .summary('Stop the daemon.')
    .description(
      'Stops the daemon and waits until it has ended. Running requests get 5 seconds to finish. It is no error if no daemon runs.',
    )
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', '\nExit codes:\n  0 no daemon runs any more   64 wrong usage   69 it did not end')
    .action(stopDaemon);
}

async function stopDaemon({ stateDir, json }: CommonFlags): Promise<void> {
  const { findOwnOrNamed } = await import('../client/client.ts');
  const place = daemonPlace(stateDir, processSurroundings());
  const found = await findOwnOrNamed(place);
  if (!found.ok) {
    if (json === true) return printJson({ stopped: false });
    console.log(`contextd does not run: ${visibleText(found.reason)}.`);
    return;
  }
  const { url, request } = found.client;
  const { pid } = await request<{ pid: number }>({ method: 'GET', path: '/v1/status' });
  await request({ method: 'POST', path: '/v1/shutdown' });
  // A named daemon may run on another machine or in a container, so its process cannot be seen.
  if (typeof place !== 'string') {
    if (json === true) return printJson({ stopping: true, url });
    return console.log(`contextd at ${visibleText(url)} is stopping.`);
  }
  for (const end = performance.now() + waitMs; processRuns(pid); await delay(25)) {
    if (performance.now() > end)
      throw new CommandFailure(exitCodes.unavailable, `process ${pid} has not ended after ${waitMs / 1000} s.`);
  }
  if (json === true) return printJson({ stopped: true, url });
  console.log(`contextd at ${visibleText(url)} has stopped.`);
}
