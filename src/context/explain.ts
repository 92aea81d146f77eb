/**
 * Why a file is, or is not, context. Verdicts come from the same run as for `resolve`, with its steps recorded. Only
 * files that never became a candidate are explained here.
 */
import { decideConfiguration } from '../access/configurations.ts';
import { isInside, parentPath, relativePath } from '../access/paths.ts';
import { isInRoots, realNamesOf } from '../access/reach.ts';
import { leadsOutside } from '../access/real-place.ts';
import { linkWords } from '../access/refusal-words.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { Step, Trace } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Reason } from '../warnings.ts';
import type { Candidate } from './candidate.ts';
import type { Chain } from './chains.ts';
import { writtenAt } from './config-lines.ts';
import type { Explanation } from './explain-result.ts';
import { type ExplainRun, explainRule } from './explain-rule.ts';
import type { LoadedContext } from './load-context.ts';
import { defaultIncludePattern } from './merge.ts';
import { policySteps } from './read-contents.ts';
import type { ResolveResult } from './resolve-result.ts';

/** All candidates of a run with their steps, sorted by path. */
export function explainCandidates(result: ResolveResult, trace: Trace): Explanation[] {
  return [
    ...result.files.map(({ path, state, reason, truncated }) => ({
      path,
      verdict: state,
      reason,
      truncated,
      steps: trace.stepsOf(path),
    })),
    ...result.excluded.map(({ path, reason }) => ({
      path,
      verdict: 'excluded' as const,
      reason,
      steps: trace.stepsOf(path),
    })),
  ].sort((a, b) => compareText(a.path, b.path));
}

/** Why a path is not a candidate: where contextd looked, and what prevented it. */
export async function explainStranger(path: string, loaded: LoadedContext, run: ExplainRun): Promise<Explanation> {
  const { world } = run;
  const steps: Step[] = [];
  const excluded = (reason: Reason): Explanation => ({ path, verdict: 'excluded', reason, steps });
  const refused = explainNames(path, world, steps);
  if (refused) return excluded(refused);
  const stat = await world.gate.stat(path);
  if (await leadsOutside(path, world.reach.roots, world.gate)) {
    steps.push({ rule: 'existence', outcome: 'symlink' });
    return excluded({ code: 'symlink', detail: linkWords.away });
  }
  steps.push({ rule: 'existence', outcome: stat.ok ? stat.kind : stat.code });
  if (!stat.ok) {
    const code = stat.code === 'unreadable' ? 'unreadable' : 'not_found';
    return excluded({ code, detail: 'Nothing can be read at this path.' });
  }
  steps.push(...strangerSteps(path, loaded));
  if (stat.kind === 'file') {
    const asked = await policySteps(path, world);
    steps.push(...asked);
    for (const { outcome, detail } of asked) if (outcome !== 'passed') return excluded({ code: outcome, detail });
  }
  const whole = wholeOf(path, loaded);
  if (whole !== undefined) {
    const detail = `it belongs to ${whole}; it is delivered when it is mentioned`;
    return { path, verdict: 'available', reason: { code: 'needs_mention', detail }, steps };
  }
  if (stat.kind === 'directory')
    return excluded({ code: 'not_regular_file', detail: 'This is a directory; ask for a file in it.' });
  const inContext = explainInContext(path, loaded, run);
  if (inContext) return excluded(inContext);
  const rule = await explainRule(path, loaded, run);
  steps.push({ rule: 'format', outcome: rule?.code ?? 'no_match', detail: rule?.detail });
  return excluded(rule ?? notIncluded(path, run.mountedDirectory));
}

/** Why a file in a context directory is not a candidate. Undefined for a file in none. */
function explainInContext(path: string, loaded: LoadedContext, run: ExplainRun): Reason | undefined {
  const owner = ownContextDirectory(path, run.clientContextPath);
  if (owner === undefined) return undefined;
  if (isLookedIn(path, loaded)) {
    const detail = 'The search of its context directory did not reach it, because of a limit or a link.';
    return { code: 'limit_reached', detail };
  }
  const detail = `It belongs to the context directory of ${owner}, which is not on the way from ${run.mountedDirectory} to a working directory.`;
  return { code: 'not_on_the_way', detail };
}

