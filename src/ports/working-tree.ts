/** A working tree beside the last commit, as the engine asks for it. Implemented by `adapters/git/git-working-tree.ts`. */

/**
 * A file that differs from the last commit, or may: what is told is compared by the caller. `path` is absolute, by the name
 * of the directory that was asked about. `removed`: it is not in the working tree; `added`: not in the commit.
 */
export type ChangedFile = Readonly<{
  path: string;
  change: 'added' | 'modified' | 'removed';
  /** Where git keeps what was committed; absent of an added file. */
  blob?: string;
}>;

/**
 * Why nothing can be compared. `untrusted`: what `.git` names is not a repository of this working tree; `unsupported`: git
 * keeps it in a way that is not read here.
 */
export type ComparisonRefusal = Readonly<{
  ok: false;
  code: 'no_repository' | 'no_commit' | 'untrusted' | 'unsupported' | 'no_git' | 'failed';
}>;

export type Comparison = Readonly<{
  ok: true;
  /** By path. */
  changed: readonly ChangedFile[];
  /** Whether there are more. */
  truncated: boolean;
  /** What was committed, by blob; one that has more than the given bytes, or is not there, is left out. */
  readBlobs(blobs: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Uint8Array>>;
}>;

/** Reads only: nothing is run that a repository names, and nothing is written to it. Never throws. */
export interface WorkingTree {
  /** Files below `directory`; `also` those at these paths, absolute, though on disk they are as they were committed. */
  compare(
    directory: string,
    options: { also: readonly string[]; signal?: AbortSignal | undefined },
  ): Promise<Comparison | ComparisonRefusal>;
}
