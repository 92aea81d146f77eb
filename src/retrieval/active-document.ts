/** The document that is being edited: whether anything of it may be used, and its text (RT-01, AP-06). */

import { liesInRoots, realNamesOf } from '../access/reach.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import { refusalReason } from '../context/path-rules.ts';
import type { Reason } from '../warnings.ts';

/**
 * Why a document may not be used, also where a caller sends its text; undefined where it may. It need not exist. Where a
 * link leads to it, both names must be allowed.
 */
export async function refuseDocument(path: string, { gate, reach }: World): Promise<Reason | undefined> {
  const real = await gate.realPath(path);
  const names = [path, ...(real.ok && real.realPath !== path ? [real.realPath] : [])];
  for (const name of [...names, ...realNamesOf(path, reach.roots)]) {
    const sensitive = decideSensitive(name);
    if (sensitive) return refusalReason('sensitive', sensitive.pattern);
  }
  for (const name of names) {
    // What lies outside was sent by the caller, and no policy is there.
    if (name !== path && !liesInRoots(name, reach.roots)) continue;
    const { allowed, reason } = await reach.policies.decide(name);
    if (!allowed) return refusalReason('blocked_by_policy', reason.detail ?? reason.code);
  }
  return undefined;
}
