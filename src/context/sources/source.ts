/** The interface of all sources of context. */
import type { World } from '../../access/world.ts';
import type { Warning } from '../../warnings.ts';
import type { Candidate } from '../candidate.ts';
import type { ContextDirectory } from '../directories.ts';
import type { Scope } from '../item-values.ts';
import type { LoadedDirectory } from '../load-directory.ts';
import type { LoadedConfig, MergedConfig } from '../merge.ts';
import type { Searched, SharedWalks } from './included.ts';
import type { SharedListings } from './rule-places.ts';

/** A working directory, and where its context directories are. Paths are absolute and normalised. */
export type WorkPlace = Readonly<{
  mountedDirectory: string;
  workingDirectory: string;
  clientContextPath: string;
  globalContextPath: string;
  scopes: ReadonlySet<Scope>;
}>;

/** Where work happens, and what a request says about it. */
export type Where = WorkPlace &
  Readonly<{
    filesInPlay: readonly string[];
    mentions: readonly string[];
    /** Names of the formats of other tools that are read. With `narrowed`, only those that configurations allow. */
    formats: readonly string[];
    narrowed: boolean;
  }>;

/** A directory that is searched and watched as a whole. If it does not exist, `otherwise` is searched. */
export type PlannedDirectory = Readonly<{
  directory: ContextDirectory;
  load(directory: ContextDirectory, world: World): Promise<LoadedDirectory>;
  otherwise?: ContextDirectory;
}>;

/**
 * `evidence`: identity of everything that was seen. `searched`: directories where files may appear that belong to the
 * answer. `serverLists`: of other tools.
 */
export type Found = {
  candidates: Candidate[];
  warnings: Warning[];
  evidence: unknown[];
  searched: Searched[];
  serverLists?: LoadedConfig[];
};

/** `walks` and `listings` are shared by all working directories of a run. */
export type FindPlace = { where: Where; merged: MergedConfig; walks: SharedWalks; listings: SharedListings };

/**
 * Says where candidates are, which place each belongs to, and how it is read. Both functions are about one AI working
 * directory.
 */
export type ContextSource = Readonly<{
  /** Directories to search, weakest first. Of two with the same path, the last counts. */
  plan?(place: WorkPlace): readonly PlannedDirectory[];
  /** Single files, after all configurations are known. */
  find?(place: FindPlace, world: World): Promise<Found>;
}>;