function notIncluded(path: string, mountedDirectory: string): Reason {
  // Outside, only rule files of the home directory count. So the message does not mention rule files there.
  const what = isInside(mountedDirectory, path)
    ? 'is not in a context directory and not a rule file of another tool'
    : `lies outside the mounted directory ${mountedDirectory}`;
  return { code: 'not_included', detail: `It ${what}, and no includeFiles pattern matches it.` };
}

/** Why nothing is read at a path, whatever is there. Undefined if it may be read. Adds the steps. */
function explainNames(path: string, { reach, clientContextPath }: World, steps: Step[]): Reason | undefined {
  if (!isInRoots(path, reach.roots)) {
    const detail = `no granted root contains it; there are ${reach.roots.map((root) => root.path).join(', ')}`;
    steps.push({ rule: 'granted_roots', outcome: 'outside_roots', detail });
    return { code: 'outside_roots', detail: 'It lies outside the granted roots, so contextd does not read it.' };
  }
  steps.push({ rule: 'granted_roots', outcome: 'passed' });
  const names = [path, ...realNamesOf(path, reach.roots)];
  const [sensitive] = names.flatMap((name) => decideSensitive(name) ?? []);
  if (sensitive) {
    steps.push({ rule: 'sensitive', outcome: 'sensitive', detail: sensitive.pattern });
    return { code: 'sensitive', detail: sensitive.pattern };
  }
  steps.push({ rule: 'sensitive', outcome: 'passed' });
  const [configuration] = names.flatMap((name) => decideConfiguration(name, clientContextPath) ?? []);
  if (configuration === undefined) return undefined;
  steps.push({ rule: 'configuration', outcome: 'configuration', detail: configuration.pattern });
  return { code: 'configuration', detail: configuration.pattern };
}

/** Where contextd looked, without a path to the file. Each step once, whatever working directories took it. */
function strangerSteps(path: string, { chains }: LoadedContext): Step[] {
  const steps = chains.flatMap((chain) => stepsOfChain(path, chain));
  return [...new Map(steps.map((step) => [JSON.stringify(step), step])).values()];
}

function stepsOfChain(path: string, chain: Chain): Step[] {
  const steps: Step[] = chain.directories.map(({ directory, present }) => ({
    rule: 'context_directory',
    outcome: !present ? 'absent' : isInside(directory.path, path) ? 'contains' : 'not_inside',
    detail: `${directory.path} (${directory.scope} scope)`,
  }));
  for (const { pattern, writers } of chain.merged.includeFiles) {
    const writer = writers.at(-1);
    if (pattern === defaultIncludePattern || writer === undefined) continue;
    const place = writtenAt(writer, 'includeFiles', pattern);
    const relative = relativePath(chain.workingDirectory, path);
    const detail = `"${pattern}" in ${place}, tried as ${relative} from ${chain.workingDirectory}`;
    steps.push({ rule: 'includeFiles', outcome: 'no_match', detail });
  }
  return steps;
}

/** The file to which another one in its folder belongs. */
function wholeOf(path: string, { chains }: LoadedContext): string | undefined {
  const belongs = ({ path: main, supportingFiles = [] }: Candidate): boolean =>
    supportingFiles.includes(relativePath(parentPath(main), path));
  return chains.flatMap(({ candidates }) => candidates).find(belongs)?.path;
}

function isLookedIn(path: string, loaded: LoadedContext): boolean {
  return loaded.chains.some(({ directories }) =>
    directories.some(({ directory, present }) => present && isInside(directory.path, path)),
  );
}

/** The owner of the context directory that contains a path, anywhere. */
function ownContextDirectory(path: string, clientContextPath: string): string | undefined {
  const at = path.lastIndexOf(`/${clientContextPath}/`);
  return at < 0 ? undefined : path.slice(0, at) || '/';
}
