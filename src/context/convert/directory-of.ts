/** The directory that a pattern is about. */
import { commonBeginning } from '../../globs/globs.ts';
import { ruleGlobOf } from '../candidate.ts';
import { isOfOthers } from '../sources/rule-owners.ts';

/**
 * The nearest directory, relative to the mounted one, that may have rules and contains everything that these patterns
 * match. '' for the mounted directory itself.
 */
export function directoryOf(patterns: readonly string[]): string {
  const [first = [], ...others] = patterns.map((pattern) => {
    const compiled = ruleGlobOf(pattern);
    if (!('glob' in compiled) || !compiled.glob.hasSlash || compiled.glob.hasParentSegment) return [];
    if (compiled.glob.isAbsolute) return [];
    const segments = compiled.glob.literalBase.split('/').filter(Boolean);
    const hidden = segments.findIndex(isOfOthers);
    return hidden < 0 ? segments : segments.slice(0, hidden);
  });
  return commonBeginning(first, others).join('/');
}
