import { Argument, type Command } from 'commander';
import { hookToolIds } from '../../settings.ts';
import type { HookTool } from '../hooks/hook-tool.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { stateDirOption } from './shared/options.ts';

/** `contextd hook`: called by a coding tool at its events. */
export function addHookCommand(program: Command): void {
  const hook = program
    .command('hook')
    .summary('Answer a coding tool at its own events.')
    .description(
      'A coding tool calls this command at its own events, with JSON on standard input and output. The command refuses files that models must not see, and gives the context that applies.',
    )
    .helpCommand(false)
    .addArgument(toolArgument())
    .addOption(stateDirOption())
    .addHelpText('after', hookHelp)
    .action(answerHook);
  hook
    .command('install')
    .summary('Show or write the settings that make a tool call contextd.')
    .description(
      'Shows the settings that make a tool call contextd at its events, or merges them into the settings of a project.',
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
The running daemon answers. If no daemon runs, or the daemon may not read the project,
this command answers by itself. If it cannot decide within 20 seconds, it refuses.

Examples:
  contextd hook install claude-code --write
  contextd hook claude-code < event.json

Exit codes:
  those of the tool: 0 answered   1 no context, the tool continues   2 refused`;

const installHelp = `
Nothing else in the settings file is changed; a second run changes nothing.

Exit codes:
  0 shown or written   64 wrong usage   78 the settings file cannot be used`;

async function answerHook(id: string, flags: { stateDir?: string }): Promise<void> {
  const { callHook } = await import('../hooks/call-hook.ts');
  await callHook(id, flags.stateDir);
}

async function installHook(id: string, directory: string, flags: { write?: boolean }): Promise<void> {
  const { hookToolOf } = await import('../hooks/tools.ts');
  const tool = hookToolOf(id) as HookTool;
  const { installSettings } = await import('../hooks/install-settings.ts');
  const surroundings = processSurroundings();
  process.stdout.write(installSettings(tool, { directory, write: flags.write === true, surroundings }));
  const { sayPartOfRepository } = await import('./shared/hints.ts');
  await sayPartOfRepository(directory, surroundings.home, ({ top }) => {
    const command = `contextd hook install ${id} ${top}${flags.write === true ? ' --write' : ''}`;
    return `${tool.name} may not find these settings where it is started elsewhere in it. For all of it: ${command}`;
  });
}
