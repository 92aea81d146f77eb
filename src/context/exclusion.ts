/** Decides whether the merged configuration leaves a candidate out (CC-13 … CC-16). */
import { isInside, joinPath, relativePath } from '../access/paths.ts';
import { isPolicyFile } from '../access/policy-file-names.ts';
import { allNamesOf } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { directoryOfIgnoreFile } from '../ignore/ignore-kinds.ts';
import { once } from '../pace/once-for-each.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import type { Pause } from '../pace/turns.ts';
import type { Root } from '../ports/ports.ts';
import { expandHome } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type Candidate, globOf } from './candidate.ts';
import { writtenAt } from './config-lines.ts';
import { isConfigFile } from './directories.ts';
import type { MergedConfig, WrittenPattern } from './merge.ts';

/** `roots`: those whose names count in absolute patterns. Without an `allowance`, matching has no time limit. */
export type ExclusionPlace = {
  workingDirectory: string;
  homeDirectory: string;
  roots: readonly Root[];
  allowance?: TimeAllowance;
};

/**
 * Why a configuration leaves a candidate out, by its path alone. A pattern is compared relative to the AI working
 * directory, to the owner of each configuration that wrote it, and to the context directory of the candidate. A pattern
 * that begins with `/` or `~` is absolute, by any name of the place (CC-13, AN-03). In doubt, a file is excluded,
 * because this is safer.
 */
export function decideExclusion(
  candidate: Pick<Candidate, 'path' | 'directory'>,
  merged: MergedConfig,
  place: ExclusionPlace,
): Reason | undefined {
  if (isConfigFile(candidate.path, candidate.directory.path))
    return { code: 'excluded_by_config', detail: 'reserved for configuration' };
  if (isPolicyFile(candidate.path)) return { code: 'excluded_by_config', detail: 'reserved for policies' };
  if (directoryOfIgnoreFile(candidate.path) !== undefined)
    return { code: 'excluded_by_config', detail: 'reserved for ignore files' };
  return decideByPatterns(candidate, merged.excludeFiles, place);
}

/**
 * The same for a file that is not a candidate for context, by the written patterns alone. Files that a user adds by
 * name are not checked.
 */
export function decideFileExclusion(
  path: string,
  written: readonly WrittenPattern[],
  place: ExclusionPlace,
): Reason | undefined {
  const reason = decideByPatterns({ path, directory: { path: place.workingDirectory } }, written, place);
  return reason && { ...reason, detail: `${reason.detail}; a file that is added by name is used anyway` };
}

type Placed = { path: string; directory: { path: string } };
type Named = Placed & { namesOf(): readonly string[] };

function decideByPatterns(
  candidate: Placed,
  patterns: readonly WrittenPattern[],
  place: ExclusionPlace,
): Reason | undefined {
  const { allowance } = place;
  const named = { ...candidate, namesOf: once(() => allNamesOf(candidate.path, place.roots)) };
  const written = patterns.find((each) =>
    allowance
      ? allowance.isOver() || allowance.spend(() => excludes(each, named, place))
      : excludes(each, named, place),
  );
  if (allowance?.isOver()) return { code: 'limit_reached', detail: 'matching excludeFiles takes too long' };
  if (written === undefined) return undefined;
  const { pattern, writers } = written;
  const writer = writers.at(-1);
  const where = writer ? `in ${writtenAt(writer, 'excludeFiles', pattern)}` : '(default)';
  return { code: 'excluded_by_config', detail: `excludeFiles "${pattern}" ${where}` };
}

/** Compiles the patterns in advance, with pauses, so that decisions are quick. */
export async function prepareExclusion(
  merged: MergedConfig,
  { homeDirectory, allowances: { excludes: allowance } }: World,
  pause: Pause,
): Promise<void> {
  for (const { pattern } of merged.excludeFiles) {
    if (allowance.isOver()) return;
    allowance.spend(() => globOf(expandedPattern(pattern, homeDirectory)));
    await pause();
  }
}

function expandedPattern(pattern: string, homeDirectory: string): string {
  return expandHome(pattern.replaceAll('\\', '/'), homeDirectory);
}

function excludes({ pattern, writers }: WrittenPattern, candidate: Named, place: ExclusionPlace): boolean {
  const { path, directory, namesOf } = candidate;
  const expanded = expandedPattern(pattern, place.homeDirectory);
  const compiled = globOf(expanded);
  if ('problem' in compiled) return false;
  const { glob } = compiled;
  if (glob.isAbsolute) return namesOf().some((name) => glob.matches(name));
  const bases = [...new Set([place.workingDirectory, ...writers.map((writer) => writer.owner), directory.path])];
  return bases.some((base) => glob.matches(relativePath(base, path)) || climbs(expanded, base, path));
}

/** A pattern that begins with `..` names a place beside its base. */
function climbs(pattern: string, base: string, path: string): boolean {
  const [, climbing, rest] = /^((?:\.\.\/+)+)(.+)$/su.exec(pattern) ?? [];
  if (climbing === undefined || rest === undefined) return false;
  const compiled = globOf(rest);
  return 'glob' in compiled && compiled.glob.matches(relativePath(joinPath(base, climbing), path));
}

/** CC-15, CC-16: why an ignore flag drops a candidate. Files of the AI working directory stay, unless they are global. */
export function decideByIgnoreFlags(
  candidate: Candidate,
  merged: MergedConfig,
  workingDirectory: string,
): Reason | undefined {
  const { directory } = candidate;
  const [field, code] =
    directory.scope === 'global'
      ? (['ignoreGlobalContext', 'ignored_global'] as const)
      : (['ignoreAncestorContext', 'ignored_ancestor'] as const);
  const { value, writer } = merged[field];
  const isOwn = directory.scope !== 'global' && isInside(workingDirectory, directory.owner);
  if (!value || writer === undefined || isOwn) return undefined;
  return { code, detail: `${field} in ${writtenAt(writer, field)}` };
}

/** `..` after a name matches nothing, because relative paths have `..` only at their beginning. */
const parentAfterName = /(?:^|[\\/])(?!\*\*[\\/]|\.{1,2}[\\/])[^\\/{}]+[\\/]\.\.(?:[\\/]|$)/u;

/** Warnings about exclude patterns that cannot be used. */
export function exclusionWarnings(merged: MergedConfig): Warning[] {
  return merged.excludeFiles.flatMap(({ pattern, writers }) => {
    const compiled = globOf(pattern);
    const writer = writers.at(-1);
    if (writer === undefined) return [];
    const problem =
      'problem' in compiled ? compiled.problem.message : parentAfterName.test(pattern) && 'no path has ".." in it.';
    if (!problem) return [];
    const message = `excludeFiles pattern "${pattern}" is not used: ${problem}`;
    return [{ code: 'invalid_pattern', message, path: writer.path, pointer: '/clientContext/excludeFiles' }];
  });
}
