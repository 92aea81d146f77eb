import { type Command, Option } from 'commander';
import { stateDirOption } from './shared/options.ts';

/** `contextd lsp`: contextd for editors that speak the language server protocol. */
export function addLspCommand(program: Command): void {
  program
    .command('lsp')
    .summary('Serve context to an editor.')
    .description(
      'Runs a language server on standard input and output. It gives an editor the context of its files, including unsaved text.',
    )
    .addOption(new Option('--stdio', 'There is no other way; editors say it.').hideHelp())
    .addOption(new Option('--clientProcessId <id>', 'Editors say it.').hideHelp())
    .addOption(stateDirOption())
    .addHelpText('after', lspHelp)
    .action(async (flags: { stateDir?: string }) => (await import('../lsp/lsp-stdio.ts')).serveLspOnStdio(flags));
}

const lspHelp = `
It asks the running daemon, or starts one, and ends with the editor. Before the daemon
reads a folder for the first time, the editor asks you.

Requests: contextd/context, contextd/explain, contextd/search; the notification
contextd/changed tells of changes. Context files, configurations, policies and the
rule files of other tools get diagnostics, completion, hover and code lenses.

Examples:
  contextd lsp       an editor starts it; docs/editors.md says how`;
