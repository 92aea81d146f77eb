import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { ImportMode } from '../../retrieval/retrieve-request.ts';
import { shellWord } from '../../texts/shell-word.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { wrongUsage } from '../exit-codes.ts';
import { questions } from '../in-process/questions.ts';
import { isDirectory } from '../state/paths-on-disk.ts';
import { pathIn } from './shared/given-paths.ts';
import { sayOtherRepository, sayPartOfRepository } from './shared/hints.ts';
import {
  type CommonFlags,
  collect,
  jsonOption,
  projectArgument,
  stateDirOption,
  wholeNumber,
} from './shared/options.ts';
import { printAnswer } from './shared/print-answer.ts';

type Flags = CommonFlags & {
  query?: string;
  tab?: string[];
  imports?: ImportMode;
  search: boolean;
  maxTokens?: number;
  language?: string;
  stdin?: boolean;
  content?: boolean;
};

/** `contextd retrieve`: the context that goes with a prompt, about a file or not. */
export function addRetrieveCommand(program: Command): void {
  program
    .command('retrieve')
    .summary('Show the context that goes with a prompt about a file.')
    .description(
      'Shows the context that goes with a prompt about a file: what you added, open tabs, what it imports, and what a query finds.',
    )
    .argument('[file]', 'the active document, relative to <dir>; with --stdin it need not exist. Default: no document')
    .addArgument(projectArgument())
    .option('-q, --query <text>', 'The question. The workspace is searched for it.')
    .option('-t, --tab <path>', 'Another open file, relative to <dir>. Repeatable.', collect)
    .addOption(
      new Option('--imports <mode>', 'What to take from imported files.').choices(['definitions', 'files', 'off']),
    )
    .option('--no-search', 'Do not search the workspace for the query.')
    .option('--max-tokens <number>', 'Max tokens for the whole context.', wholeNumber(100_000_000))
    .option('--language <name>', 'Language of <file>, if its name does not show it.')
    .option('--stdin', 'Read the content of <file> from standard input, such as unsaved text of an editor.')
    .option('--content', 'Print the context itself instead of a list.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', retrieveHelp)
    .action(printRetrieval);
}

const retrieveHelp = `
The running daemon answers. If no daemon runs, or the daemon may not read <dir>, this
command answers by itself. <dir> counts as granted for this one run, and the search
compares only words.

Examples:
  contextd retrieve src/cart.ts
  contextd retrieve                       what you added by hand
  contextd retrieve --query "how are prices rounded"
  contextd retrieve src/cart.ts --query "how are prices rounded" --max-tokens 4000
  contextd retrieve src/new.ts --stdin < draft.ts

Exit codes:
  0 answered   64 wrong usage or directory   70 internal error   78 unsafe discovery file`;

/** Most commands take a directory first, so people write `contextd retrieve .`. */
function refuseDirectory(file: string, directory: string): void {
  const path = resolve(directory, pathIn(directory, file));
  if (!isDirectory(path)) return;
  const instead = `Without a file: contextd retrieve -d ${shellWord(path === resolve(file) ? file : path)}`;
  throw wrongUsage(`${visibleText(file)} is a directory, not a file. ${instead}`);
}

async function printRetrieval(file: string | undefined, directory: string, flags: Flags): Promise<void> {
  if (file === undefined && (flags.stdin === true || flags.language !== undefined))
    throw wrongUsage('say which file --stdin and --language are about');
  if (file !== undefined) refuseDirectory(file, directory);
  const question = questions.retrieve({
    mountedDirectory: resolve(directory),
    ...(file === undefined
      ? {}
      : {
          activeDocument: {
            path: pathIn(directory, file),
            ...(flags.stdin === true ? { content: await text(process.stdin) } : {}),
            language: flags.language,
          },
        }),
    openTabs: flags.tab,
    query: flags.query,
    automatic: { search: flags.search, imports: flags.imports },
    budget: flags.maxTokens === undefined ? undefined : { maxTokens: flags.maxTokens },
  });
  const sayPlace = async (mountedDirectory: string, home: string): Promise<void> => {
    if (file === undefined) return;
    const path = resolve(directory, pathIn(directory, file));
    await sayOtherRepository(path, mountedDirectory, home);
    await sayPartOfRepository(
      mountedDirectory,
      home,
      ({ top, wordOf }) => `Files above it are not used. To use them too: contextd retrieve ${wordOf(path)} ${top}`,
    );
  };
  await printAnswer(question, { ...flags, sayPlace }, async (result, sheet) => {
    const { renderContents, renderRetrieval } = await import('../render/retrieval.ts');
    return flags.content === true ? renderContents(result) : renderRetrieval(result, sheet, flags);
  });
}
