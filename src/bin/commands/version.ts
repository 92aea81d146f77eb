import type { Command } from 'commander';
import { protocol } from '../../settings.ts';
import { exitCodes, wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { packageVersion } from '../state/package-info.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & { check?: boolean; registry?: string };

/** `contextd version`: the version and its features (AN-04). */
export function addVersionCommand(program: Command): void {
  program
    .command('version')
    .summary('Print the version, and with --json the features of the daemon.')
    .description(
      'Prints the version. With --json, also prints the version of the protocol and the features of the daemon.',
    )
    .option('--check', 'Say whether the running daemon and the stored state have this version. Uses no network.')
    .option('--registry <url>', 'With --check: ask this registry of npm packages for the newest version.')
    .addOption(stateDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExit codes with --check:\n  0 everything has this version   1 findings   69 the registry does not answer',
    )
    .action(async (flags: Flags) => {
      const version = packageVersion();
      if (flags.check === true) await check(flags);
      else if (flags.registry !== undefined) throw wrongUsage('--registry is of use only with --check.');
      else if (flags.json === true) printJson({ version, ...protocol, nodeVersion: process.version });
      else console.log(version);
    });
}

async function check({ json, registry, stateDir }: Flags): Promise<void> {
  const [{ checkVersion }, { processSurroundings, stateDirectoryPath }] = await Promise.all([
    import('../daemon/check-version.ts'),
    import('../state/state-directory.ts'),
  ]);
  const checked = await checkVersion(stateDirectoryPath(stateDir, processSurroundings()), registry);
  if (json === true) printJson(checked);
  else {
    console.log(checked.version);
    for (const finding of checked.findings) console.log(finding);
    if (registry === undefined)
      console.log('Nobody was asked whether there is a newer one. --registry <url> asks a registry of npm packages.');
  }
  if (checked.findings.length > 0) process.exitCode = exitCodes.findings;
}
