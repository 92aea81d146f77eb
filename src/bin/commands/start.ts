import type { Command } from 'commander';
import type { ServeFlags } from '../daemon/serve-settings.ts';
import { startDaemon } from '../daemon/start-daemon.ts';
import { jsonOption, printJson } from '../options.ts';
import type { Discovery } from '../state/discovery-file.ts';
import { processSurroundings, stateDirectoryPath } from '../state/state-directory.ts';
import { addServeOptions } from './serve.ts';

/** `contextd start`: the daemon in the background. One that runs already is success: it is what was wanted (SY-01). */
export function addStartCommand(program: Command): void {
  const command = program
    .command('start')
    .summary('Run the daemon in the background.')
    .description(
      'Starts the daemon in the background, waits until it answers, and says where it is. When one runs already, says ' +
        'where that one is; the options have no effect then. The log goes to <state dir>/contextd.log.',
    )
    .addOption(jsonOption());
  addServeOptions(command)
    .addHelpText(
      'after',
      '\nExit codes:\n  0 it runs   64 wrong usage   69 it does not answer   78 refused, as in serve',
    )
    .action(start);
}

async function start(flags: ServeFlags): Promise<void> {
  const { isNew, discovery } = await startDaemon(flags);
  report(discovery, flags, isNew ? 'runs' : 'runs already');
  if (flags.open !== true) return;
  const { openConsoleOf } = await import('../client/open-console.ts');
  const stateDirectory = stateDirectoryPath(flags.stateDir, processSurroundings());
  await openConsoleOf(stateDirectory, { tell: console.error, isTerminal: process.stderr.isTTY === true });
}

function report({ url, pid, version, startedAt }: Discovery, flags: ServeFlags, how: string): void {
  if (flags.json === true) printJson({ url, pid, version, startedAt });
  else console.log(`contextd ${how} at ${url} (process ${pid})`);
}
