import { relative, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatNames } from '../../context/formats/format-names.ts';
import { tools } from '../../context/formats/tools.ts';
import type { FormatsRequest, FormatsResult, FormatsWritten } from '../../context/formats-request.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { queryOf } from '../client/query.ts';
import { wrongUsage } from '../exit-codes.ts';
import { questions } from '../in-process/questions.ts';
import { printJson } from '../render/json.ts';
import type { Sheet } from '../render/page.ts';
import { runningDaemon } from './shared/ask-daemon.ts';
import { pathIn } from './shared/given-paths.ts';
import { type CommonFlags, collect, jsonOption, projectArgument, stateDirOption } from './shared/options.ts';
import { printAnswer } from './shared/print-answer.ts';

type Flags = CommonFlags & {
  file?: string[];
  workingDirectory?: string;
  as?: string;
  compare?: boolean;
  with?: string;
  without?: string;
  write?: boolean;
};

/** `contextd formats`: the rule files of other tools, and which of them each tool would load. */
export function addFormatsCommand(program: Command): void {
  program
    .command('formats')
    .summary('Show the rule files of other tools here, and what each tool sees.')
    .description(
      'Shows the rule files of other tools in a project, which of them apply, and how many tokens they cost. Also shows what each tool would load.',
    )
    .addArgument(projectArgument())
    .option('-f, --file <path>', 'A file in play, relative to <dir>. It need not exist. Repeatable.', collect)
    .option('-w, --working-directory <dir>', 'The directory you work in, inside <dir>.')
    .addOption(new Option('--as <tool>', 'Show what this tool would load, and why.').choices(tools.map(({ id }) => id)))
    .addOption(new Option('--compare', 'Show which tool would load which file.').conflicts('as'))
    .addOption(changeOption('--with <format>', 'Show what would change if the configuration enabled this format.'))
    .addOption(changeOption('--without <format>', 'Show what would change if the configuration disabled this format.'))
    .addOption(
      new Option(
        '--write',
        'Write the change of --with or --without to the configuration. Needs a running daemon.',
      ).conflicts(['as', 'compare']),
    )
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', formatsHelp)
    .action(printFormats);
}

function changeOption(flags: string, description: string): Option {
  const option = new Option(flags, description).choices(formatNames).conflicts(['as', 'compare']);
  const { parseArg } = option;
  // The names of all formats would not say that it is the comma.
  return option.argParser((value: string, before: unknown) => {
    if (value.includes(','))
      throw new InvalidArgumentError('It takes one format. Add --write to change one after the other.');
    return parseArg?.(value, before);
  });
}

const formatsHelp = `
Marks of --compare:
  ● loaded now   ○ loaded for other files, or on request

Examples:
  contextd formats
  contextd formats --as cursor --file src/cart.ts
  contextd formats --compare --file src/cart.ts
  contextd formats --without cursor
  contextd formats --without cursor --write

Exit codes:
  0 answered   64 wrong usage, directory or version   69 no daemon runs, for --write   70 internal error
  78 unsafe discovery file`;

async function printFormats(directory: string, flags: Flags): Promise<void> {
  const request: FormatsRequest = {
    mountedDirectory: resolve(directory),
    ...(flags.file && { file: flags.file.map((path) => pathIn(directory, path)) }),
    ...(flags.workingDirectory !== undefined && { workingDirectory: flags.workingDirectory }),
    ...(flags.as && { as: flags.as }),
    ...(flags.with !== undefined && { with: flags.with }),
    ...(flags.without !== undefined && { without: flags.without }),
  };
  if (flags.write === true) return writeFormats(request, flags);
  await printAnswer(questions.formats(request), flags, async (result, sheet) => {
    const render = await rendererOf(flags);
    return `${render(result, sheet).join('\n')}\n`;
  });
}

async function rendererOf({ as, compare, with: added, without }: Flags) {
  const { renderChange, renderComparison, renderFormats, renderView } = await import('../render/formats.ts');
  if (added !== undefined || without !== undefined) return renderChange;
  if (compare === true) return renderComparison;
  if (as === undefined) return renderFormats;
  return (result: FormatsResult, sheet: Sheet) => renderView(result, sheet, as);
}

/** Writes the changed configuration, unless someone else changed it after it was read. */
async function writeFormats(request: FormatsRequest, flags: Flags): Promise<void> {
  if (request.with === undefined && request.without === undefined)
    throw wrongUsage('say what to write, with --with or --without');
  const daemon = await runningDaemon(flags);
  const { change } = await daemon.request<FormatsResult>({ method: 'GET', path: `/v1/formats?${queryOf(request)}` });
  if (change === undefined) throw new Error('The daemon did not say what would change.');
  const written = await daemon.request<FormatsWritten>({
    method: 'PUT',
    path: '/v1/formats',
    body: { mountedDirectory: request.mountedDirectory, formats: change.formats },
    headers: change.etag === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${change.etag}"` },
  });
  if (flags.json === true) return printJson(written);
  console.log(`Written: ${visibleText(relative('.', written.configuration))}`);
}
