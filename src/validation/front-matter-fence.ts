/** Finds text that looks like front matter but is body, because a fence is slightly wrong (CC-25). */
import { isPropertyBelowFence } from '../context/front-matter-properties.ts';
import type { Warning } from '../warnings.ts';

type Slip = Pick<Warning, 'code' | 'message' | 'line' | 'column'>;

/** Lines that people use as fences. Text processors turn hyphens into en or em dashes. */
const looksLikeFence = /^\s*(?:-{2,}|[–—]+|\+{3}|;{3}|={3,}|\.{3}|-{3}\s*(?:yaml|yml|json|js|toml))\s*$/iu;
const anyKey = /^\s*["']?[\w$-]+["']?\s*:(?:\s|$)/u;
const linesLookedAt = 20;

/** Why a text that seems to have front matter has none. Undefined if it does not seem so. `text` has no BOM. */
export function misfencedFrontMatter(text: string): Slip | undefined {
  const lines = text.split('\n', 400).map((line) => line.replace(/\r$/u, ''));
  const opening = lines.findIndex((line) => line.trim() !== '');
  const first = lines[opening];
  if (first === undefined || opening > linesLookedAt || !looksLikeFence.test(first)) return undefined;
  const below = lines.slice(opening + 1);
  const end = below.findIndex((line) => looksLikeFence.test(line));
  const block = below.slice(0, Math.min(linesLookedAt, end < 0 ? linesLookedAt : end)).filter((line) => line.trim());
  if (!anyKey.test(block[0] ?? '') || !block.some(isPropertyBelowFence)) return undefined;
  const told = (line: number, message: string): Slip => ({
    code: 'front_matter_fence',
    message,
    line: line + 1,
    column: 1,
  });
  if (first !== '---') return told(opening, `This line must be exactly "---" to begin front matter${extra(first)}.`);
  if (opening > 0) return told(opening, 'Front matter must begin on the first line. Remove the blank lines before it.');
  if (end < 0) {
    const message = 'Front matter begins here and is never closed. End it with a line that is exactly "---".';
    return { code: 'front_matter_not_closed', message, line: 1, column: 1 };
  }
  const last = below[end] as string;
  return told(opening + 1 + end, `This line must be exactly "---" to end the front matter${extra(last)}.`);
}

function extra(line: string): string {
  if (line.trim() === '---')
    return line.startsWith('---') ? '; remove the space after it' : '; remove the space before it';
  return '';
}

/** Reports a plain text file that begins like front matter, which it cannot have. */
export function frontMatterInTextFile(text: string): Slip | undefined {
  const [first = '', second = ''] = text.split(/\r?\n/u, 2);
  if (first !== '---' || !isPropertyBelowFence(second)) return undefined;
  const message = 'A .txt file has no front matter; all of it is delivered as text. Rename it to .md.';
  return { code: 'front_matter_in_text_file', message, line: 1, column: 1 };
}
