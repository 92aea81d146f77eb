import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Scope } from '../../context/item-values.ts';
import type { Expand } from '../../context/offered-part.ts';
import type { ResolveRequest } from '../../context/resolve-request.ts';
import { type NameChoice, parseNameChoice } from '../../settings.ts';
import type { Warning } from '../../warnings.ts';
import { questions } from '../in-process/questions.ts';
import { pathIn } from './shared/given-paths.ts';
import { sayDirectories, sayMentions, sayPartOfRepository, sayRepositoriesBelow } from './shared/hints.ts';
import {
  type CommonFlags,
  collect,
  collectOf,
  jsonOption,
  projectArgument,
  stateDirOption,
  wholeNumber,
} from './shared/options.ts';
import { printAnswer } from './shared/print-answer.ts';

export type RequestFlags = {
  file?: string[];
  mention?: string[];
  query?: string;
  expand?: string[];
  workingDirectory?: string;
  scope?: Scope[];
  formats?: NameChoice;
};

type Flags = RequestFlags &
  CommonFlags & {
    content: boolean;
    maxTokens?: number;
  };

/** `contextd resolve`: which context applies, and why. */
export function addResolveCommand(program: Command): void {
  const command = program
    .command('resolve')
    .summary('Show which context applies, and why.')
    .description('Shows which context files a model should see, and why.')
    .addArgument(projectArgument());
  addRequestOptions(command)
    .option('--max-tokens <number>', 'Max tokens for the bodies of active files.', wholeNumber(100_000_000))
    .option('--no-content', 'With --json: leave the bodies out.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', resolveHelp)
    .action(printResolution);
}

/** The options that say where work happens and what is asked for. */
export function addRequestOptions(command: Command): Command {
  return command
    .option('-f, --file <path>', 'A file in play, relative to <dir>. It need not exist. Repeatable.', collect)
    .option('-m, --mention <name>', 'A context file you ask for, by name or path. Repeatable.', collect)
    .option('-q, --query <text>', 'The question. It selects agent files by relevance.')
    .addOption(expandOption())
    .option(
      '-w, --working-directory <dir>',
      'The directory you work in, relative to <dir>. Default: that of each --file, else <dir>.',
    )
    .option(
      '--scope <scope>',
      'Use only this scope: global, static or dynamic. Repeatable. Default: all.',
      collectOf(scopes),
    )
    .option(
      '--formats <names>',
      'Rule files of other tools: all, none, or names with commas. Default: all.',
      parseNameChoice,
    );
}

/** Of a long item that search selects, only a part is shown. */
export function expandOption(): Option {
  const words = 'Name or path of a long item. If search selects it, you get it whole; "all": every item. Repeatable.';
  return new Option('-x, --expand <name>', words).argParser(collect);
}

export function expandOf({ expand }: { expand?: string[] }): Expand | undefined {
  return expand?.includes('all') ? 'all' : expand;
}

/** The request for these options. */
export function requestOf(directory: string, flags: RequestFlags): ResolveRequest {
  return {
    mountedDirectory: resolve(directory),
    workingDirectory: flags.workingDirectory,
    files: flags.file?.map((path) => pathIn(directory, path)),
    mentions: flags.mention,
    query: flags.query,
    expand: expandOf(flags),
    scopes: flags.scope,
    formats: flags.formats as ResolveRequest['formats'],
  };
}

const resolveHelp = `
The running daemon answers. If no daemon runs, or the daemon may not read <dir>, this
command answers by itself. You named <dir>, so it counts as granted for this one run.

Marks:
  ● active: the model should see it   ○ available: it can be asked for   ✕ left out

Examples:
  contextd resolve
  contextd resolve ~/code/shop --file src/cart.ts --mention release-notes
  contextd resolve --json --max-tokens 4000 | jq -r '.files[].content // empty'

Exit codes:
  0 answered   64 wrong usage or directory   70 internal error   78 unsafe discovery file`;

async function printResolution(directory: string, flags: Flags): Promise<void> {
  const request: ResolveRequest = {
    ...requestOf(directory, flags),
    content: flags.content,
    budget: flags.maxTokens === undefined ? undefined : { maxTokens: flags.maxTokens },
  };
  const sayPlace = async (mountedDirectory: string, home: string, warnings: readonly Warning[]): Promise<void> => {
    await sayPartOfRepository(mountedDirectory, home);
    await sayRepositoriesBelow(mountedDirectory, request.files ?? [], home);
    sayDirectories(mountedDirectory, request);
    sayMentions(mountedDirectory, request, warnings);
  };
  await printAnswer(questions.resolve(request), { ...flags, sayPlace }, async (result, sheet) => {
    const { renderResolution } = await import('../render/resolution.ts');
    return renderResolution(result, sheet);
  });
}

const scopes = ['global', 'static', 'dynamic'] satisfies Scope[];
