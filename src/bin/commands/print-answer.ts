/** What commands share that ask one question about a directory, and print the answer. */
import { visibleText } from '../../texts/visible-text.ts';
import type { Warning } from '../../warnings.ts';
import type { Question } from '../in-process/ask-engine.ts';
import { printJson } from '../options.ts';
import { type Sheet, terminalSheet } from '../render/page.ts';
import { shellWord } from '../render/terminal-text.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { sayPartOfRepository } from './where-one-stands.ts';

type Flags = {
  json?: boolean;
  stateDir?: string;
  /** Tells a person what it means that the directory is a part of a repository. */
  sayPart?(mountedDirectory: string, home: string): Promise<void>;
};

/** Prints the JSON of the answer, or the page that `render` makes of it, lines ended by `\n`. */
export async function printAnswer<Request extends { mountedDirectory: string }, Result extends { warnings: Warning[] }>(
  question: Question<Request, Result>,
  { json, stateDir, sayPart = sayPartOfRepository }: Flags,
  render: (result: Result, sheet: Sheet) => Promise<string>,
): Promise<void> {
  const surroundings = processSurroundings();
  const { mountedDirectory } = question.request;
  const { askEngine } = await import('../in-process/ask-engine.ts');
  const { result, outsideRootsOfDaemon } = await askEngine(question, { stateDir, surroundings });
  if (json === true) return printJson(result);
  process.stdout.write(await render(result, terminalSheet(surroundings.home, mountedDirectory)));
  await sayPart(mountedDirectory, surroundings.home);
  if (outsideRootsOfDaemon) sayOutsideRoots(mountedDirectory);
}

/** Tells a person that the daemon would have refused. */
export function sayOutsideRoots(mountedDirectory: string): void {
  const grant = `contextd roots grant ${shellWord(mountedDirectory)}`;
  console.error(
    `The daemon may not read ${visibleText(mountedDirectory)}; editors get nothing from there until: ${grant}`,
  );
}
