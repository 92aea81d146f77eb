/** Which files in play do not exist (AN-02). They count all the same (CC-22). */
import { parentPath } from '../access/paths.ts';
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
    const stat = end === undefined || end.isLink ? await world.gate.stat(path) : undefined;
    if (stat === undefined || (!stat.ok && stat.code === 'not_found')) missing.push({ path, reason });
  }
  return missing;
}
