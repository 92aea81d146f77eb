/** Describes a kind of ignore file of another tool: where it is, and how it is read (FX-01 … FX-05). */
import type { Steps } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { type IgnoreRule, parseIgnoreFile, type UnusableLine } from './ignore-rules.ts';

export type IgnoreKind = Readonly<{
  /** The name in settings. */
  name: string;
  /** Its path, relative to the directory that it applies to. */
  path: string;
  /** Absent if the mere existence of the file leaves out everything. */
  read?(text: string, place: IgnorePlace): Steps<ReadIgnoreFile>;
  /** The other file that a line includes, relative to the directory of this one. */
  includes?(line: string): string | undefined;
  /** A file nearer to the entry can include again what a file above it leaves out, as in git. */
  isNested?: true;
  /** Rule files of the same tool, which always loads them: names, and folders that end with `/`. */
  ownRules?: readonly string[];
  /** The file only applies to searches. A path that a request names is read. */
  isForSearch?: true;
}>;

/** Other places that patterns can start at, besides the directory of the file. */
export type IgnorePlace = Readonly<{ homeDirectory: string }>;

/** `excludesAll`: why everything below is left out, as the end of a sentence about the file. */
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

/** For kinds without `!`. A file without a pattern leaves out everything. */
export function* readWithoutNegation(text: string): Steps<ReadIgnoreFile> {
  const read = yield* readGitignoreSyntax(text);
  if ('problem' in read) return read;
  const rules = read.rules.filter(({ ignores }) => ignores);
  const negated = read.rules.filter(({ ignores }) => !ignores);
  const unusable = [
    ...(read.unusable ?? []),
    ...negated.map(({ line }) => ({ line, message: 'such a file cannot include files again with "!"' })),
  ];
  return { rules, unusable, excludesAll: rules.length === 0 ? 'has no pattern' : undefined };
}
