/** The same text under several names is delivered once (FM-06). */
import { baseName, joinPath, parentPath } from '../access/paths.ts';
import type { Reason } from '../warnings.ts';
import type { Trigger } from './context-file.ts';
import type { ReadableFile } from './readable.ts';

/** What applies to more requests stands for what applies to fewer. */
const order: readonly Trigger[] = ['always', 'auto', 'agent', 'manual'];

const longestLink = 255;

/**
 * Of files of which one at least is another tool's: those for which another one stands, by path. A file whose only line is
 * the path of another one beside it is a link, as it is checked out where there are none, or imports it whole (`@path`).
 */
export function findDuplicates(files: readonly ReadableFile[]): Map<string, Reason> {
  const duplicates = new Map<string, Reason>();
  if (!files.some(({ candidate }) => candidate.format !== undefined)) return duplicates;
  const paths = new Set(files.map(({ candidate }) => candidate.path));
  const standing = new Map<string, ReadableFile>();
  const leaveOut = ({ candidate }: ReadableFile, path: string, why: string): void => {
    duplicates.set(candidate.path, { code: 'duplicate', detail: `${why} ${path}, which stands for it` });
  };
  const strongest = files.toSorted(
    (a, b) => order.indexOf(a.parsed.source.trigger) - order.indexOf(b.parsed.source.trigger),
  );
  for (const file of strongest) {
    const { candidate, snapshot } = file;
    const text = snapshot.text?.trim() ?? '';
    if (text === '' || snapshot.truncated) continue;
    const target = candidate.format && linkIn(text, candidate.path);
    const known = standing.get(text);
    if (target && target !== candidate.path && paths.has(target)) leaveOut(file, target, 'it names only');
    else if (known === undefined) standing.set(text, file);
    else if ((candidate.format ?? known.candidate.format) !== undefined)
      leaveOut(file, known.candidate.path, 'it has the text of');
  }
  return duplicates;
}

function linkIn(text: string, path: string): string | undefined {
  if (text.length > longestLink || /[\n\r\0]/u.test(text) || baseName(text) === '') return undefined;
  return joinPath(parentPath(path), text.replace(/^@/u, ''));
}
