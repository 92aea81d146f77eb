/** Decides about a path as the gate does before it opens it, without opening it (AP-07). */

import { decideConfiguration } from '../access/configurations.ts';
import type { ContentPolicy, PolicyDecision } from '../access/content-policy.ts';
import { isInRoots, liesInRoots, placesInRoots } from '../access/reach.ts';
import { whereItLeads } from '../access/real-place.ts';
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
  if (!isInRoots(path, roots)) return refused('outside_roots', 'no granted root contains it');
  const led = await whereItLeads(path, world.gate);
  if (typeof led !== 'string' || !liesInRoots(led, roots))
    return refused('outside_roots', 'a link on the way leads outside the granted roots, or to nothing');
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
