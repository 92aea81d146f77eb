import type { Command } from 'commander';
import type { ServeFlags } from '../daemon/serve-settings.ts';
import { startDaemon } from '../daemon/start-daemon.ts';
import { printJson } from '../render/json.ts';
import { processSurroundings, stateDirectoryPath } from '../state/state-directory.ts';
import { addServeOptions } from './serve.ts';
import { tellEmbedding } from './shared/ask-daemon.ts';
import { jsonOption } from './shared/options.ts';

/** `contextd start`: the daemon in the background. Succeeds if one runs already (SY-01). */
export function addStartCommand(program: Command): void {
  const command = program
    .command('start')
    .summary('Run the daemon in the background.')
    .description(
      'Starts the daemon in the background, waits until it answers, and prints its address. If a daemon runs already, the command grants it the directories of --grant-root permanently; the other options have no effect then. If another program uses the default port, the daemon takes a free port. The log goes to <state dir>/contextd.log.',
    );
  addOptions(command);
}

/** `contextd ensure`: the same for programs. */
export function addEnsureCommand(program: Command): void {
  const command = program
    .command('ensure')
    .summary('Start the daemon if none runs, and print its address, for programs.')
    .description(
      'Does the same as "contextd start", but prints only the address of the daemon. With --json, prints the content of the discovery file, including the token.',
    );
  addOptions(command);
}

function addOptions(command: Command): void {
  addServeOptions(command.addOption(jsonOption()))
    .addHelpText(
      'after',
      '\nExit codes:\n  0 it runs   64 wrong usage   69 it does not answer   78 refused, as in serve',
    )
    .action(start);
}

async function start(flags: ServeFlags, command: Command): Promise<void> {
  const { isNew, discovery, request } = await startDaemon(flags);
  const { url, pid } = discovery;
  if (flags.json === true) printJson(discovery);
  else if (command.name() === 'ensure') console.log(url);
  else {
    console.log(`contextd ${isNew ? 'runs' : 'runs already'} at ${url} (process ${pid})`);
    await tellEmbedding({ request });
  }
  if (flags.open !== true) return;
  const { openConsoleOf } = await import('../client/open-console.ts');
  const stateDirectory = stateDirectoryPath(flags.stateDir, processSurroundings());
  await openConsoleOf(stateDirectory, { tell: console.error, isTerminal: process.stderr.isTTY === true });
}
