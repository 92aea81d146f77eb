/** Finds glob syntax of other tools, which is plain text here and silently matches nothing (CC-17, S-54). */
import { splitAtCommas } from '../texts/bare-values.ts';

/** What is wrong with a pattern, as a sentence. Undefined for a good one. */
export function misunderstoodSyntax(pattern: string): string | undefined {
  if (pattern.startsWith('!')) return 'A leading "!" is plain text here: a pattern cannot be negated.';
  if (/[@!+?*]\([^()]*\)/u.test(pattern)) return 'Extended globs such as "@(a|b)" are plain text here; write "{a,b}".';
  if (/\[\[:[a-z]+:\]\]/u.test(pattern)) return 'Classes such as "[[:alpha:]]" are plain text here; write "[a-z]".';
  if (pattern.trim() !== pattern) return 'The pattern begins or ends with a space, which is part of it. Remove it.';
  if (pattern.split('{').length > pattern.split('}').length)
    return 'A "{" that nothing closes is plain text. Close it.';
  if (splitAtCommas(pattern).length > 1) return 'A comma is plain text here; write one pattern for each.';
  return undefined;
}
