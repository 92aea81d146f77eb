/** Decides about a path as the gate does before it opens it, without opening it (AP-07). */

import { decideConfiguration } from '../access/configurations.ts';
import type { ContentPolicy } from '../access/content-policy.ts';
import { isInRoots, liesInRoots } from '../access/reach.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { PathDecision } from './policy-requests.ts';

/** `path` is absolute and normalised, and need not exist. */
export async function decidePath(path: string, run: ContentPolicy, world: World): Promise<PathDecision> {
  const { roots, followSymlinks } = world.reach;
  const refused = (code: ReasonCode, detail: string) => ({
    ...{ path, allowed: false, reason: { code, detail }, decidedBy: null },
  });
  const real = isInRoots(path, roots) ? await world.gate.realPath(path) : undefined;
  const isElsewhere = real?.ok ? !liesInRoots(real.realPath, roots) : real?.code === 'outside_roots';
  if (real === undefined || isElsewhere) return refused('outside_roots', 'no granted root contains it');
  const names = real.ok && followSymlinks ? [path, real.realPath] : [path];
  for (const name of names) {
    const sensitive = decideSensitive(name) ?? (real.ok ? decideSensitive(real.realPath) : undefined);
    if (sensitive) return refused('sensitive', sensitive.pattern);
    const configuration = decideConfiguration(name, world.clientContextPath);
    if (configuration) return refused('configuration', configuration.pattern);
  }
  const [decision, behind] = await Promise.all([...new Set(names)].map((name) => run.decide(name)));
  return { path, ...(behind?.allowed === false && decision?.allowed ? behind : (decision as typeof behind & object)) };
}
