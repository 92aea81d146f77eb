/** `contextd` without a command: a first overview of a project. */
import { isInside } from '../../access/paths.ts';
import type { DaemonClient } from '../client/client.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import { grantedRootsOf } from '../client/granted-roots.ts';
import { terminalSheet } from '../render/page.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { askPerson } from './shared/ask-person.ts';
import { sayPartOfRepository } from './shared/hints.ts';

/** Returns whether there is a project. The home directory, and directories above it, are no projects. */
export async function welcome(): Promise<boolean> {
  const surroundings = processSurroundings();
  const directory = process.cwd();
  if (isInside(directory, surroundings.home)) return false;
  // A daemon that the user named cannot be started from here.
  if (typeof daemonPlace(undefined, surroundings) === 'string') {
    const { startDaemon } = await import('../daemon/start-daemon.ts');
    const { discovery, isNew } = await startDaemon({});
    console.log(`contextd ${isNew ? 'runs' : 'runs already'} at ${discovery.url}`);
  }
  const { runningDaemon, tellEmbedding } = await import('./shared/ask-daemon.ts');
  const daemon = await runningDaemon({});
  // Shown before the user grants the directory.
  await tellEmbedding(daemon);
  const isGranted = await askToGrant(directory, daemon);
  const { overviewOf } = await import('./shared/overview.ts');
  const found = await overviewOf(directory, { stateDir: undefined, surroundings });
  const { renderOverview, renderNextSteps } = await import('../render/overview.ts');
  const sheet = terminalSheet(surroundings.home);
  const hint = '"contextd roots grant ." lets the daemon read this directory, until "contextd roots revoke .".';
  const lines = [...renderOverview(found, sheet), ...(isGranted ? [] : ['', hint]), ...renderNextSteps(found, sheet)];
  process.stdout.write(`${lines.join('\n')}\n`);
  await sayPartOfRepository(directory, surroundings.home);
  return true;
}

/** Only asks on a terminal. */
async function askToGrant(directory: string, daemon: DaemonClient): Promise<boolean> {
  const roots = await grantedRootsOf(daemon);
  if (roots.some(({ path }) => isInside(path, directory))) return true;
  const { place } = terminalSheet(processSurroundings().home);
  if ((await askPerson(`May contextd read ${place(directory)}, until you revoke this?`, 'yes')) !== true) return false;
  await daemon.request({ method: 'POST', path: '/v1/roots', body: { path: directory } });
  return true;
}
