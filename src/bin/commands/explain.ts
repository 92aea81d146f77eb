import { resolve } from 'node:path';
import type { Command } from 'commander';
import { questions } from '../in-process/questions.ts';
import { addRequestOptions, type RequestFlags, requestOf } from './resolve.ts';
import { pathIn } from './shared/given-paths.ts';
import { type CommonFlags, jsonOption, projectArgument, stateDirOption } from './shared/options.ts';
import { printAnswer } from './shared/print-answer.ts';

type Flags = RequestFlags & CommonFlags;

/** `contextd explain`: why a file is context, or why not. */
export function addExplainCommand(program: Command): void {
  const command = program
    .command('explain')
    .summary('Show why a file is context, or why not.')
    .description('Shows why a file is context, or why not: the verdict of resolve and every step that led to it.')
    .argument('[path]', 'the file to explain, relative to <dir>; it need not exist (default: every candidate)')
    .addArgument(projectArgument());
  addRequestOptions(command)
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', explainHelp)
    .action(printExplanation);
}

const explainHelp = `
The running daemon answers. If no daemon runs, or the daemon may not read <dir>, this
command answers by itself. You named <dir>, so it counts as granted for this one run.

Examples:
  contextd explain .context/style.md --file src/app.ts
  contextd explain docs/guide.md ~/shop   why is this not context?
  contextd explain --file src/app.ts      every candidate

Exit codes:
  0 answered   64 wrong usage or directory   70 internal error   78 unsafe discovery file`;

async function printExplanation(path: string | undefined, directory: string, flags: Flags): Promise<void> {
  const question = questions.explain({
    ...requestOf(directory, flags),
    path: path === undefined ? undefined : resolve(directory, pathIn(directory, path)),
  });
  await printAnswer(question, flags, async (result, sheet) => {
    const { renderExplanation } = await import('../render/explanation.ts');
    return renderExplanation(result, sheet);
  });
}
