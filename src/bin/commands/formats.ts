import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { tools } from '../../context/formats/tools.ts';
import type { FormatsRequest, FormatsResult } from '../../context/formats-request.ts';
import type { Question } from '../in-process/ask-engine.ts';
import { collect, jsonOption, printJson, stateDirOption } from '../options.ts';
import { createSheet, terminalPage } from '../render/page.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { sayOutsideRoots } from './resolve.ts';

type Flags = { file?: string[]; as?: string; compare?: boolean; json?: boolean; stateDir?: string };

/** `contextd formats`: rule files of other tools, and what each tool would load of them. */
export function addFormatsCommand(program: Command): void {
  program
    .command('formats')
    .summary('Show which rule files of which tools are here, and what each tool sees.')
    .description(
      'Shows which rule files of other tools a project has, which apply and what they cost, and what each tool would ' +
        'load of the whole.',
    )
    .argument('[dir]', 'the mounted directory: the root of the project', '.')
    .addOption(
      new Option('-f, --file <path>', 'A file in play, relative to <dir>. It need not exist. Repeatable.').argParser(
        collect,
      ),
    )
    .addOption(new Option('--as <tool>', 'What this tool would load, and why.').choices(tools.map(({ id }) => id)))
    .addOption(new Option('--compare', 'Which tool would load which file.').conflicts('as'))
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', formatsHelp)
    .action(printFormats);
}

const formatsHelp = `
Marks of --compare:
  ● loaded now   ○ for other files, or when it is asked for

Examples:
  contextd formats
  contextd formats --as cursor --file src/cart.ts
  contextd formats --compare --file src/cart.ts

Exit codes:
  0 answered   64 wrong usage or directory   70 internal error   78 unsafe discovery file`;

async function printFormats(directory: string, flags: Flags): Promise<void> {
  const surroundings = processSurroundings();
  const request: FormatsRequest = {
    mountedDirectory: resolve(directory),
    ...(flags.file && { file: flags.file }),
    ...(flags.as && { as: flags.as }),
  };
  const { askEngine } = await import('../in-process/ask-engine.ts');
  const question: Question<FormatsRequest, FormatsResult> = {
    path: '/v1/formats',
    method: 'GET',
    request,
    ask: (engine, asked) => engine.formats(asked),
  };
  const { result, outsideRootsOfDaemon } = await askEngine(question, { stateDir: flags.stateDir, surroundings });
  if (flags.json === true) return printJson(result);
  const { renderComparison, renderFormats, renderView } = await import('../render/formats.ts');
  const sheet = createSheet(terminalPage(surroundings.home, result.mountedDirectory));
  const render = flags.compare === true ? renderComparison : flags.as === undefined ? renderFormats : renderView;
  process.stdout.write(`${render(result, sheet).join('\n')}\n`);
  if (outsideRootsOfDaemon) sayOutsideRoots(result.mountedDirectory);
}
