import { resolve } from 'node:path';
import type { Command } from 'commander';
import { processSurroundings, stateDirectoryPath } from '../state-directory.ts';
import { jsonOption, printJson, stateDirOption } from './shared.ts';

type Flags = { print?: boolean; json?: boolean; stateDir?: string };

/** `contextd open`: the console in a browser, signed in (S-10). */
export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .summary('Open the console in a browser.')
    .description('Opens the console of the running daemon in your browser and signs it in.')
    .argument('[dir]', 'the mounted directory it shows; without it, the current one where the daemon may read it')
    .option('--print', 'Print the address instead of opening it. It works once, within 60 s.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', openHelp)
    .action(open);
}

const openHelp = `
The address carries a code that signs one browser in; whoever opens it first has the
console. BROWSER names the program that opens it, else the system's own is used.

Exit codes:
  0 done   64 wrong usage   69 no daemon runs`;

async function open(directory: string | undefined, flags: Flags): Promise<void> {
  const [{ requireDaemon }, { consoleMessage, openConsole }] = await Promise.all([
    import('../client.ts'),
    import('../open-console.ts'),
  ]);
  const client = await requireDaemon(stateDirectoryPath(flags.stateDir, processSurroundings()));
  const result = await openConsole(client, {
    ...(directory === undefined ? {} : { directory: resolve(directory) }),
    ...(flags.print === undefined ? {} : { print: flags.print }),
  });
  if (flags.json === true) printJson(result);
  else console.log(flags.print === true ? result.url : consoleMessage(result));
}
