import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ContextdError } from '../errors.ts';
import { visibleText } from '../texts/visible-text.ts';
import { wordsOfProblem } from './client/problem-words.ts';
import { CommandFailure, exitCodeOf, exitCodes, wrongUsage } from './exit-codes.ts';
import { visibleLines } from './render/terminal-text.ts';
import { packageVersion } from './state/package-info.ts';

/**
 * Runs one command line (without `node` and the script) and returns the exit code. The actions of the commands import
 * what they need, so that a command loads only its own code.
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // It is not an error if the reader stops early (`contextd resolve | head`).
    if (code === 'EPIPE') process.exit(exitCodes.ok);
    console.error(`contextd: standard output cannot be written (${code}).`);
    process.exit(exitCodes.unavailable);
  });
  try {
    if (args.length === 0 && (await (await import('./commands/welcome.ts')).welcome())) return exitCodes.ok;
    await (await createProgram(args[0])).parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return reportFailure(error);
  }
}

type AddCommand = (program: Command) => Promise<void>;

/** In the order of the help. */
const commandGroups: Record<string, Record<string, AddCommand>> = {
  'The daemon:': {
    serve: async (program) => (await import('./commands/serve.ts')).addServeCommand(program),
    start: async (program) => (await import('./commands/start.ts')).addStartCommand(program),
    ensure: async (program) => (await import('./commands/start.ts')).addEnsureCommand(program),
    stop: async (program) => (await import('./commands/stop.ts')).addStopCommand(program),
    status: async (program) => (await import('./commands/status.ts')).addStatusCommand(program),
    open: async (program) => (await import('./commands/open.ts')).addOpenCommand(program),
    roots: async (program) => (await import('./commands/roots.ts')).addRootsCommand(program),
    token: async (program) => (await import('./commands/token.ts')).addTokenCommand(program),
    service: async (program) => (await import('./commands/service.ts')).addServiceCommand(program),
  },
  'Context:': {
    init: async (program) => (await import('./commands/init.ts')).addInitCommand(program),
    resolve: async (program) => (await import('./commands/resolve.ts')).addResolveCommand(program),
    explain: async (program) => (await import('./commands/explain.ts')).addExplainCommand(program),
    formats: async (program) => (await import('./commands/formats.ts')).addFormatsCommand(program),
    convert: async (program) => (await import('./commands/convert.ts')).addConvertCommand(program),
    check: async (program) => (await import('./commands/check.ts')).addCheckCommand(program),
    policy: async (program) => (await import('./commands/policy.ts')).addPolicyCommand(program),
    retrieve: async (program) => (await import('./commands/retrieve.ts')).addRetrieveCommand(program),
    supplementary: async (program) => (await import('./commands/supplementary.ts')).addSupplementaryCommand(program),
    search: async (program) => (await import('./commands/search.ts')).addSearchCommand(program),
    warm: async (program) => (await import('./commands/warm.ts')).addWarmCommand(program),
    lsp: async (program) => (await import('./commands/lsp.ts')).addLspCommand(program),
    hook: async (program) => (await import('./commands/hook.ts')).addHookCommand(program),
    watch: async (program) => (await import('./commands/watch.ts')).addWatchCommand(program),
  },
  'Agents:': {
    agents: async (program) => (await import('./commands/agents.ts')).addAgentsCommand(program),
    sessions: async (program) => {
      const sessions = (await import('./commands/sessions.ts')).addSessionsCommand(program);
      (await import('./commands/session-changes.ts')).addSessionChangeCommands(sessions);
      (await import('./commands/session-requests.ts')).addSessionRequestCommands(sessions);
    },
    request: async (program) => (await import('./commands/request.ts')).addRequestCommand(program),
    mcp: async (program) => {
      const mcp = (await import('./commands/mcp-stdio.ts')).addMcpCommand(program);
      (await import('./commands/mcp.ts')).addMcpServerCommands(mcp);
      (await import('./commands/mcp-tools.ts')).addMcpToolCommands(mcp);
    },
  },
  'More:': {
    version: async (program) => (await import('./commands/version.ts')).addVersionCommand(program),
    doctor: async (program) => (await import('./commands/doctor.ts')).addDoctorCommand(program),
    export: async (program) => (await import('./commands/export.ts')).addExportCommand(program),
    import: async (program) => (await import('./commands/import.ts')).addImportCommand(program),
    store: async (program) => (await import('./commands/store.ts')).addStoreCommand(program),
    api: async (program) => (await import('./commands/api.ts')).addApiCommand(program),
    completion: async (program) => {
      (await import('./commands/completion.ts')).addCompletionCommand(program, createProgram);
    },
    openapi: async (program) => (await import('./commands/openapi.ts')).addOpenapiCommand(program),
  },
};

