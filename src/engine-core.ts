/** What the verbs of the engine have in common. Types only. */

import type { World } from './access/world.ts';
import type { TokenCounts } from './budget/token-counts.ts';
import type { Composer } from './context/compose.ts';
import type { EventData, EventType } from './events/event.ts';
import type { WorldOptions, Worlds } from './policy/worlds.ts';
import type { OwnerId } from './ports/caller.ts';
import type { Clock, Files, Logger, SourceParser, TokenCounter } from './ports/ports.ts';
import type { Store } from './ports/store/store.ts';
import type { EngineSettings } from './settings.ts';
import type { KeyedHash } from './texts/mask.ts';

/** A mounted directory that was opened for a request. */
export type Workspace = { mountedDirectory: string; world: World };

export type EngineCore = Readonly<{
  files: Files;
  store: Store;
  clock: Clock;
  logger: Logger;
  tokenCounter: TokenCounter;
  tokenCounts: TokenCounts;
  keyed: KeyedHash;
  /** Absent if there is no parser for source. */
  sourceParser: SourceParser | undefined;
  homeDirectory: string;
  settings: EngineSettings;
  createWorld: Worlds['createWorld'];
  /**
   * A mounted directory as a caller wrote it, and a world to look at it. Throws `path_outside_roots`, `not_found` or
   * `invalid_request`.
   */
  openWorkspace(mountedDirectory: string, options?: Pick<WorldOptions, 'unsaved' | 'within'>): Promise<Workspace>;
  compose: Composer['compose'];
  /** Sends an event to all listeners. With `ownerId`, only to those that can see what this owner has. */
  publish<Type extends EventType>(type: Type, data: EventData[Type], ownerId?: OwnerId): void;
}>;
