import { type Command, InvalidArgumentError, Option } from 'commander';
import { modelNames } from '../daemon/embedder-settings.ts';
import { logLevels, parsePort, type ServeFlags } from '../daemon/serve-settings.ts';
import { collect, positive, stateDirOption } from '../options.ts';

/** `contextd serve`: the daemon in the foreground. */
export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .summary('Run the daemon in the foreground.')
    .description('Runs the daemon in the foreground. Log lines (JSON) go to standard error.')
    .addOption(new Option('--json', 'When ready, print one line of JSON instead of a message for people.'));
  addServeOptions(command)
    .addHelpText('after', serveHelp)
    .action(async (flags: ServeFlags) => (await import('../daemon/serve.ts')).serve(flags));
}

/** The options that `serve` and `start` share. */
export function addServeOptions(command: Command): Command {
  return command
    .optionsGroup('What it may read:')
    .addOption(
      new Option('--grant-root <dir>', 'Allow requests about this directory and below it. Repeatable.').argParser(
        collect,
      ),
    )
    .option('--follow-symlinks', 'Follow symbolic links whose target lies in a granted root.')
    .option('--mask-secrets', 'Deliver *** in the place of private keys and of well-known tokens.')
    .addOption(
      new Option('--default-policy <policy>', 'What holds where no policy is on the way. Default: allow').choices([
        'allow',
        'block',
      ]),
    )
    .option(
      '--formats <names>',
      'Rule files of other tools that are read: all, none, or names with commas. Default: all',
    )
    .option(
      '--ignore-files <names>',
      'Ignore files of other tools that are honoured: all, none, or names with commas. Default: all',
    )
    .option('--client-context-path <path>', 'Name of context directories, relative. Default: .context')
    .option('--global-context-path <dir>', 'Where the global context lies. Default: your home directory.')
    .optionsGroup('Where it listens:')
    .addOption(new Option('--port <number>', 'Port; 0 picks a free one. Default: 4747').argParser(portOption))
    .addOption(new Option('--free-port', 'Another port where that one is taken.').hideHelp())
    .option('--host <address>', 'Loopback address to listen on. Default: 127.0.0.1')
    .option('--dangerously-bind <address>', 'Listen on an address that others can reach. Needs --allowed-host.')
    .addOption(new Option('--allowed-host <host:port>', 'Accept this Host header too. Repeatable.').argParser(collect))
    .addOption(
      new Option(
        '--socket-trust <who>',
        'Who may ask on the Unix socket: holders of the token, or its owner without one. Default: token',
      ).choices(['token', 'owner']),
    )
    .optionsGroup('Where it keeps what daemons share:')
    .option(
      '--store <address>',
      'sqlite, in the state directory, or postgres://<user>@<host>/<database>. Default: CONTEXTD_STORE, else sqlite',
    )
    .option(
      '--store-direct <address>',
      'The same database without the pooler that --store leads through, to hear what other daemons change.',
    )
    .option('--store-password-file <file>', 'File whose first line is the password of the store.')
    .option('--tenant <name>', 'Sees only what daemons with the same name keep there. Default: default')
    .optionsGroup('How it searches:')
    .option('--model <name>', `The embedding model: ${modelNames}, or what --embedder has. Default: the first`)
    .option('--model-dir <dir>', 'Where the model lies. Default: "models/<name>" in the state directory.')
    .option('--offline', 'Never download the model. Without it, only "contextd warm" does.')
    .option(
      '--embedder <url>',
      'A server with the interface of OpenAI that embeds instead. What is searched is sent there. Needs --model.',
    )
    .option('--embedder-key-file <file>', 'Holds the key of that server; or set CONTEXTD_EMBEDDER_KEY.')
    .optionsGroup('How it lives:')
    .option('--open', 'When ready, open the console in a browser.')
    .addOption(stateDirOption())
    .addOption(
      new Option('--log-level <level>', 'How much to log. Default: info; on a terminal, warn.').choices(logLevels),
    )
    .addOption(
      new Option('--slow-request <ms>', 'Warn of requests that take longer; 0 for none. Default: 1000').argParser(
        milliseconds,
      ),
    )
    .addOption(
      new Option('--agent-quota <MiB>', 'What sessions of one token for agents may hold. Default: 256').argParser(
        positive('integer'),
      ),
    )
    .addOption(
      new Option('--idle-exit <minutes>', 'Stop after so long without a request.').argParser(positive('number')),
    )
    .addOption(new Option('--parent-pid <pid>', 'Stop when this process is gone.').argParser(positive('integer')));
}

function milliseconds(value: string): number {
  if (!/^\d{1,9}$/u.test(value)) throw new InvalidArgumentError('It must be a number of milliseconds, or 0.');
  return Number(value);
}

function portOption(value: string): number {
  const port = parsePort(value);
  if (port === undefined) throw new InvalidArgumentError('It must be a port number, 0 to 65535.');
  return port;
}

const serveHelp = `
Only one daemon runs per state directory: a second one says where the first is, and
exits with 75. Deleting <state dir>/daemon.json stops the daemon.

Examples:
  contextd serve --grant-root .
  contextd serve --port 0 --grant-root ~/code --grant-root ~/notes
  contextd serve --parent-pid $$ --idle-exit 30   for an editor that starts its own
  contextd serve --store postgres://contextd@db/contextd --store-password-file pw

Exit codes:
  0 stopped as asked   64 wrong usage   69 its files were replaced or removed
  70 internal error   75 runs already
  78 refused: unsafe state directory, port taken, address not loopback, no such root,
     a store that cannot be used`;