/**
 * The commands and their options. Does nothing until it parses. `only`: the command to run, if it is known, so that the
 * others are not loaded.
 */
export async function createProgram(only?: string): Promise<Command> {
  const isKnown = only !== undefined && Object.values(commandGroups).some((commands) => Object.hasOwn(commands, only));
  const program = new Command('contextd')
    .description('Tells editors and agents which context a model should see for a request, and why.')
    .version(packageVersion(), '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Show help.')
    .helpCommand(false)
    .showHelpAfterError('Add --help to see what is possible.')
    .configureOutput({ outputError: (text, write) => write(visibleLines(text.replace(/^error: /u, 'contextd: '))) })
    .addHelpText('after', programHelp)
    // Options after a subcommand belong to it, even if the command above has an option with the same name.
    .enablePositionalOptions()
    .exitOverride();
  for (const [group, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(group);
    for (const [name, add] of Object.entries(commands)) if (!isKnown || name === only) await add(program);
  }
  takeDirectoryByOption(program);
  return program;
}

/** All commands accept `-d <dir>`, also those with the directory as an argument. */
function takeDirectoryByOption(command: Command): void {
  for (const each of command.commands) takeDirectoryByOption(each);
  const at = command.registeredArguments.findIndex((argument) => argument.name() === 'dir' && !argument.required);
  if (at < 0) return;
  command.option('-d, --directory <dir>', 'The same as [dir].').hook('preAction', (_, action) => {
    const { args, processedArgs } = action;
    const { directory } = action.opts<{ directory?: string }>();
    if (directory === undefined) return;
    if (args.length > at) throw wrongUsage('-d cannot be used with [dir].');
    args[at] = directory;
    processedArgs[at] = directory;
  });
}

const programHelp = `
Examples:
  contextd start --grant-root ~/code   run in the background, allowed to read ~/code
  contextd resolve --file src/app.ts   what a model should see for src/app.ts
  contextd status                      where it runs and what it may read

Environment:
  CONTEXTD_STATE_DIR    where the daemon keeps its files
                        (default $XDG_STATE_HOME/contextd or ~/.local/state/contextd)
  CONTEXTD_URL, CONTEXTD_TOKEN
                        the daemon that commands ask, instead of that of the state
                        directory: http://<host>:<port> or unix:<path>
  CONTEXTD_PORT         port to listen on (default 4747)
  CONTEXTD_STORE        where the daemon keeps shared state: sqlite (default), or
                        postgres://<user>:<password>@<host>/<database>
  CONTEXTD_STORE_DIRECT the same database without its connection pooler
  CLIENT_CONTEXT_PATH   name of context directories (default .context)
  GLOBAL_CONTEXT_PATH   directory of the global context (default the home directory)
  CONTEXTD_DEFAULT_POLICY
                        what applies where there is no policy: allow (default) or block
  CONTEXTD_FORMATS      rule files of other tools: all (default), none, or names
  CONTEXTD_IGNORE_FILES
                        ignore files of other tools: all (default), none, or names
  CONTEXTD_FOLLOW_SYMLINKS
                        follow links into granted roots: false (default), or true
  CONTEXTD_MODEL        the embedding model; see "contextd serve --help"
  CONTEXTD_EMBEDDER, CONTEXTD_EMBEDDER_KEY
                        a server that embeds instead of a model, and its key
  NO_COLOR              no colours

Exit codes:
  0 done   1 findings   64 wrong usage, or refused   69 no daemon, or it cannot answer now
  70 internal error   75 runs already   78 configuration or environment refused`;

/** The message of a failed system call. */
const lackingPlaces: Readonly<Record<string, string>> = {
  uv_cwd: 'the current directory is gone; go to another one.',
  uv_os_homedir: 'HOME is not set, and this user has no home directory; set HOME.',
};

function reportFailure(error: unknown): number {
  // Commander already printed its message, or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof CommandFailure) {
    console.error(`contextd: ${visibleText(error.message)}`);
    return error.exitCode;
  }
  if (error instanceof ContextdError) {
    console.error(`contextd: ${wordsOfProblem(error).map(visibleText).join('\n')}`);
    return exitCodeOf(error.code);
  }
  const lacking = lackingPlaces[(error as NodeJS.ErrnoException | undefined)?.syscall ?? ''];
  if (lacking !== undefined) {
    console.error(`contextd: ${lacking}`);
    return exitCodes.refused;
  }
  console.error(visibleLines(`contextd: internal error: ${inspect(error)}`));
  return exitCodes.internal;
}
