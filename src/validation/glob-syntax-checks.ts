/** Finds patterns that cannot be used, and syntax of other tools, which matches nothing here (CC-17, S-54). */
import { globOf } from '../context/candidate.ts';
import { splitAtCommas } from '../texts/bare-values.ts';
import type { Warning } from '../warnings.ts';

export type PatternFinding = Pick<Warning, 'code' | 'message'>;

/** What is wrong with a pattern. Undefined for a good one. */
export function globProblem(pattern: string): PatternFinding | undefined {
  const compiled = globOf(pattern);
  if (!('problem' in compiled)) return syntaxProblem(pattern);
  return { code: 'invalid_pattern', message: `The pattern is not used: ${compiled.problem.message}.` };
}

/** The same for a pattern that can be used. */
export function syntaxProblem(pattern: string): PatternFinding | undefined {
  const message = misunderstoodSyntax(pattern);
  return message === undefined ? undefined : { code: 'unsupported_glob_syntax', message };
}

function misunderstoodSyntax(pattern: string): string | undefined {
  if (pattern.startsWith('!')) return 'A leading "!" is plain text here: a pattern cannot be negated.';
  if (/[@!+?*]\([^()]*\)/u.test(pattern)) return 'Extended globs such as "@(a|b)" are plain text here; write "{a,b}".';
  if (/\[\[:[a-z]+:\]\]/u.test(pattern)) return 'Classes such as "[[:alpha:]]" are plain text here; write "[a-z]".';
  if (pattern.trim() !== pattern) return 'The pattern begins or ends with a space, which is part of it. Remove it.';
  if (pattern.split('{').length > pattern.split('}').length)
    return 'A "{" that nothing closes is plain text. Close it.';
  if (splitAtCommas(pattern).length > 1) return 'A comma is plain text here; write one pattern for each.';
  return undefined;
}
