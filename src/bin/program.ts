import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ContextdError } from '../errors.ts';
import { visibleText } from '../visible-text.ts';
import { addAgentsCommand } from './commands/agents.ts';
import { addCheckCommand } from './commands/check.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addMcpServerCommands } from './commands/mcp.ts';
import { addMcpCommand } from './commands/mcp-stdio.ts';
import { addMcpToolCommands } from './commands/mcp-tools.ts';
import { addOpenCommand } from './commands/open.ts';
import { addOpenapiCommand } from './commands/openapi.ts';
import { addPolicyCommand } from './commands/policy.ts';
import { addRequestCommand } from './commands/request.ts';
import { addResolveCommand } from './commands/resolve.ts';
import { addRetrieveCommand } from './commands/retrieve.ts';
import { addRootsCommand } from './commands/roots.ts';
import { addSearchCommand } from './commands/search.ts';
import { addServeCommand } from './commands/serve.ts';
import { addServiceCommand } from './commands/service.ts';
import { addSessionChangeCommands } from './commands/session-changes.ts';
import { addSessionRequestCommands } from './commands/session-requests.ts';
import { addSessionsCommand } from './commands/sessions.ts';
import { addStartCommand } from './commands/start.ts';
import { addStatusCommand } from './commands/status.ts';
import { addStopCommand } from './commands/stop.ts';
import { addSupplementaryCommand } from './commands/supplementary.ts';
import { addTokenCommand } from './commands/token.ts';
import { addWarmCommand } from './commands/warm.ts';
import { addWatchCommand } from './commands/watch.ts';
import { CommandFailure, exitCodeOf, exitCodes } from './exit-codes.ts';
import { packageVersion } from './package-info.ts';
import { visibleLines } from './terminal-text.ts';

/**
 * Runs one command line (without `node` and the script) and returns the exit code. What the commands need is imported by
 * their actions when they run, so that each loads only its own.
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`contextd resolve | head`) is not an error.
    if (code === 'EPIPE') process.exit(exitCodes.ok);
    console.error(`contextd: standard output cannot be written (${code}).`);
    process.exit(exitCodes.unavailable);
  });
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return reportFailure(error);
  }
}

/** The commands and their options. Nothing happens until it parses. */
export function createProgram(): Command {
  const program = new Command('contextd')
    .description('Tells editors and agents which context a model should see for a request, and why.')
    .version(packageVersion(), '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Show help.')
    .helpCommand(false)
    .showHelpAfterError('Add --help to see what is possible.')
    .configureOutput({ outputError: (text, write) => write(visibleLines(text.replace(/^error: /u, 'contextd: '))) })
    .addHelpText('after', programHelp)
    // An option after a subcommand is the subcommand's, also where the command above has one of that name.
    .enablePositionalOptions()
    .exitOverride();
  program.commandsGroup('The daemon:');
  addServeCommand(program);
  addStartCommand(program);
  addStopCommand(program);
  addStatusCommand(program);
  addOpenCommand(program);
  addRootsCommand(program);
  addTokenCommand(program);
  addServiceCommand(program);
  program.commandsGroup('Context:');
  addResolveCommand(program);
  addExplainCommand(program);
  addCheckCommand(program);
  addPolicyCommand(program);
  addRetrieveCommand(program);
  addSupplementaryCommand(program);
  addSearchCommand(program);
  addWarmCommand(program);
  addWatchCommand(program);
  program.commandsGroup('Agents:');
  addAgentsCommand(program);
  const sessions = addSessionsCommand(program);
  addSessionChangeCommands(sessions);
  addSessionRequestCommands(sessions);
  addRequestCommand(program);
  const mcp = addMcpCommand(program);
  addMcpServerCommands(mcp);
  addMcpToolCommands(mcp);
  program.commandsGroup('More:');
  addDoctorCommand(program);
  addExportCommand(program);
  addImportCommand(program);
  addCompletionCommand(program);
  addOpenapiCommand(program);
  return program;
}

const programHelp = `
Examples:
  contextd start --grant-root ~/code   run in the background, allowed to read ~/code
  contextd resolve --file src/app.ts   what a model should see for src/app.ts
  contextd status                      where it runs and what it may read

Environment:
  CONTEXTD_STATE_DIR    where the daemon keeps its files
                        (default $XDG_STATE_HOME/contextd or ~/.local/state/contextd)
  CONTEXTD_PORT         port to listen on (default 4747)
  CLIENT_CONTEXT_PATH   name of context directories (default .context)
  GLOBAL_CONTEXT_PATH   where the global context lies (default the home directory)
  CONTEXTD_DEFAULT_POLICY
                        what holds where no policy is: allow (default) or block
  NO_COLOR              no colours

Exit codes:
  0 done   1 findings   64 wrong usage   69 no daemon to talk to   70 internal error
  75 runs already   78 configuration or environment refused`;

function reportFailure(error: unknown): number {
  // Commander has printed its message, or the help that was asked for, by itself.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof CommandFailure) {
    console.error(`contextd: ${visibleText(error.message)}`);
    return error.exitCode;
  }
  if (error instanceof ContextdError) {
    console.error(`contextd: ${visibleText(error.message)}`);
    for (const { pointer, message } of error.errors) {
      console.error(visibleText(message === error.message ? `  ${pointer}` : `  ${pointer}: ${message}`));
    }
    return exitCodeOf(error.code);
  }
  if ((error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd') {
    console.error('contextd: the current directory is gone; go to another one.');
    return exitCodes.refused;
  }
  console.error(visibleLines(`contextd: internal error: ${inspect(error)}`));
  return exitCodes.internal;
}
