import { type Command, InvalidArgumentError, Option } from 'commander';
import { modelNames } from '../daemon/embedder-settings.ts';
import { logLevels, parsePort, type ServeFlags } from '../daemon/serve-settings.ts';
import { collect, positive, stateDirOption, wholeNumber } from './shared/options.ts';

/** `contextd serve`: the daemon in the foreground. */
export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .summary('Run the daemon in the foreground.')
    .description('Runs the daemon in the foreground. Log lines (JSON) go to standard error.')
    .option('--json', 'When ready, print one line of JSON instead of a message for people.');
  addServeOptions(command)
    .addHelpText('after', serveHelp)
    .action(async (flags: ServeFlags) => (await import('../daemon/serve.ts')).serve(flags));
}

/** The options that `serve` and `start` share. */
export function addServeOptions(command: Command): Command {
  return command
    .optionsGroup('What it may read:')
    .option('--grant-root <dir>', 'Allow requests about this directory and below it. Repeatable.', collect)
    .option('--follow-symlinks', 'Follow symbolic links whose target lies in a granted root.')
    .option('--mask-secrets', 'Replace private keys, well-known tokens and passwords in addresses with ***.')
    .addOption(
      new Option('--default-policy <policy>', 'What applies to a file that no policy covers. Default: allow').choices([
        'allow',
        'block',
      ]),
    )
    .option(
      '--formats <names>',
      'Which rule files of other tools to read: all, none, or names with commas. Default: all',
    )
    .option(
      '--ignore-files <names>',
      'Which ignore files of other tools to honour: all, none, or names with commas. Default: all',
    )
    .option('--client-context-path <path>', 'Name of context directories, relative. Default: .context')
    .option('--global-context-path <dir>', 'Directory of the global context. Default: your home directory.')
    .optionsGroup('Where it listens:')
    .option('--port <number>', 'Port; 0 picks a free one. Default: 4747', portOption)
    .addOption(new Option('--free-port', 'Another port where that one is taken.').hideHelp())
    .option('--host <address>', 'Loopback address to listen on. Default: 127.0.0.1')
    .option('--dangerously-bind <address>', 'Listen on an address that others can reach. Needs --allowed-host.')
    .option('--allowed-host <host:port>', 'Accept this Host header too. Repeatable.', collect)
    .addOption(
      new Option(
        '--socket-trust <who>',
        'Who may use the Unix socket: programs with the token, or all programs of its owner. Default: token',
      ).choices(['token', 'owner']),
    )
    .optionsGroup('Where it keeps shared state:')
    .option(
      '--store <address>',
      'sqlite (in the state directory), or postgres://<user>@<host>/<database>. Default: CONTEXTD_STORE, else sqlite',
    )
    .option(
      '--store-direct <address>',
      'Address of the same database without its connection pooler. It lets the daemon hear of changes by other daemons.',
    )
    .option('--store-password-file <file>', 'File whose first line is the password of the store.')
    .option('--tenant <name>', 'Name of the tenant. Only daemons of the same tenant share state. Default: default')
    .optionsGroup('How it searches:')
    .option('--model <name>', `The embedding model: ${modelNames}, or a model of --embedder. Default: the first`)
    .option('--model-dir <dir>', 'Directory of the model. Default: "models/<name>" in the state directory.')
    .option('--offline', 'Never download the model. Without it, only "contextd warm" does.')
    .option(
      '--embedder <url>',
      'Embed with this server instead, through the API of OpenAI. It gets all text that is searched. Needs --model.',
    )
    .option('--embedder-key-file <file>', 'File with the key of that server. Or set CONTEXTD_EMBEDDER_KEY.')
    .optionsGroup('How it runs:')
    .option('--open', 'When ready, open the console in a browser.')
    .addOption(stateDirOption())
    .addOption(
      new Option('--log-level <level>', 'How much to log. Default: info; on a terminal, warn.').choices(logLevels),
    )
    .option(
      '--slow-request <ms>',
      'Log a warning for slower requests; 0 turns this off. Default: 1000',
      wholeNumber(999_999_999),
    )
    .option('--agent-quota <MiB>', 'Max size of all sessions of one agent token. Default: 256', positive('integer'))
    .option('--idle-exit <minutes>', 'Stop after this time without a request.', positive('number'))
    .option('--parent-pid <pid>', 'Stop when this process is gone.', positive('integer'));
}

function portOption(value: string): number {
  const port = parsePort(value);
  if (port === undefined) throw new InvalidArgumentError('It must be a port number, 0 to 65535.');
  return port;
}

const serveHelp = `
Only one daemon runs per state directory. A second one prints the address of the first
and exits with 75. If you delete <state dir>/daemon.json, the daemon stops.

Examples:
  contextd serve --grant-root .
  contextd serve --port 0 --grant-root ~/code --grant-root ~/notes
  contextd serve --parent-pid $$ --idle-exit 30   for an editor that starts its own
  contextd serve --store postgres://contextd@db/contextd --store-password-file pw

Exit codes:
  0 stopped as asked   64 wrong usage
  69 its files were replaced or removed, or PostgreSQL is not there at the start
  70 internal error   75 runs already
  78 refused: unsafe state directory, port taken, address not loopback, no such root,
     a store that cannot be used`;
