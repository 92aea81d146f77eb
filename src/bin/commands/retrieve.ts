import { relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportMode, RetrieveRequest } from '../../retrieval/retrieve-request.ts';
import type { RetrieveResult } from '../../retrieval/retrieve-result.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { collect, jsonOption, printJson, stateDirOption } from '../options.ts';
import { terminalPage } from '../render/page.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { askDaemon } from './ask-daemon.ts';

type Flags = {
  directory: string;
  query?: string;
  tab?: string[];
  imports?: ImportMode;
  search: boolean;
  maxTokens?: number;
  language?: string;
  stdin?: boolean;
  content?: boolean;
  json?: boolean;
  stateDir?: string;
};

/** `contextd retrieve`: the context that goes with a prompt, about a file or not. */
export function addRetrieveCommand(program: Command): void {
  program
    .command('retrieve')
    .summary('Show the context that goes with a prompt about a file.')
    .description(
      'Shows the context that goes with a prompt about a file: what you added, open tabs, what it imports, and what a query finds. Needs a running daemon.',
    )
    .argument('[file]', 'the active document; with --stdin it need not exist. Default: none, only what else is named')
    .option('-d, --directory <dir>', 'The mounted directory: the root of the project.', '.')
    .option('-q, --query <text>', 'What is asked; the workspace is searched for it.')
    .addOption(new Option('-t, --tab <path>', 'A file that is open besides. Repeatable.').argParser(collect))
    .addOption(new Option('--imports <mode>', 'What of imported files.').choices(['definitions', 'files', 'off']))
    .option('--no-search', 'Do not search the workspace for the query.')
    .addOption(new Option('--max-tokens <number>', 'Budget for all of it.').argParser(tokens))
    .option('--language <name>', 'Language of <file>, where its name does not tell.')
    .option('--stdin', 'Take the content of <file> from standard input: what an editor has not saved.')
    .option('--content', 'Print the context itself instead of a list.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', retrieveHelp)
    .action(printRetrieval);
}

const retrieveHelp = `
Examples:
  contextd retrieve src/cart.ts
  contextd retrieve                       what you added by hand
  contextd retrieve src/cart.ts --query "how are prices rounded" --max-tokens 4000
  contextd retrieve src/new.ts --stdin < draft.ts

Exit codes:
  0 answered   64 wrong usage or directory   69 no daemon runs   70 internal error`;

async function printRetrieval(file: string | undefined, flags: Flags): Promise<void> {
  if (file === undefined && (flags.stdin === true || flags.language !== undefined))
    throw new CommandFailure(exitCodes.usage, 'say which file --stdin and --language are about');
  const surroundings = processSurroundings();
  const mountedDirectory = resolve(flags.directory);
  // A person means paths relative to where they stand.
  const place = (path: string): string => relative(mountedDirectory, resolve(path)) || '.';
  const request: RetrieveRequest = {
    mountedDirectory,
    ...(file === undefined
      ? {}
      : {
          activeDocument: {
            path: place(file),
            ...(flags.stdin === true ? { content: await text(process.stdin) } : {}),
            language: flags.language,
          },
        }),
    openTabs: flags.tab?.map((tab) => resolve(tab)),
    query: flags.query,
    automatic: { search: flags.search, imports: flags.imports },
    ...(flags.maxTokens === undefined ? {} : { budget: { maxTokens: flags.maxTokens } }),
  };
  const result = await askDaemon<RetrieveResult>(flags, { method: 'POST', path: '/v1/retrieve', body: request });
  if (flags.json === true) return printJson(result);
  const { renderContents, renderRetrieval } = await import('../render/retrieval.ts');
  const page = terminalPage(surroundings.home, mountedDirectory);
  process.stdout.write(flags.content === true ? renderContents(result) : renderRetrieval(result, page));
}

function tokens(value: string): number {
  if (!/^\d{1,9}$/u.test(value) || Number(value) > 100_000_000)
    throw new InvalidArgumentError('It must be a whole number, 0 to 100,000,000.');
  return Number(value);
}
