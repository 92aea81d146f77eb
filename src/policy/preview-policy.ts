/** Previews what a policy would allow before it is written (AP-09). */
import type { ContentPolicy } from '../access/content-policy.ts';
import { baseName, joinPath } from '../access/paths.ts';
import { isPolicyFile, type PolicyFileName, policyFileNames } from '../access/policy-file-names.ts';
import { snapshotOf } from '../access/seen-file.ts';
import { skippedDirectories, unlistedWarnings, walkTree } from '../access/walk.ts';
import type { World } from '../access/world.ts';
import { nextTurn } from '../pace/turns.ts';
import { compareText } from '../texts/compare-text.ts';
import { decidePath } from './decide-path.ts';
import { loadPoliciesIn } from './list-policies.ts';
import { type LoadedPolicy, policyOf, takePolicy } from './load-policy.ts';
import type { Policy } from './policy-file.ts';
import type { PathDecision, PolicyPreview } from './policy-requests.ts';

type Wanted = (
  | { aiContextPolicy?: Policy['aiContextPolicy'] | undefined; exclude?: string[] | undefined }
  | { text: string }
) & { name?: PolicyFileName | undefined };

/** The policies that `directory` would have. Undefined if the request does not change anything. */
export async function policiesInstead(
  directory: string,
  wanted: Wanted,
  world: World,
): Promise<LoadedPolicy[] | undefined> {
  const { name } = wanted;
  if (!('text' in wanted) && wanted.aiContextPolicy === undefined && wanted.exclude === undefined) return undefined;
  const maxBytes = world.limits.configBytes;
  const present = await loadPoliciesIn(directory, world);
  const path = (name === undefined ? present[0]?.path : undefined) ?? joinPath(directory, name ?? policyFileNames[0]);
  const own = policyAt(path, wanted, maxBytes);
  // If a directory has both files, a path must pass both.
  return [own, ...present.filter((each) => each.path !== path)];
}

function policyAt(path: string, wanted: Wanted, maxBytes: number): LoadedPolicy {
  if ('text' in wanted)
    return takePolicy(path, { ok: true, snapshot: snapshotOf(path, wanted.text, maxBytes) }, maxBytes);
  const { aiContextPolicy = 'block', exclude = [] } = wanted;
  const value = { aiContextPolicy, exclude, version: 1 as const };
  return policyOf({ path, value, valid: true, warnings: [], evidence: value });
}

/** Decides about all files below `directory`, except in `.git` and `node_modules`. Policy files are not counted. */
export async function previewPolicy(
  directory: string,
  { run, saved }: { run: ContentPolicy; saved: ContentPolicy },
  { world, limit }: { world: World; limit: number },
): Promise<PolicyPreview> {
  const walk = await walkTree(directory, world, {
    enter: (path) => !skippedDirectories.includes(baseName(path)),
    accept: (path) => !isPolicyFile(path),
  });
  const files = walk.found.filter(({ refusal }) => refusal === undefined).map(({ path }) => path);
  const all = createTally(limit);
  const changes = createTally(limit);
  for (const [index, path] of files.entries()) {
    if (index % 64 === 0) {
      if (world.isLate()) {
        world.leftOut.walkMs += 1;
        break;
      }
      await nextTurn();
    }
    const decision = await decidePath(path, run, world);
    all.add(decision);
    if (run !== saved && (await decidePath(path, saved, world)).allowed !== decision.allowed) changes.add(decision);
  }
  const { entries, depth, walkMs } = world.leftOut;
  const truncated = entries + depth + walkMs > 0;
  return { ...all.result(), changes: changes.result(), truncated, warnings: unlistedWarnings(walk) };
}

/** Counts decisions, and keeps some of both kinds. */
function createTally(limit: number) {
  const counts = { allowed: 0, blocked: 0 };
  const first = { allowed: [] as PathDecision[], blocked: [] as PathDecision[] };
  return {
    add(decision: PathDecision): void {
      const kind = decision.allowed ? 'allowed' : 'blocked';
      counts[kind] += 1;
      if (first[kind].length < limit) first[kind].push(decision);
    },
    result: () => ({ ...counts, sample: chooseSample(first, limit) }),
  };
}

/** Half allowed, half blocked. If there are fewer of one kind, there are more of the other. */
function chooseSample(found: { allowed: PathDecision[]; blocked: PathDecision[] }, limit: number): PathDecision[] {
  const half = Math.ceil(limit / 2);
  const allowed = Math.min(found.allowed.length, Math.max(half, limit - found.blocked.length));
  const chosen = [...found.allowed.slice(0, allowed), ...found.blocked.slice(0, limit - allowed)];
  return chosen.sort((a, b) => compareText(a.path, b.path));
}
