/** Whether a path can be used as context now, apart from its content (SU-02, AP-06). No file is opened. */
import { decideConfiguration } from '../access/configurations.ts';
import { refusalCodeOf } from '../access/content-policy.ts';
import { isInRoots, liesInRoots, placesInRoots, realNamesOf } from '../access/reach.ts';
import { leadsOutside } from '../access/real-place.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import type { FileRefusal, FileStat } from '../ports/ports.ts';
import type { Reason } from '../warnings.ts';

/** `enabled` if and only if there are no reasons. */
type Usability = { enabled: boolean; disabledReasons: Reason[] };

/**
 * `path` is absolute and normalised. A folder must be a directory. No policy is checked for it, because policies decide
 * about each file below it. Outside of granted roots nothing is looked up, not even whether the path exists.
 */
export async function judgeUsability(path: string, kind: 'file' | 'folder' | 'tab', world: World): Promise<Usability> {
  if (!isInRoots(path, world.reach.roots)) return usabilityFor([{ code: 'outside_roots' }]);
  const reasons: Reason[] = [];
  const { refusal, realPath } = await locate(path, kind === 'folder' ? 'directory' : 'file', world);
  if (refusal !== undefined) reasons.push({ code: refusal });
  if (refusal === 'outside_roots') return usabilityFor(reasons);
  // A folder with the name of a secret file is not secret, but everything in `.ssh` is.
  const names = [...new Set([path, realPath ?? path, ...realNamesOf(path, world.reach.roots)])];
  const [sensitive] = names.flatMap((name) => decideSensitive(kind === 'folder' ? `${name}/x` : name) ?? []);
  if (sensitive) reasons.push({ code: 'sensitive', detail: sensitive.pattern });
  if (kind === 'folder') return usabilityFor(reasons);
  const [configuration] = names.flatMap((name) => decideConfiguration(name, world.clientContextPath) ?? []);
  if (configuration) reasons.push({ code: 'configuration', detail: configuration.pattern });
  for (const name of new Set([path, realPath ?? path])) {
    const decision = await world.reach.policies.decide(name);
    if (decision.allowed) continue;
    const { reason } = decision;
    reasons.push({ code: refusalCodeOf(decision), detail: reason.detail ?? reason.code });
    break;
  }
  return usabilityFor(reasons);
}

function usabilityFor(disabledReasons: Reason[]): Usability {
  return { enabled: disabledReasons.length === 0, disabledReasons };
}

/** `realPath`: only if a link was followed. */
async function locate(
  path: string,
  expected: 'file' | 'directory',
  { gate, reach }: World,
): Promise<{ refusal?: FileRefusal['code']; realPath?: string }> {
  // A root may itself be a link.
  const stat = await gate.stat(reach.roots.find((root) => root.path === path)?.realPath ?? path);
  const outside = reach.followSymlinks ? 'outside_roots' : 'symlink';
  const refused = async (code: FileRefusal['code']) =>
    (await leadsOutside(path, reach.roots, gate)) ? ({ refusal: outside } as const) : { refusal: code };
  if (!stat.ok) return refused(stat.code);
  if (stat.kind === 'symlink' && !reach.followSymlinks) return { refusal: 'symlink' };
  const real = await gate.realPath(path);
  if (!real.ok) return refused(real.code);
  const { realPath } = real;
  if (placesInRoots(path, reach.roots).includes(realPath)) return wrongKind(stat, expected);
  // A link on the way.
  if (!reach.followSymlinks) return { refusal: 'symlink' };
  if (!liesInRoots(realPath, reach.roots)) return { refusal: 'outside_roots' };
  const target = await gate.stat(realPath);
  return { realPath, ...(target.ok ? wrongKind(target, expected) : { refusal: target.code }) };
}

function wrongKind(stat: FileStat, expected: 'file' | 'directory'): { refusal?: FileRefusal['code'] } {
  if (stat.kind === expected) return {};
  return { refusal: expected === 'file' ? 'not_regular_file' : 'not_directory' };
}
