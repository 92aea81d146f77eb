/** Decides about a path as the gate does before it opens it, without opening it (AP-07). */

import { decideConfiguration } from '../access/configurations.ts';
import type { ContentPolicy, PolicyDecision } from '../access/content-policy.ts';
import { isInRoots, liesInRoots, placesInRoots } from '../access/reach.ts';
import { nearestPlaceOf } from '../access/real-place.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { PathDecision } from './policy-requests.ts';

/**
 * `path` is absolute and normalised, and need not exist. Where a link is on the way, the place that it leads to decides
 * too: whoever opens the path, or makes a file there, is led to that place.
 */
export async function decidePath(path: string, run: ContentPolicy, world: World): Promise<PathDecision> {
  const { roots } = world.reach;
  const refused = (code: ReasonCode, detail: string) => ({
    path,
    allowed: false,
    reason: { code, detail },
    decidedBy: null,
  });
  const led = isInRoots(path, roots) ? await whereItLeads(path, world) : 'outside';
  if (led === 'nowhere') return refused('outside_roots', 'a link on the way leads nowhere');
  if (led === 'outside' || !liesInRoots(led, roots)) return refused('outside_roots', 'no granted root contains it');
  const names = placesInRoots(path, roots).includes(led) ? [path] : [path, led];
  for (const name of names) {
    const sensitive = decideSensitive(name) ?? decideSensitive(led);
    if (sensitive) return refused('sensitive', sensitive.pattern);
    const configuration = decideConfiguration(name, world.clientContextPath);
    if (configuration) return refused('configuration', configuration.pattern);
  }
  const decisions = await Promise.all(names.map((name) => run.decide(name)));
  const decision = decisions.find(({ allowed }) => !allowed) ?? (decisions[0] as PolicyDecision);
  return { path, ...decision };
}

/** The real place of a path, also of one that does not exist. */
async function whereItLeads(path: string, { gate }: World): Promise<string | 'outside' | 'nowhere'> {
  const real = await gate.realPath(path);
  if (real.ok) return real.realPath;
  const nearest = real.code === 'outside_roots' ? undefined : await nearestPlaceOf(path, gate.realPath);
  if (nearest === undefined) return 'outside';
  const { place, firstMissing } = nearest;
  const [there, missing] = await Promise.all([gate.realPath(firstMissing), gate.stat(firstMissing)]);
  if (!there.ok && there.code === 'outside_roots') return 'outside';
  return missing.ok && missing.kind === 'symlink' ? 'nowhere' : place;
}
