/**
 * Applies `excludeFiles` to files that contextd itself finds in a workspace: imports, matches of a query, files of a
 * folder (CC-13, CC-14).
 */

import type { World } from '../access/world.ts';
import { createPause } from '../pace/turns.ts';
import type { EngineSettings } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import { loadChain } from './chains.ts';
import { decideFileExclusion, prepareExclusion } from './exclusion.ts';
import { mergeConfigs } from './merge.ts';
import { normalizeRequest } from './normalize-request.ts';

/** Why a path is left out unless a user adds it by name. */
export type FileExclusion = (path: string) => Reason | undefined;

/** Uses the configurations from the mounted directory down to the working directory, and the global one. */
export async function loadFileExclusion(
  workingDirectory: string,
  world: World,
  settings: EngineSettings,
): Promise<FileExclusion> {
  const { mountedDirectory, homeDirectory, reach } = world;
  const request = normalizeRequest({ mountedDirectory, workingDirectory }, { homeDirectory, settings });
  const directories = await loadChain({ ...request, workingDirectory }, (directory, load) => load(directory, world));
  const merged = mergeConfigs(directories.flatMap(({ configs }) => configs));
  const written = merged.excludeFiles.filter(({ writers }) => writers.length > 0);
  if (written.length === 0) return () => undefined;
  const allowance = world.allowances.excludes;
  await prepareExclusion({ ...merged, excludeFiles: written }, world, createPause());
  return (path) => {
    const place = { workingDirectory, homeDirectory, roots: reach.roots, allowance };
    const reason = decideFileExclusion(path, written, place);
    if (reason?.code === 'limit_reached') world.leftOut.excludes += 1;
    return reason;
  };
}
