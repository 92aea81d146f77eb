/** What a policy would let through, before it is written (AP-09). */
import { type ContentPolicy, isPolicyFile } from '../content-policy.ts';
import { unlistedWarnings, walkTree } from '../context/walk.ts';
import type { World } from '../context/world.ts';
import { baseName } from '../paths.ts';
import { decidePath } from './decide-path.ts';
import type { PathDecision, PolicyPreview } from './policy-requests.ts';

/** Nobody's context lies there, and both can be larger than all the rest. */
const skippedDirectories = ['.git', 'node_modules'];

/** Files below `directory`, `.git` and `node_modules` left out; policies themselves are not counted. */
export async function previewPolicy(
  directory: string,
  run: ContentPolicy,
  { world, limit }: { world: World; limit: number },
): Promise<PolicyPreview> {
  const walk = await walkTree(directory, world, {
    enter: (path) => !skippedDirectories.includes(baseName(path)),
    accept: (path) => !isPolicyFile(path),
  });
  const files = walk.found.filter(({ refusal }) => refusal === undefined).map(({ path }) => path);
  const sample = { allowed: [] as PathDecision[], blocked: [] as PathDecision[] };
  const counts = { allowed: 0, blocked: 0 };
  for (const [index, path] of files.entries()) {
    if (index % 64 === 0) {
      if (world.isLate()) {
        world.leftOut.walkMs += 1;
        break;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    const decision = await decidePath(path, run, world);
    const kind = decision.allowed ? 'allowed' : 'blocked';
    counts[kind] += 1;
    if (sample[kind].length < limit) sample[kind].push(decision);
  }
  const { entries, depth, walkMs } = world.leftOut;
  const truncated = entries + depth + walkMs > 0;
  return { ...counts, sample: chooseSample(sample, limit), truncated, warnings: unlistedWarnings(walk) };
}

/** Half of it allowed, half blocked, and more of one where there is less of the other. */
function chooseSample(found: { allowed: PathDecision[]; blocked: PathDecision[] }, limit: number): PathDecision[] {
  const half = Math.ceil(limit / 2);
  const allowed = Math.min(found.allowed.length, Math.max(half, limit - found.blocked.length));
  const chosen = [...found.allowed.slice(0, allowed), ...found.blocked.slice(0, limit - allowed)];
  return chosen.sort((a, b) => (a.path < b.path ? -1 : 1));
}
