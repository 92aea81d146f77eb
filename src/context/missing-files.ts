/** Which files in play do not exist (AN-02). They count all the same (CC-22). */
import { baseName, joinPath, parentPath } from '../access/paths.ts';
import { liesInRoots } from '../access/reach.ts';
import { realPathOf } from '../access/real-place.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import type { Reason } from '../warnings.ts';
import { endAbove } from './load-directory.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import type { OmittedPath } from './resolve-result.ts';

const reason: Reason = { code: 'not_found', detail: 'it does not exist, but counts as a file in play' };

/**
 * In the order of the working directories, without sensitive files. Asks the disk for nothing below a directory that
 * does not exist.
 */
export async function missingFiles({ workingDirectories }: NormalizedRequest, world: World): Promise<OmittedPath[]> {
  const missing: OmittedPath[] = [];
  for (const path of new Set(workingDirectories.flatMap(({ filesInPlay }) => filesInPlay))) {
    if (decideSensitive(path)) continue;
    const end = await endAbove({ scope: 'dynamic', owner: parentPath(path) }, world);
    if (end?.isLink && !(await isToldBehindLink(path, world))) continue;
    const stat = end === undefined || end.isLink ? await world.gate.stat(path) : undefined;
    if (stat === undefined || (!stat.ok && stat.code === 'not_found')) missing.push({ path, reason });
  }
  return missing;
}

/** Whether the directory of a file exists and is really in the granted roots. Nothing is told of other places (S-37). */
async function isToldBehindLink(path: string, { gate, reach: { roots } }: World): Promise<boolean> {
  const directory = await realPathOf(parentPath(path), gate.realPath);
  if (directory === undefined || !liesInRoots(directory, roots)) return false;
  return !decideSensitive(joinPath(directory, baseName(path)));
}
