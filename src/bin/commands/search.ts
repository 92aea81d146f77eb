import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ItemSearchResult, SearchRequest } from '../../agent/item-search.ts';
import { shellWord } from '../../texts/shell-word.ts';
import { questions } from '../in-process/questions.ts';
import { printJson } from '../render/json.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { askDaemon, printPage } from './shared/ask-daemon.ts';
import { sayPartOfRepository } from './shared/hints.ts';
import {
  type CommonFlags,
  collectOf,
  jsonOption,
  positive,
  refuseBeside,
  stateDirOption,
  wholeNumber,
} from './shared/options.ts';
import { askHere, sayOutsideRoots } from './shared/print-answer.ts';

type Kind = 'rule' | 'reference' | 'tool';
type Flags = Pick<SearchRequest, 'preset' | 'mode' | 'topK' | 'topN' | 'includeScore' | 'minScore' | 'rejected'> &
  CommonFlags & {
    agent?: string;
    type?: Kind[];
    directory?: string;
    workingDirectory?: string;
  };

/** `contextd search`: which items are relevant. */
export function addSearchCommand(program: Command): void {
  const search = program.command('search');
  search
    .summary('Find the rules, references and tools that are relevant to a question.')
    .description(
      'Finds the rules, references and tools that are relevant to a question. Searches the context files of a directory and, with -w, those on the way down to where you work; or the items of an agent. The search for an agent needs a running daemon.',
    )
    .argument('<query>', 'what to search for')
    .argument('[dir]', 'the mounted directory', '.')
    .option('-w, --working-directory <dir>', 'The directory you work in, relative to <dir>. Default: <dir>.')
    .option('-a, --agent <id>', 'Search the items of this agent instead of a directory.')
    .option('-t, --type <type>', 'Only this kind: rule, reference or tool. Repeatable.', collectOf(kinds))
    .addOption(new Option('--preset <preset>', 'How much to select.').choices(['aggressive', 'normal', 'conservative']))
    .addOption(new Option('--mode <mode>', 'By meaning, by words, or both.').choices(['semantic', 'keyword', 'hybrid']))
    .option('--top-n <number>', 'Items to select, in addition to those of --include-score.', wholeNumber(200))
    .option('--top-k <number>', 'Items to consider, those that match best.', positive('integer'))
    .option('--include-score <score>', 'Select items with at least this score even beyond --top-n (0 to 1).', score)
    .option('--min-score <score>', 'Leave out items with a lower score (0 to 1).', score)
    .option('--rejected <number>', 'Also show this many items that were not selected, and why.', positive('integer'))
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', searchHelp)
    .action(async (query: string, directory: string, flags: Flags) => {
      if (flags.agent === undefined) return searchDirectory(query, directory, flags);
      refuseBeside('--agent', { 'A directory': search.args.length > 1, '-w': flags.workingDirectory !== undefined });
      await searchAgent(query, flags.agent, flags);
    });
}

const searchHelp = `
The running daemon answers. If no daemon runs, or the daemon may not read <dir>, this
command answers by itself. <dir> counts as granted for this one run, and the search
compares only words.

Examples:
  contextd search "how do we handle errors?"
  contextd search "read a file" --agent reviewer --type tool

Exit codes:
  0 answered   64 wrong usage or directory   69 the agent needs a daemon, and none runs`;

function requestOf(query: string, flags: Flags): SearchRequest {
  // `-d` was already used as the argument.
  const { agent: _agent, type, json: _json, stateDir: _stateDir, directory: _directory, ...options } = flags;
  return { query, types: type, ...options };
}

async function searchAgent(query: string, agentId: string, flags: Flags): Promise<void> {
  const body = { agentId, ...requestOf(query, flags) };
  await print(await askDaemon<ItemSearchResult>(flags, { method: 'POST', path: '/v1/search', body }), flags.json);
}

async function searchDirectory(query: string, directory: string, flags: Flags): Promise<void> {
  const mountedDirectory = resolve(directory);
  const question = questions.search({ mountedDirectory, ...requestOf(query, flags) });
  const { result, outsideRootsOfDaemon } = await askHere(question, flags);
  await print(result, flags.json, mountedDirectory);
  if (flags.json === true) return;
  if (result.results.length === 0) sayWhatSearchesFiles(query, directory);
  await sayPartOfRepository(mountedDirectory, processSurroundings().home, ({ top, here }) => {
    const command = `contextd search ${shellWord(query)} ${top} --working-directory ${here}`;
    return `Rules above it are not searched. To search them too: ${command}`;
  });
  if (outsideRootsOfDaemon) sayOutsideRoots(mountedDirectory);
}

/** Tells how to search the code, too. */
function sayWhatSearchesFiles(query: string, directory: string): void {
  const where = directory === '.' ? '' : ` -d ${shellWord(directory)}`;
  console.error(`To search the files of the project: contextd retrieve --query ${shellWord(query)}${where}`);
}

async function print(answer: ItemSearchResult, json: boolean | undefined, directory?: string): Promise<void> {
  if (json === true) return printJson(answer);
  const { renderSearch } = await import('../render/search.ts');
  await printPage((sheet) => renderSearch(answer, sheet), directory);
}

const kinds = ['rule', 'reference', 'tool'] satisfies Kind[];

function score(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return number;
}
