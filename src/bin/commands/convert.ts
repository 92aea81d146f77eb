import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ConvertRequest } from '../../context/convert/convert-request.ts';
import { formatNames, targetNames } from '../../context/formats/format-names.ts';
import { exitCodes, wrongUsage } from '../exit-codes.ts';
import { questions } from '../in-process/questions.ts';
import { printJson } from '../render/json.ts';
import { terminalSheet } from '../render/page.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { type CommonFlags, collect, jsonOption, projectArgument, stateDirOption } from './shared/options.ts';
import { askHere, sayOutsideRoots } from './shared/print-answer.ts';

type Flags = CommonFlags & { to: string; from?: string[]; write?: boolean; force?: boolean };

/** `contextd convert`: the rules of a project in another format. */
export function addConvertCommand(program: Command): void {
  program
    .command('convert')
    .summary('Write the rules of a project in the format of another tool.')
    .description(
      'Shows the files that the rules of a project become in another format, and what that format cannot express. Writes the files only with --write. Never deletes a file.',
    )
    .addArgument(projectArgument())
    .addOption(new Option('--to <format>', 'The format to write.').choices(targetNames).makeOptionMandatory())
    .option(
      '--from <format>',
      'Take only rules of this format; "context" means those of .context/. Repeatable.',
      collect,
    )
    .option('--write', 'Write the files.')
    .option('--force', 'With --write: also replace existing files that differ.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', convertHelp)
    .action(convert);
}

const convertHelp = `
Marks:
  + to write   = exists already   ! exists with another text, or refused

Examples:
  contextd convert --to agents-md
  contextd convert --to context --from cursor
  contextd convert --to cursor --write

Exit codes:
  0 done, or nothing to do   1 some files exist with another text, or were refused   64 wrong usage or directory
  70 internal error   78 unsafe discovery file`;

async function convert(directory: string, flags: Flags): Promise<void> {
  const { write = false, force = false } = flags;
  if (force && !write) throw wrongUsage('--force needs --write.');
  const unknown = flags.from?.find((name) => name !== 'context' && !formatNames.includes(name));
  if (unknown !== undefined) throw wrongUsage(`--from: there is no format ${JSON.stringify(unknown)}.`);
  const request: ConvertRequest = {
    mountedDirectory: resolve(directory),
    to: flags.to,
    ...(flags.from && { from: flags.from }),
  };
  const { result, outsideRootsOfDaemon } = await askHere(questions.convert(request), flags);
  const { writePlan } = await import('../in-process/write-plan.ts');
  const { mountedDirectory } = request;
  const files = await writePlan(result.files, { mountedDirectory, write, force });
  const isOpen = files.some(({ state, written }) => !written && (state === 'differs' || state === 'refused'));
  if (isOpen) process.exitCode = exitCodes.findings;
  if (flags.json === true) return printJson({ ...result, files });
  const { renderConversion } = await import('../render/conversion.ts');
  const sheet = terminalSheet(processSurroundings().home, result.mountedDirectory);
  process.stdout.write(`${renderConversion({ ...result, files }, sheet, { write, force }).join('\n')}\n`);
  if (outsideRootsOfDaemon) sayOutsideRoots(result.mountedDirectory);
}
