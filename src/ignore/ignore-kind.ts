/** What an ignore file of another tool is: where it lies, and what it says (FX-01 … FX-05). */
import type { Steps } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { type IgnoreRule, parseIgnoreFile, type UnusableLine } from './ignore-rules.ts';

export type IgnoreKind = Readonly<{
  /** As settings have it. */
  name: string;
  /** Where it lies, relative to the directory below which it leaves things out. */
  path: string;
  /** Absent if the file leaves out everything by its existence. */
  read?(text: string, place: IgnorePlace): Steps<ReadIgnoreFile>;
  /** The path of another file that a line stands for, from the directory of this one. */
  includes?(line: string): string | undefined;
  /** A file nearer to what is asked about can bring back what one above it leaves out, as in git. */
  isNested?: true;
  /** Rule files of the same tool, which loads them whatever this file says: names, and folders with `/` at their ends. */
  ownRules?: readonly string[];
  /** The file counts for searches only. A path that is asked for by name is read. */
  isForSearch?: true;
}>;

/** What a file may speak of besides paths relative to its directory. */
export type IgnorePlace = Readonly<{ homeDirectory: string }>;

/** `excludesAll`: why everything below is left out, in a sentence about the file. */
export type UsableIgnoreFile = Readonly<{
  rules: readonly IgnoreRule[];
  unusable?: readonly UnusableLine[];
  excludesAll?: string;
}>;
/** `problem`: why it cannot be used. */
export type ReadIgnoreFile = UsableIgnoreFile | Readonly<{ problem: string; line?: number }>;

export function* readGitignoreSyntax(text: string): Steps<ReadIgnoreFile> {
  const { lines } = fixedLimits.ignoreFiles;
  const { rules, unusable, isTooLong } = yield* parseIgnoreFile(text, lines);
  return isTooLong ? { problem: `it has more than ${lines} lines, or one that is too long` } : { rules, unusable };
}

/** For files without `!`. A file without any pattern leaves out everything. */
export function* readWithoutNegation(text: string): Steps<ReadIgnoreFile> {
  const read = yield* readGitignoreSyntax(text);
  if ('problem' in read) return read;
  const rules = read.rules.filter(({ ignores }) => ignores);
  const negated = read.rules.filter(({ ignores }) => !ignores);
  const unusable = [
    ...(read.unusable ?? []),
    ...negated.map(({ line }) => ({ line, message: 'such a file cannot include files again with "!"' })),
  ];
  return { rules, unusable, ...(rules.length === 0 && { excludesAll: 'has no pattern' }) };
}
