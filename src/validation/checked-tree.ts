/** A tree whose files were read and checked one by one, for checks that need several files. */
import type { LoadedDirectory } from '../context/load-directory.ts';
import type { LoadedConfig, MergedConfig } from '../context/merge.ts';
import type { Pause } from '../pace/turns.ts';
import type { CheckedConfig, PlacedPattern } from './check-config.ts';
import type { CheckedContextFile } from './check-context-file.ts';
import type { CheckedPolicy } from './check-policy.ts';

/** What all checks of one tree share. `readableFiles`: those of `files` that could be context. */
export type Tree = {
  mountedDirectory: string;
  homeDirectory: string;
  files: readonly string[];
  readableFiles: readonly string[];
  pause: Pause;
};

/**
 * A context directory. `merged`: the configurations from the mounted directory down to its owner, as one. `included`:
 * the files that its own include patterns find, each with the exclude pattern that leaves it out again, if any.
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

/** The patterns of the configurations of a context directory in one field. */
export function patternsOf(directory: TreeDirectory, field: PlacedPattern['field']): PlacedPattern[] {
  return directory.configs.flatMap(({ checked }) => checked.patterns.filter((each) => each.field === field));
}

/** Whether one AI working directory can use both directories. */
export function areOnOneWay(ownerA: string, ownerB: string): boolean {
  const [a, b] = [`${ownerA}/`, `${ownerB}/`];
  return a.startsWith(b) || b.startsWith(a);
}
