/** Turns patterns of a directory into patterns of the mounted directory. */
import { globOf, ruleGlobOf } from './candidate.ts';

/**
 * A pattern for everything below a directory, relative to the mounted one. Undefined if no pattern can express its
 * name.
 */
export function patternBelow(directory: string): string | undefined {
  // Commas and `\` separate, whatever stands around them.
  if (/[,\\]/u.test(directory)) return undefined;
  const pattern = `${directory.replaceAll(/[[{*?]/gu, (sign) => `[${sign}]`)}/**`;
  const compiled = globOf(pattern);
  return 'glob' in compiled && compiled.glob.matches(`${directory}/x`) ? pattern : undefined;
}

/** A pattern of a rule of this directory, relative to the mounted one. */
export function patternFrom(directory: string, pattern: string): string | undefined {
  if (directory === '') return pattern;
  const below = patternBelow(directory)?.slice(0, -'**'.length);
  const compiled = ruleGlobOf(pattern);
  if (below === undefined || 'problem' in compiled) return undefined;
  return `${below}${compiled.isForNames ? '**/' : ''}${pattern.replace(/^(?:\.?\/)+/u, '')}`;
}
