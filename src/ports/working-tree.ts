/** The differences of a working tree to the last commit. Implemented by `adapters/git/git-working-tree.ts`. */

/**
 * A file that may differ from the last commit; the caller compares it. `path` is absolute, and begins with the
 * directory as the caller wrote it. `removed`: only in the commit; `added`: only in the working tree.
 */
export type ChangedFile = Readonly<{
  path: string;
  change: 'added' | 'modified' | 'removed';
  /** The blob with the committed content. Absent for an added file. */
  blob?: string;
}>;

/**
 * Why nothing can be compared. `untrusted`: `.git` does not lead to a repository of this working tree. `unsupported`:
 * the repository has a format that cannot be read.
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
  /** The committed contents by blob. Leaves out a blob that is missing, or larger than the given bytes. */
  readBlobs(blobs: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Uint8Array>>;
}>;

/** Only reads: runs no programs of a repository, and writes nothing. Never throws. */
export interface WorkingTree {
  /** Changed files below `directory`. `also`: absolute paths of files to include even if unchanged on disk. */
  compare(
    directory: string,
    options: { also: readonly string[]; signal?: AbortSignal | undefined },
  ): Promise<Comparison | ComparisonRefusal>;
}
