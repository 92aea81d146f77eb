import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { visibleText } from '../../texts/visible-text.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { terminalSheet } from '../render/page.ts';
import { parseContextEnvironment } from '../state/context-environment.ts';
import { processSurroundings, type Surroundings } from '../state/state-directory.ts';
import { sayPartOfRepository } from './shared/hints.ts';
import { type CommonFlags, jsonOption, projectArgument, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & { write?: boolean };

/** `contextd init`: shows the context of a project, and creates a first context file. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .summary('Show what a project has, and make its first context file.')
    .description(
      'Shows the rule files of all tools in a project, and which of them apply. With --write, makes a context directory with one example, if there is none.',
    )
    .addArgument(projectArgument())
    .option('--write', 'Make the context directory. Existing files never change.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', '\nExit codes:\n  0 done   64 wrong usage or directory   70 internal error')
    .action(init);
}

async function init(directory: string, flags: Flags): Promise<void> {
  const mountedDirectory = resolve(directory);
  const surroundings = processSurroundings();
  const written = flags.write === true ? writeExample(mountedDirectory, surroundings) : undefined;
  const { overviewOf } = await import('./shared/overview.ts');
  const found = await overviewOf(mountedDirectory, { stateDir: flags.stateDir, surroundings });
  if (flags.json === true) return printJson({ ...found, ...(written?.isNew && { written: written.path }) });
  const { hasNothing, renderOverview, renderNextSteps, wordsOfDirectory } = await import('../render/overview.ts');
  const sheet = terminalSheet(surroundings.home);
  const lines = renderOverview(found, sheet);
  if (written === undefined && !hasNothing(found) && !existsSync(contextDirectoryOf(mountedDirectory, surroundings)))
    lines.push('', `"contextd init${wordsOfDirectory(directory)} --write" makes a context directory with an example.`);
  else if (written?.isNew) lines.push('', `${sheet.place(written.path)} is an example: change it as you like.`);
  else if (written) lines.push('', `${sheet.place(written.path)} is there already; nothing was written.`);
  process.stdout.write(`${[...lines, ...renderNextSteps(found, sheet, directory)].join('\n')}\n`);
  await sayPartOfRepository(mountedDirectory, surroundings.home);
}

function contextDirectoryOf(mountedDirectory: string, { environment, home }: Surroundings): string {
  return join(mountedDirectory, parseContextEnvironment(environment, home).clientContextPath);
}

/** Only if there is no context directory: the files of the user are not changed. */
function writeExample(mountedDirectory: string, surroundings: Surroundings): { path: string; isNew: boolean } {
  const directory = contextDirectoryOf(mountedDirectory, surroundings);
  if (!directory.startsWith(`${mountedDirectory}/`))
    throw wrongUsage('CLIENT_CONTEXT_PATH leads out of the directory; nothing was written.');
  for (let above = dirname(directory); above !== mountedDirectory; above = dirname(above))
    if (lstatSync(above, { throwIfNoEntry: false })?.isSymbolicLink())
      throw wrongUsage(`${visibleText(above)} is a link; nothing was written.`);
  const path = join(directory, 'example.md');
  try {
    if (!existsSync(mountedDirectory)) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
    mkdirSync(dirname(directory), { recursive: true });
    mkdirSync(directory);
    writeFileSync(path, example, { flag: 'wx' });
    return { path, isNew: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return { path: directory, isNew: false };
    throw wrongUsage(`${directory} cannot be made (${code}).`);
  }
}

const example = `---
# When a model sees this file:
#   always   in each request
#   auto     when a file in play matches the globs
#   agent    when the description fits what is asked
#   manual   when somebody mentions it by name: "example"
trigger: manual
# globs: ["src/**/*.ts"]
# description: How we write tests
---

# Example

Write here what a model should know about this project, in short sentences:

- what to do, and what to leave alone
- which commands build and test it
- names of things that mean something else than elsewhere
`;
