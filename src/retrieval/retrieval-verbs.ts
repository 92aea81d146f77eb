/** Retrieval as the engine offers it (RT-01). */

import { parentPath } from '../access/paths.ts';
import { loadFileExclusion } from '../context/file-exclusion.ts';
import type { EngineCore } from '../engine-core.ts';
import { fixedLimits } from '../settings.ts';
import type { FileIndex } from '../supplementary/file-index.ts';
import { expandFolder } from './folder-files.ts';
import { createKeywordContext } from './keyword-context.ts';
import { createLookups } from './lookup.ts';
import { createParsedSources } from './parsed-sources.ts';
import { retrieveContext } from './retrieve.ts';
import type { RetrieveRequest } from './retrieve-request.ts';
import type { OmittedItem, RetrieveResult } from './retrieve-result.ts';

/** The context that goes with a prompt. Throws `path_outside_roots`, `not_found` or `invalid_request`, never for what a file holds. Once `signal` is aborted, nobody waits for it. */
export type Retrieve = (request: RetrieveRequest, signal?: AbortSignal) => Promise<RetrieveResult>;

/** `remember`: listeners are told of policies that decide about what was delivered from these directories. */
type RetrievalParts = {
  fileIndex: FileIndex;
  remember(mountedDirectory: string, directories: readonly string[], askedAtMs: number): void;
};

export function createRetrieve(core: EngineCore, { fileIndex, remember }: RetrievalParts): Retrieve {
  const keywordContext = createKeywordContext({ clock: core.clock, fileIndex });
  const lookups = createLookups();
  const parsedSources = createParsedSources(core.sourceParser, core.clock);
  return async (request, signal) => {
    const isOver = (): boolean => signal?.aborted === true;
    const askedAtMs = core.clock.now();
    const { mountedDirectory, world } = await core.openWorkspace(request.mountedDirectory);
    const result = await retrieveContext(request, {
      ...{ mountedDirectory, world, parsedSources },
      supplementary: await core.store.supplementary.list(mountedDirectory),
      clock: core.clock,
      lookup: lookups.open(mountedDirectory, world),
      tokenCounts: core.tokenCounts,
      loadExclusion: (workingDirectory) => loadFileExclusion(workingDirectory, world, core.settings),
      expandFolder: (path, exclude) => expandFolder(path, { mountedDirectory, world, fileIndex, exclude }),
      search: (query, place) => keywordContext.search(query, { mountedDirectory, world, isOver, ...place }),
      isOver,
    });
    const directories = new Set(
      [...result.items, ...result.omitted.filter(isBlocked)].map(({ path }) => parentPath(path)),
    );
    remember(mountedDirectory, [...directories].slice(0, fixedLimits.events.watchedDirectories + 1), askedAtMs);
    return result;
  };
}

/** What a policy or an ignore file kept away is delivered once that is another. */
function isBlocked({ reason }: OmittedItem): boolean {
  return reason.code === 'blocked_by_policy' || reason.code === 'blocked_by_ignore_file';
}
