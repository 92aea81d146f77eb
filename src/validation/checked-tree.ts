/** A tree whose files were read and checked one by one, ready for what only shows when they are seen together. */
import type { LoadedDirectory } from '../context/load-directory.ts';
import type { LoadedConfig, MergedConfig } from '../context/merge.ts';
import type { CheckedConfig, PlacedPattern } from './check-config.ts';
import type { CheckedContextFile } from './check-context-file.ts';
import type { CheckedPolicy } from './check-policy.ts';
import type { Pace } from './find-file.ts';

/** What all checks of one tree share. `readableFiles` are those of `files` that could be context. */
export type Tree = {
  mountedDirectory: string;
  homeDirectory: string;
  files: readonly string[];
  readableFiles: readonly string[];
  pace: Pace;
};

/**
 * A context directory. `merged` unites the configurations from the mounted directory down to its owner; `included` are
 * the files that its own include patterns find from there, each with the exclude pattern that leaves it out again.
 */
export type TreeDirectory = {
  loaded: LoadedDirectory;
  configs: readonly TreeConfig[];
  merged: MergedConfig;
  included: Map<string, string | undefined>;
};
export type TreeConfig = { config: LoadedConfig; checked: CheckedConfig };

/** A context file and the owner of the context directory that delivers it. */
export type TreeFile = { path: string; owner: string; checked: CheckedContextFile };

export type TreePolicy = { directory: string; checked: CheckedPolicy };

/** The patterns that the configurations of a context directory write in one field. */
export function patternsOf(directory: TreeDirectory, field: PlacedPattern['field']): PlacedPattern[] {
  return directory.configs.flatMap(({ checked }) => checked.patterns.filter((each) => each.field === field));
}

/** Whether two directories can ever be on the way to the same AI working directory. */
export function areOnOneWay(ownerA: string, ownerB: string): boolean {
  const [a, b] = [`${ownerA}/`, `${ownerB}/`];
  return a.startsWith(b) || b.startsWith(a);
}
