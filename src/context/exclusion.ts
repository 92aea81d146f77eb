/** Whether the merged configuration leaves a candidate out (spec 1, `excludeFiles`, ignore flags; CC-13 … CC-16). */
import { joinPath, relativePath } from '../paths.ts';
import { expandHome } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type Candidate, globOf } from './candidate.ts';
import { isConfigFile } from './directories.ts';
import type { MergedConfig } from './merge.ts';

export type ExclusionPlace = { workingDirectory: string; homeDirectory: string };

/**
 * The reason a configuration leaves a candidate out, decided by its path alone. A pattern is tried relative to the AI
 * working directory, to the owner of each configuration that wrote it and to the candidate's own context directory, and
 * absolutely when it starts with `/` or `~` (CC-13): excluding in doubt is the safe direction.
 */
export function decideExclusion(candidate: Candidate, merged: MergedConfig, place: ExclusionPlace): Reason | undefined {
  const { path, directory } = candidate;
  if (isConfigFile(path, directory.path)) return { code: 'excluded_by_config', detail: 'reserved for configuration' };
  for (const { pattern, writers } of merged.excludeFiles) {
    const expanded = expandHome(pattern.replaceAll('\\', '/'), place.homeDirectory);
    const compiled = globOf(expanded);
    if ('problem' in compiled) continue;
    const { glob } = compiled;
    const bases = [place.workingDirectory, ...writers.map((writer) => writer.owner), directory.path];
    const isExcluded = glob.isAbsolute
      ? glob.matches(path)
      : bases.some((base) => glob.matches(relativePath(base, path)) || climbs(expanded, base, path));
    if (isExcluded) {
      const writer = writers.at(-1);
      return {
        code: 'excluded_by_config',
        detail: `excludeFiles "${pattern}"${writer ? ` in ${writer.path}` : ' (default)'}`,
      };
    }
  }
  return undefined;
}

/** A pattern that begins with `..` names a place beside its base. */
function climbs(pattern: string, base: string, path: string): boolean {
  const [, climbing, rest] = /^((?:\.\.\/+)+)(.+)$/su.exec(pattern) ?? [];
  if (climbing === undefined || rest === undefined) return false;
  const compiled = globOf(rest);
  return 'glob' in compiled && compiled.glob.matches(relativePath(joinPath(base, climbing), path));
}

/** CC-15, CC-16: what the ignore flags drop. The AI working directory's own files always stay. */
export function decideIgnored(
  candidate: Candidate,
  merged: MergedConfig,
  workingDirectory: string,
): Reason | undefined {
  const { directory } = candidate;
  const { ignoreGlobalContext, ignoreAncestorContext } = merged;
  if (directory.scope === 'global') {
    if (!ignoreGlobalContext.value) return undefined;
    return { code: 'ignored_global', detail: `ignoreGlobalContext in ${ignoreGlobalContext.writer?.path}` };
  }
  if (!ignoreAncestorContext.value || directory.owner === workingDirectory) return undefined;
  return { code: 'ignored_ancestor', detail: `ignoreAncestorContext in ${ignoreAncestorContext.writer?.path}` };
}

/** Warnings about exclude patterns that cannot be used. */
export function exclusionWarnings(merged: MergedConfig): Warning[] {
  return merged.excludeFiles.flatMap(({ pattern, writers }) => {
    const compiled = globOf(pattern);
    const writer = writers.at(-1);
    if ('glob' in compiled || writer === undefined) return [];
    const message = `excludeFiles pattern "${pattern}" is not used: ${compiled.problem.message}`;
    return [{ code: 'invalid_pattern', message, path: writer.path, pointer: '/clientContext/excludeFiles' }];
  });
}
