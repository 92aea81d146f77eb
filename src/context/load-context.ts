/**
 * Reads the disk for one request: context directories, configurations, included files, and the content of every file
 * that its path does not exclude (CC-06, CC-15, CC-16).
 */

import type { FileSnapshot } from '../access/gate.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { sameItems } from '../pace/same-items.ts';
import { createPause } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type Chain, findChains, loadChains } from './chains.ts';
import { levelsBelow } from './directories.ts';
import { followImports, type Imports } from './imports.ts';
import { missingFiles } from './missing-files.ts';
import { checkMountedDirectory } from './mounted-directory.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import type { Sensitivity } from './path-rules.ts';
import { createContentReader } from './read-contents.ts';
import type { OmittedPath } from './resolve-result.ts';

export type LoadedContext = Readonly<{
  /** Candidates from directories and configurations. */
  found: readonly Chain[];
  /** The same candidates and the files that they import. */
  chains: readonly Chain[];
  imports: Imports;
  /** By path: the content, or the reason there is none. */
  contents: ReadonlyMap<string, FileSnapshot | Reason>;
  /** Files in play that do not exist. They count all the same (CC-22). */
  missing: readonly OmittedPath[];
  warnings: readonly Warning[];
  /** Identity of everything that was seen. Equal evidence gives an equal answer. */
  evidence: readonly unknown[];
}>;

/** `before`: the result of the same request the last time. Decisions are reused if the request sees the same again. */
export async function loadContext(
  request: NormalizedRequest,
  world: World,
  before?: LoadedContext,
): Promise<LoadedContext> {
  await checkMountedDirectory(request.mountedDirectory, world);
  countLeftOwners(request, world);
  const sensitivity: Sensitivity = new Map();
  const pause = createPause();
  // All context directories before any pattern is searched, so that no pattern uses up what one of them needs.
  const directories = await loadChains(request, { world, pause });
  const beforePatterns = { ...world.leftOut };
  const found = await findChains(request, directories, { world, sensitivity, pause, before: before?.found });
  const reader = createContentReader(world);
  await reader.read(found);
  const { chains, imports, ...followed } = await followImports(found, { world, reader, sensitivity });
  const missing = await missingFiles(request, world);
  const { contents } = reader;
  const { policies } = world.reach;
  const evidence = [
    ...found.flatMap((chain) => chain.evidence),
    ...followed.evidence,
    ...policies.evidence(),
    ...missing.map(({ path }) => path),
    ...[...contents].map(([path, content]) => ('sha256' in content ? content : `${path}:${content.code}`)),
  ];
  const warnings = [
    ...found.flatMap((chain) => chain.warnings),
    ...reader.warnings(),
    ...followed.warnings,
    ...policies.warnings(),
    ...warningsOfLimits(world, beforePatterns),
  ];
  const isSame = before !== undefined && sameItems(before.evidence, evidence);
  return { found, chains: isSame ? before.chains : chains, imports, contents, missing, warnings, evidence };
}

/** Counts the directories above the working directories that are too many to be searched. */
function countLeftOwners({ mountedDirectory, workingDirectories }: NormalizedRequest, { leftOut }: World): void {
  for (const { path } of workingDirectories) {
    const owners = levelsBelow(mountedDirectory, path) + 1;
    leftOut.owners = Math.max(leftOut.owners, owners - fixedLimits.context.owners);
  }
}
