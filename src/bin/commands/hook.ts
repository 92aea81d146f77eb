import { Argument, type Command } from 'commander';
import { hookToolIds } from '../../settings.ts';
import { stateDirOption } from '../options.ts';
import { processSurroundings } from '../state/state-directory.ts';

/** `contextd hook`: what a coding tool calls at its own events. */
export function addHookCommand(program: Command): void {
  const hook = program
    .command('hook')
    .summary('Answer a coding tool at its own events.')
    .description(
      'Is called by a coding tool at its own events, with JSON on standard input and output: refuses files that are kept ' +
        'from models, and gives the context that applies.',
    )
    .helpCommand(false)
    .addArgument(toolArgument())
    .addOption(stateDirOption())
    .addHelpText('after', hookHelp)
    .action(answerHook);
  hook
    .command('install')
    .summary('Show or write the settings that make a tool call it.')
    .description(
      'Shows the settings that make a tool call contextd at its events, or merges them into those of a project.',
    )
    .addArgument(toolArgument())
    .argument('[dir]', 'the project', '.')
    .option('--write', 'Merge them into the settings file of the project.')
    .addHelpText('after', installHelp)
    .action(installHook);
}

function toolArgument(): Argument {
  return new Argument('<tool>', 'The tool that calls.').choices(hookToolIds);
}

const hookHelp = `
The running daemon answers. When none runs, or it may not read the project, the answer
is made here. What cannot be decided within 20 seconds is refused.

Examples:
  contextd hook install claude-code --write
  contextd hook claude-code < event.json

Exit codes:
  those of the tool: 0 answered   1 no context, the tool goes on   2 refused`;

const installHelp = `
Nothing else in the settings file is changed; a second run changes nothing.

Exit codes:
  0 shown or written   64 wrong usage   78 the settings file cannot be used`;

async function answerHook(id: string, flags: { stateDir?: string }): Promise<void> {
  const { callHook } = await import('../hooks/call-hook.ts');
  await callHook(id, flags.stateDir);
}

async function installHook(id: string, directory: string, flags: { write?: boolean }): Promise<void> {
  const { hookTools } = await import('../hooks/tools.ts');
  const tool = hookTools.find((each) => each.id === id) as (typeof hookTools)[number];
  const { installSettings } = await import('../hooks/install-settings.ts');
  process.stdout.write(
    installSettings(tool, { directory, write: flags.write === true, surroundings: processSurroundings() }),
  );
}
