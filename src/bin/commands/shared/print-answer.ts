/** Shared by commands that ask one question about a directory and print the answer. */

import { shellWord } from '../../../texts/shell-word.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import type { Warning } from '../../../warnings.ts';
import type { Answered } from '../../in-process/ask-engine.ts';
import type { Question } from '../../in-process/questions.ts';
import { printJson } from '../../render/json.ts';
import { type Sheet, terminalSheet } from '../../render/page.ts';
import { processSurroundings } from '../../state/state-directory.ts';
import { sayPartOfRepository } from './hints.ts';

type Flags = {
  json?: boolean;
  stateDir?: string;
  /** Tells a person what the place means for the answer. Default: that the directory is only a part of a repository. */
  sayPlace?(mountedDirectory: string, home: string, warnings: readonly Warning[]): Promise<void>;
};

export async function askHere<Request extends { mountedDirectory: string }, Result extends { warnings: Warning[] }>(
  question: Question<Request, Result>,
  { stateDir }: { stateDir?: string },
): Promise<Answered<Result>> {
  const { askEngine } = await import('../../in-process/ask-engine.ts');
  return askEngine(question, { stateDir, surroundings: processSurroundings() });
}

/** Prints the answer as JSON, or as the page that `render` returns. */
export async function printAnswer<Request extends { mountedDirectory: string }, Result extends { warnings: Warning[] }>(
  question: Question<Request, Result>,
  flags: Flags,
  render: (result: Result, sheet: Sheet) => Promise<string>,
): Promise<void> {
  const { json, sayPlace = (directory, own) => sayPartOfRepository(directory, own) } = flags;
  const { home } = processSurroundings();
  const { mountedDirectory } = question.request;
  const { result, outsideRootsOfDaemon } = await askHere(question, flags);
  if (json === true) return printJson(result);
  process.stdout.write(await render(result, terminalSheet(home, mountedDirectory)));
  await sayPlace(mountedDirectory, home, result.warnings);
  if (outsideRootsOfDaemon) sayOutsideRoots(mountedDirectory);
}

/** Tells a person that the daemon would have refused. */
export function sayOutsideRoots(mountedDirectory: string): void {
  const grant = `contextd roots grant ${shellWord(mountedDirectory)}`;
  console.error(
    `The daemon may not read ${visibleText(mountedDirectory)}; editors get nothing from there until: ${grant}`,
  );
}
