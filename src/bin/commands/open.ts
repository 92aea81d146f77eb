import { resolve } from 'node:path';
import type { Command } from 'commander';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { isDirectory } from '../state/paths-on-disk.ts';
import { runningDaemon } from './shared/ask-daemon.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & { print?: boolean };

/** `contextd open`: opens the console in a browser, signed in (S-10). */
export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .summary('Open the console in a browser.')
    .description('Opens the console of the running daemon in your browser and signs it in.')
    .argument('[dir]', 'the mounted directory to show. Default: the current directory, if the daemon may read it')
    .option('--print', 'Print the address instead of opening it. It works once, within 60 s.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', openHelp)
    .action(open);
}

const openHelp = `
The browser opens a file that only you can read. A code in the file signs the browser in.
If this does not work within 10 s, the command prints an address with such a code. Whoever
opens this address first controls the console. BROWSER names the browser to use instead of
that of the system.

Exit codes:
  0 done   64 wrong usage or directory   69 no daemon runs`;

async function open(directory: string | undefined, flags: Flags): Promise<void> {
  if (directory !== undefined && !isDirectory(directory)) throw wrongUsage(`there is no directory ${directory}`);
  const { consoleMessage, openConsole } = await import('../client/open-console.ts');
  const client = await runningDaemon(flags);
  const result = await openConsole(client, {
    directory: directory === undefined ? undefined : resolve(directory),
    print: flags.print,
  });
  const { url, expiresAt, opened } = result;
  if (flags.json === true) printJson({ url, expiresAt, opened });
  else console.log(flags.print === true ? result.url : consoleMessage(result));
}
