/** Finds suspicious things in a text of any kind (S-65). */
import { leavingText } from '../context/leaving-text.ts';
import { positionAt } from '../texts/source-tree.ts';
import { suspiciousUnicodeWarning } from '../texts/suspicious-unicode.ts';
import type { Warning } from '../warnings.ts';

/** Invisible and misleading characters, and marks of an unfinished merge. `text` has no BOM. */
export function checkText(text: string, path: string): Warning[] {
  const suspicious = suspiciousUnicodeWarning(text, path);
  const warnings = suspicious === undefined ? [] : [suspicious];
  const conflict = /^<{7} (?!SEARCH\b).*$/mu.exec(text);
  if (conflict && /^={7}\r?$/mu.test(text) && /^>{7} /mu.test(text)) {
    const message = 'A merge conflict begins here. Resolve it, and remove the lines with its marks.';
    warnings.push({ code: 'merge_conflict', message, path, ...positionAt(text, conflict.index) });
  }
  return warnings;
}

/** The same for a text that models get, and possible secrets in it. */
export function checkDelivered(text: string, path: string): Warning[] {
  const secrets = leavingText(text, { path }).warnings.filter(({ code }) => code === 'possible_secret');
  return [...checkText(text, path), ...secrets];
}
