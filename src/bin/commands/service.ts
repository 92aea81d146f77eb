import { userInfo } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';
import { type Command, Option } from 'commander';
import { ownCommand } from '../daemon/node-options.ts';
import type { ServeFlags, ServeSettings } from '../daemon/serve-settings.ts';
import { wrongSetup, wrongUsage } from '../exit-codes.ts';
import { hasPassword } from '../state/postgres-address.ts';
import { processSurroundings, type Surroundings } from '../state/state-directory.ts';
import { addServeOptions } from './serve.ts';

type Flags = ServeFlags & { systemd?: boolean; launchd?: boolean; windowsTask?: boolean };
type Kind = 'systemd' | 'launchd' | 'windowsTask';

/** `contextd service print`: a definition that starts the daemon when the user logs in. */
export function addServiceCommand(program: Command): void {
  const service = program
    .command('service')
    .summary('Let the system start the daemon when you log in.')
    .description('Lets the system start the daemon when you log in.')
    .helpCommand(false);
  const print = service
    .command('print')
    .description(
      'Prints the definition of a service for systemd, launchd or the Windows Task Scheduler. Its comments say how to install it. Changes nothing. Default: the kind for this system.',
    )
    .optionsGroup('For what:')
    .addOption(new Option('--systemd', 'A unit of systemd.').conflicts(['launchd', 'windowsTask']))
    .addOption(new Option('--launchd', 'A property list of launchd.').conflicts('windowsTask'))
    .option('--windows-task', 'A task of the Task Scheduler.');
  addServeOptions(print).addHelpText('after', printHelp).action(printService);
}

const printHelp = `
The service gets the options of "serve", with absolute paths. It also gets the settings
of the present environment, because it will not run in this environment.

Examples:
  contextd service print --grant-root ~/code > ~/.config/systemd/user/contextd.service
  contextd service print --launchd > ~/Library/LaunchAgents/contextd.plist
  contextd service print --windows-task > contextd.xml

Exit codes:
  0 printed   64 wrong usage   78 no such root, or a path that no such file can hold`;

async function printService(flags: Flags): Promise<void> {
  for (const [name, value] of [
    ['--parent-pid', flags.parentPid],
    ['--open', flags.open],
  ])
    if (value !== undefined) throw wrongUsage(`${name} cannot be used for a service.`);
  const [{ namedSettings }, { serveArguments }, files] = await Promise.all([
    import('../daemon/named-settings.ts'),
    import('../daemon/start-daemon.ts'),
    import('../daemon/service-files.ts'),
  ]);
  const surroundings = processSurroundings();
  const { CONTEXTD_FORMATS, CONTEXTD_IGNORE_FILES } = surroundings.environment;
  const formats = flags.formats ?? (CONTEXTD_FORMATS || undefined);
  const ignoreFiles = flags.ignoreFiles ?? (CONTEXTD_IGNORE_FILES || undefined);
  // As flags, because a service does not start with an unknown name in a flag.
  const named = { ...flags, ...(formats && { formats }), ...(ignoreFiles && { ignoreFiles }) };
  const settings = namedSettings(named);
  if ('url' in settings.embedder && settings.embedder.key !== undefined && settings.embedder.keyFile === undefined)
    throw wrongUsage('For a service the key is in a file: --embedder-key-file <file>.');
  const { clientContextPath, followSymlinks } = settings.engine;
  const chosen = { ...named, clientContextPath, followSymlinks };
  const addresses = addressesForService(flags, surroundings, settings);
  const kind = kindOf(flags);
  const { program, args } = ownCommand();
  const command = {
    program,
    args: [...args, ...serveArguments(chosen, settings), ...addresses],
    ...searchPathOf(surroundings, kind),
    home: surroundings.home,
    user: kind === 'windowsTask' ? windowsUser(surroundings) : '',
  };
  const print = { systemd: files.systemdUnit, launchd: files.launchdPlist, windowsTask: files.windowsTask }[kind];
  try {
    process.stdout.write(print(command));
  } catch (error) {
    if (!(error instanceof files.UnfitText)) throw error;
    throw wrongSetup(error.message);
  }
}

/** Others may read the definition of a service, so it must not contain a password. */
function addressesForService(
  { store, storeDirect }: Flags,
  { environment }: Surroundings,
  settings: ServeSettings,
): string[] {
  const isDirect = settings.store?.direct !== undefined;
  const addresses = {
    '--store': store ?? environment.CONTEXTD_STORE,
    '--store-direct': isDirect ? (storeDirect ?? environment.CONTEXTD_STORE_DIRECT) : undefined,
  };
  if (Object.values(addresses).some(hasPassword))
    throw wrongUsage(
      'the address of the store holds a password, which a service would show. Give it with --store-password-file.',
    );
  return Object.entries(addresses).flatMap(([name, address]) => (address ? [`${name}=${address}`] : []));
}

function kindOf({ systemd, launchd, windowsTask }: Flags): Kind {
  if (systemd === true) return 'systemd';
  if (launchd === true) return 'launchd';
  if (windowsTask === true) return 'windowsTask';
  return process.platform === 'darwin' ? 'launchd' : 'systemd';
}

function windowsUser({ environment }: Surroundings): string {
  return [environment.USERDOMAIN, userInfo().username].filter(Boolean).join('\\');
}

/** Without relative directories: the service has another working directory. Windows tasks have the `PATH` already. */
function searchPathOf({ environment }: Surroundings, kind: Kind): { searchPath?: string } {
  const directories = (environment.PATH ?? '').split(delimiter).filter(isAbsolute);
  return kind === 'windowsTask' || directories.length === 0
    ? {}
    : { searchPath: [...new Set(directories)].join(delimiter) };
}
