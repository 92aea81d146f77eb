import { join } from 'node:path';
import type { Command } from 'commander';
import type { Status } from '../../../routes/status.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import { grantedRootsOf } from '../client/granted-roots.ts';
import { printJson } from '../render/json.ts';
import { processSurroundings, stateNames } from '../state/state-directory.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

/** `contextd status`: how the daemon is and what it may read. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .summary('Show the health of the daemon and what it may read.')
    .description(
      'Shows where the daemon runs, its health, what it may read, and how to fix problems. With --json, prints the answer of GET /v1/status.',
    )
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText(
      'after',
      '\nExit codes:\n  0 it runs   64 wrong usage   69 it does not run\n  78 the discovery file cannot be trusted',
    )
    .action(printStatus);
}

async function printStatus(flags: CommonFlags): Promise<void> {
  const surroundings = processSurroundings();
  const place = daemonPlace(flags.stateDir, surroundings);
  const { requireDaemon } = await import('../client/client.ts');
  const daemon = await requireDaemon(place);
  const status = await daemon.request<Status>({ method: 'GET', path: '/v1/status' });
  if (flags.json === true) return printJson(status);
  const [roots, { renderStatus }, { terminalSheet }] = await Promise.all([
    grantedRootsOf(daemon),
    import('../render/status.ts'),
    import('../render/page.ts'),
  ]);
  const about = { roots, discovery: typeof place === 'string' ? join(place, stateNames.discovery) : undefined };
  console.log(renderStatus(status, about, terminalSheet(surroundings.home)).join('\n'));
}
