/** A place where context comes from, as all of them are asked. */
import type { World } from '../../access/world.ts';
import type { Warning } from '../../warnings.ts';
import type { Candidate } from '../candidate.ts';
import type { Scope } from '../context-file.ts';
import type { ContextDirectory } from '../directories.ts';
import type { LoadedDirectory } from '../load-directory.ts';
import type { LoadedConfig, MergedConfig } from '../merge.ts';
import type { Searched, SharedWalks } from './included.ts';
import type { SharedListings } from './rule-places.ts';

/** Where work happens. Paths are absolute and normalised. */
export type Where = Readonly<{
  mountedDirectory: string;
  workingDirectory: string;
  clientContextPath: string;
  globalContextPath: string;
  scopes: ReadonlySet<Scope>;
  filesInPlay: readonly string[];
  mentions: readonly string[];
  /** Names of the formats of other tools that are read; `narrowed`, only those that configurations let be read. */
  formats: readonly string[];
  narrowed: boolean;
}>;

/** A directory that is searched and watched whole. `otherwise` is searched as well where it is not there. */
export type PlannedDirectory = Readonly<{
  directory: ContextDirectory;
  load(directory: ContextDirectory, world: World): Promise<LoadedDirectory>;
  otherwise?: ContextDirectory;
}>;

/**
 * `evidence`: identity of all that was seen; `searched`: where something may come up that belongs to the answer;
 * `serverLists`: those of other tools.
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
 * Says where candidates lie, and with each of them to which place it belongs and how it is read. Both verbs look at one AI
 * working directory.
 */
export type ContextSource = Readonly<{
  /** Directories to be searched, weakest first. Of two with the same path the last counts. */
  plan?(where: Where): readonly PlannedDirectory[];
  /** Single files, once all configurations are known. */
  find?(place: FindPlace, world: World): Promise<Found>;
}>;
