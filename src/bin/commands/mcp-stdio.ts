import type { Command } from 'commander';
import { collect, stateDirOption } from './shared/options.ts';

type Flags = { mount?: string[]; stateDir?: string };

/**
 * `contextd mcp`. Without a subcommand it is an MCP server on standard input and output (MC-05), and nothing else is
 * written to standard output.
 */
export function addMcpCommand(program: Command): Command {
  return (
    program
      .command('mcp')
      .summary('Serve context to an MCP client.')
      .description('The Model Context Protocol (MCP): contextd as a server, and the servers that it runs.')
      // Options after a subcommand belong to it, even if this command has an option with the same name.
      .enablePositionalOptions()
      .option('--mount <dir>', 'Directory that the client works in. Repeatable. Default: see below.', collect)
      .addOption(stateDirOption())
      .addHelpText('after', stdioHelp)
      .action(async (flags: Flags) => (await import('../daemon/mcp-stdio.ts')).serveMcpOnStdio(flags))
  );
}

const stdioHelp = `
Without a subcommand, it runs an MCP server on standard input and output, for clients
that start their servers themselves. It asks the running daemon, or starts one, and
ends when its input ends.

It answers only about these directories, the first of these that there are:
  the directories of --mount
  the projects of the roots that the client names
  the project of the current directory, unless that is / or your home directory
  all granted roots
The project of a directory is its git repository, if you granted all of it, else the
directory. The rules on the way down to the directory count, as in hooks.
It grants nothing. To grant a root: contextd roots grant <dir>

Examples:
  contextd mcp --mount ~/code/shop
  claude mcp add contextd -- contextd mcp`;
