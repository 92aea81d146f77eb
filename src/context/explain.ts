/**
 * Why a file is, or is not, context. Verdicts come from the same run as for `resolve`, with its steps recorded. Only
 * files that never became a candidate are explained here.
 */
import { decideConfiguration } from '../access/configurations.ts';
import { baseName, directoriesDown, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { isInRoots, realNamesOf } from '../access/reach.ts';
import { leadsOutside } from '../access/real-place.ts';
import { linkWords } from '../access/refusal-words.ts';
import { holdsRepository } from '../access/repositories.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { Step, Trace } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Reason } from '../warnings.ts';
import type { Candidate } from './candidate.ts';
import { writtenAt } from './config-lines.ts';
import type { Explanation } from './explain-result.ts';
import { type FormatAt, formatsAt } from './formats/format-at.ts';
import type { Chain, LoadedContext } from './load-context.ts';
import { defaultIncludePattern, leavesOut } from './merge.ts';
import { policySteps } from './read-contents.ts';
import type { ResolveResult } from './resolve-result.ts';
import { isOfOthers } from './sources/rule-files.ts';

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
export async function explainStranger(
  path: string,
  loaded: LoadedContext,
  run: { world: World; clientContextPath: string; mountedDirectory: string; formats: readonly string[] },
): Promise<Explanation> {
  const { world, mountedDirectory } = run;
  const steps: Step[] = [];
  const verdict = (reason: Reason): Explanation => ({ path, verdict: 'excluded', reason, steps });
  const refused = explainNames(path, world, steps);
  if (refused) return verdict(refused);
  const stat = await world.gate.stat(path);
  if (await leadsOutside(path, world.reach.roots, world.gate)) {
    steps.push({ rule: 'existence', outcome: 'symlink' });
    return verdict({ code: 'symlink', detail: linkWords.away });
  }
  if (!stat.ok) {
    steps.push({ rule: 'existence', outcome: stat.code });
    const code = stat.code === 'unreadable' ? 'unreadable' : 'not_found';
    return verdict({ code, detail: 'Nothing can be read at this path.' });
  }
  steps.push({ rule: 'existence', outcome: stat.kind });
  const seen = new Set<string>();
  for (const chain of loaded.chains)
    for (const step of strangerSteps(path, chain)) {
      const key = JSON.stringify(step);
      if (!seen.has(key)) steps.push(step);
      seen.add(key);
    }
  if (stat.kind === 'file') {
    const asked = await policySteps(path, world);
    steps.push(...asked);
    for (const { outcome, detail } of asked)
      if (outcome !== 'passed') return verdict({ code: outcome, ...(detail && { detail }) });
  }
  const whole = wholeOf(path, loaded);
  if (whole !== undefined) {
    const detail = `it belongs to ${whole}; it is delivered when it is mentioned`;
    return { ...verdict({ code: 'needs_mention', detail }), verdict: 'available' };
  }
  const home = ownContextDirectory(path, run.clientContextPath);
  if (stat.kind === 'directory')
    return verdict({ code: 'not_regular_file', detail: 'This is a directory; ask for a file in it.' });
  if (home !== undefined && isLookedIn(path, loaded)) {
    return verdict({
      code: 'limit_reached',
      detail: 'The search of its context directory did not reach it, because of a limit or a link.',
    });
  }
  if (home !== undefined) {
    const detail = `It belongs to the context directory of ${home}, which is not on the way from ${mountedDirectory} to a working directory.`;
    return verdict({ code: 'not_on_the_way', detail });
  }
  const rule = await explainRule(path, loaded, run);
  steps.push({ rule: 'format', outcome: rule?.code ?? 'no_match', ...(rule && { detail: rule.detail }) });
  // Outside, only rule files of the home directory count. So the message does not mention rule files there.
  const what = isInside(mountedDirectory, path)
    ? 'is not in a context directory and not a rule file of another tool'
    : `lies outside the mounted directory ${mountedDirectory}`;
  return verdict(rule ?? { code: 'not_included', detail: `It ${what}, and no includeFiles pattern matches it.` });
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

/** Why a file at a place of another tool is not a candidate. Undefined for a file at no such place. */
async function explainRule(
  path: string,
  { chains }: LoadedContext,
  run: { world: World; mountedDirectory: string; formats: readonly string[] },
): Promise<(Reason & { detail: string }) | undefined> {
  const places = formatsAt(path, run.world).map(({ format, ...at }) => ({ ...at, format: format.name }));
  const [first] = places;
  if (first === undefined) return undefined;
  const asked = places.filter(({ format }) => run.formats.includes(format));
  if (asked.length === 0) {
    const detail = `It is a file of the format ${first.format}, which the setting or the request disables with "formats".`;
    return { code: 'format_not_read', detail };
  }
  const configs = chains.flatMap((chain) => chain.configs);
  const isHidden = (owner: string): boolean => hiddenOnTheWay(owner, run.mountedDirectory) !== undefined;
  const allowed = asked.filter(({ format }) => leavesOut(format, configs) === undefined);
  const place = allowed.find(({ owner }) => !isHidden(owner)) ?? allowed[0];
  if (place === undefined) {
    const { format } = asked[0] as (typeof asked)[number];
    const detail = `It is a file of the format ${format}, which "formats" in ${leavesOut(format, configs)?.path} disables.`;
    return { code: 'format_not_read', detail };
  }
  const { format, owner } = place;
  const barrier = await barrierTo(path, owner, run);
  if (barrier !== undefined) {
    const detail = `It is a file of the format ${format}, but ${barrier.what}, so no rules are read there.`;
    return { code: barrier.code, detail };
  }
  const onTheWay = chains.some(({ workingDirectory, filesInPlay }) =>
    [workingDirectory, ...filesInPlay].some((each) => isInside(owner, each)),
  );
  if (!onTheWay && owner !== run.world.homeDirectory) {
    const detail = `It is a file of the format ${format} for ${owner}, which is not on the way from ${run.mountedDirectory} to a file in play.`;
    return { code: 'not_on_the_way', detail };
  }
  const other = await standInFor(path, place, run.world);
  const why = other
    ? `, but only one file counts there: ${relativePath(owner, other)} is used instead`
    : ', but the request left its scope out, or a link or a limit prevented the search';
  return { code: 'not_included', detail: `It is at a place of the format ${format}${why}.` };
}

/** The first existing name of a place before the name of this path. */
async function standInFor(
  path: string,
  { place, owner }: Pick<FormatAt, 'place' | 'owner'>,
  { gate }: World,
): Promise<string | undefined> {
  for (const name of place.firstOf) {
    const other = joinPath(owner, name.replace(/\/$/u, ''));
    if (isInside(other, path)) return undefined;
    if ((await gate.stat(other)).ok) return other;
  }
  return undefined;
}

/** The first directory on the way to an owner of rules whose name excludes it from the search. */
function hiddenOnTheWay(owner: string, mountedDirectory: string): string | undefined {
  if (!isInside(mountedDirectory, owner)) return undefined;
  return [...directoriesDown(mountedDirectory, owner)].find((each) => isOfOthers(baseName(each)));
}

type Barrier = Pick<Reason, 'code'> & { what: string };

/** The directory on the way to a rule file where the search for rules ends. */
async function barrierTo(
  path: string,
  owner: string,
  { world, mountedDirectory }: { world: World; mountedDirectory: string },
): Promise<Barrier | undefined> {
  if (!isInside(mountedDirectory, path)) return undefined;
  const hidden = hiddenOnTheWay(owner, mountedDirectory);
  if (hidden !== undefined) {
    const what = baseName(hidden).startsWith('.') ? 'is hidden' : 'holds installed packages';
    return { code: 'not_included', what: `${hidden} ${what}` };
  }
  for (const each of directoriesDown(mountedDirectory, parentPath(path))) {
    const stat = await world.gate.stat(each);
    if (stat.ok && stat.kind === 'symlink' && !world.reach.followSymlinks)
      return { code: 'symlink', what: `${each} is a link` };
    if (isInside(each, owner) && (await holdsRepository(each, world.gate.stat)))
      return { code: 'outside_repository', what: `${each} is another git repository` };
  }
  return undefined;
}

function strangerSteps(path: string, chain: Chain): Step[] {
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
