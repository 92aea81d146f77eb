/** Reads files that no path rule and no policy excludes, within the limits (CC-06, CC-35). */
import type { ContentReach } from '../access/content-policy.ts';
import type { FileSnapshot, GateRefusal } from '../access/gate.ts';
import { followingAt } from '../access/reach.ts';
import type { Step } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import { createPause } from '../pace/turns.ts';
import { compareText } from '../texts/compare-text.ts';
import { limitWarnings, type Reason, type Warning } from '../warnings.ts';
import type { Candidate } from './candidate.ts';
import { refusalReason } from './path-rules.ts';

const parallelReads = 32;
const unreadable: Partial<Record<GateRefusal['code'], string>> = {
  unreadable: 'Permissions forbid reading this.',
  io_error: 'Reading this failed, and it is left out. It is read again the next time.',
};

/** Candidates of one working directory, and those that are excluded by path. */
type Placed = { candidates: readonly Candidate[]; ruledOut: ReadonlyMap<string, Reason> };

export type ContentReader = Readonly<{
  /** Content, or the reason there is none, by path. */
  contents: ReadonlyMap<string, FileSnapshot | Reason>;
  /** Reads files that were not read before, the most specific first, so that a limit affects the least specific. */
  read(placed: readonly Placed[]): Promise<void>;
  warnings(): Warning[];
}>;

/** Reads for one request, in several rounds if needed. The limits apply to all rounds together. */
export function createContentReader(world: World): ContentReader {
  const { candidateFiles, fileBytes, candidateBytes } = world.limits;
  const { reach } = world;
  const contents = new Map<string, FileSnapshot | Reason>();
  const warnings: Warning[] = [];
  let bytesLeft: number = candidateBytes;
  let overBytes = 0;
  let overFiles = 0;

  const readBatch = async (batch: readonly string[], links: ReadonlySet<string>): Promise<void> => {
    /** A link at a place of a format is followed inside its granted root (FM-06). */
    const reachOf = (path: string): ContentReach => (links.has(path) ? followingAt(path, reach) : reach);
    const reads = await Promise.all(
      batch.map((path) =>
        bytesLeft > 0 ? world.gate.read(path, { ...reachOf(path), maxBytes: fileBytes }) : Promise.resolve(undefined),
      ),
    );
    for (const [index, read] of reads.entries()) {
      const path = batch[index] as string;
      if (world.trace !== undefined) await tracePolicy(path, read, world);
      if (read?.ok === false) {
        contents.set(path, refusalReason(read.code, read.detail));
        const problem = unreadable[read.code];
        if (problem !== undefined) warnings.push({ code: 'unreadable', message: problem, path });
        continue;
      }
      const bytes = read === undefined ? Number.POSITIVE_INFINITY : Math.min(read.snapshot.bytes, fileBytes);
      if (read === undefined || bytes > bytesLeft) {
        overBytes += 1;
        bytesLeft = Math.min(bytesLeft, 0);
        contents.set(path, { code: 'limit_reached', detail: `more than ${candidateBytes} bytes of context` });
      } else {
        bytesLeft -= bytes;
        contents.set(path, read.snapshot);
      }
    }
  };

  return {
    contents,
    async read(placed) {
      const { paths, links } = await unreadPaths(placed, contents);
      const filesLeft = Math.max(0, candidateFiles + overFiles - contents.size);
      const chosen = paths.slice(0, filesLeft);
      for (let at = 0; at < chosen.length; at += parallelReads)
        await readBatch(chosen.slice(at, at + parallelReads), links);
      for (const path of paths.slice(filesLeft))
        contents.set(path, { code: 'limit_reached', detail: `more than ${candidateFiles} context files` });
      overFiles += paths.length - chosen.length;
    },
    warnings() {
      const leftOut = (what: string): string => `${what} were left out, the least specific first.`;
      return [
        ...warnings,
        ...limitWarnings([
          {
            code: 'limit_context_files',
            leftOut: overFiles,
            message: `Only ${candidateFiles} context files are read per request; ${leftOut(`${overFiles}`)}`,
          },
          {
            code: 'limit_total_bytes',
            leftOut: overBytes,
            message: `Only ${candidateBytes} bytes of context are read per request; ${leftOut(`${overBytes} files`)}`,
          },
        ]),
      ];
    },
  };
}

/** In the order of reading. `links`: candidates that lead to another file. */
async function unreadPaths(
  placed: readonly Placed[],
  contents: ReadonlyMap<string, unknown>,
): Promise<{ paths: string[]; links: ReadonlySet<string> }> {
  const depths = new Map<string, number>();
  const links = new Set<string>();
  const pause = createPause();
  for (const { candidates, ruledOut } of placed) {
    for (const { path, directory, linksTo } of candidates) {
      if (ruledOut.has(path) || contents.has(path)) continue;
      depths.set(path, Math.max(directory.depth, depths.get(path) ?? -1));
      if (linksTo !== undefined) links.add(path);
    }
    await pause();
  }
  const paths = [...depths]
    .sort(([a, depthA], [b, depthB]) => depthB - depthA || compareText(a, b))
    .map(([path]) => path);
  return { paths, links };
}

/** AP-07: the policy or ignore file that decided. For a link, the one that blocks. */
async function tracePolicy(path: string, read: { ok: true } | GateRefusal | undefined, world: World): Promise<void> {
  if (read?.ok === false && read.code === 'sensitive') return;
  const isBlocked = read?.ok === false && isBlockedBy(read.code);
  for (const step of await policySteps(path, world, isBlocked ? read : undefined)) world.trace?.step(path, step);
}

/** Whether a policy or ignore file decided. These have their own steps. */
export function isBlockedBy(code: string | undefined): boolean {
  return code === 'blocked_by_policy' || code === 'blocked_by_ignore_file';
}

type PolicyStep = Step & { outcome: 'passed' | 'blocked_by_policy' | 'blocked_by_ignore_file' };

/** The steps of policies and ignore files for a path. `refusal`: the decision of the gate, if it is known. */
export async function policySteps(path: string, world: World, refusal?: GateRefusal): Promise<PolicyStep[]> {
  const { policies } = world.reach;
  const byPolicy = await policies.decideByPolicy(path);
  const isPolicy = refusal === undefined ? !byPolicy.allowed : refusal.code === 'blocked_by_policy';
  const detail = (isPolicy ? refusal?.detail : undefined) ?? byPolicy.reason.detail;
  const outcome = isPolicy ? 'blocked_by_policy' : 'passed';
  const steps: PolicyStep[] = [{ rule: 'policy', outcome, detail }];
  if (isPolicy) return steps;
  const decision = await policies.decide(path);
  if (refusal === undefined && decision.allowed) return [...steps, { rule: 'ignore_file', outcome: 'passed' }];
  const why = refusal?.detail ?? decision.reason.detail;
  return [...steps, { rule: 'ignore_file', outcome: 'blocked_by_ignore_file', detail: why }];
}
