import type { Command } from 'commander';
import { protocol } from '../../settings.ts';
import { jsonOption, printJson } from '../options.ts';
import { packageVersion } from '../state/package-info.ts';

/** `contextd version`: which one this is, and what it can do (AN-04). */
export function addVersionCommand(program: Command): void {
  program
    .command('version')
    .summary('Print the version, and with --json what it can do.')
    .description('Prints the version; with --json also that of the protocol, and what the daemon can do.')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) => {
      const version = packageVersion();
      if (json === true) printJson({ version, ...protocol, nodeVersion: process.version });
      else console.log(version);
    });
}
