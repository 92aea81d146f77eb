/** The same text under several names is delivered once (FM-06). */
import { baseName, joinPath, parentPath } from '../access/paths.ts';
import type { Reason } from '../warnings.ts';
import type { Trigger } from './context-file.ts';
import type { ReadableFile } from './readable.ts';

/** What applies to more requests stands for what applies to fewer. */
const order: readonly Trigger[] = ['always', 'auto', 'agent', 'manual'];

const longestLink = 255;

/** Why a file is left out, and the path of the one that stands for it. */
export type Duplicate = { reason: Reason; standIn: string };

/**
 * Of files of which one at least is another tool's: those for which another one stands, by path. A file whose only line is
 * the path of another one beside it is a link, as it is checked out where there are none, or imports it whole (`@path`).
 */
export function findDuplicates(files: readonly ReadableFile[]): Map<string, Duplicate> {
  const duplicates = new Map<string, Duplicate>();
  if (!files.some(({ candidate }) => candidate.format !== undefined)) return duplicates;
  const byPath = new Map(files.map((file) => [file.candidate.path, file]));
  const standing = new Map<string, ReadableFile[]>();
  const leaveOut = ({ candidate }: ReadableFile, by: ReadableFile, why: string): void => {
    const { path } = by.candidate;
    const reason = { code: 'duplicate', detail: `${why} ${path}, which stands for it` };
    duplicates.set(candidate.path, { reason, standIn: path });
    by.standsFor = [...(by.standsFor ?? []), candidate];
  };
  for (const file of files.toSorted((a, b) => strengthOf(a) - strengthOf(b))) {
    const { candidate, snapshot } = file;
    const text = snapshot.text?.trim() ?? '';
    if (text === '' || snapshot.truncated) continue;
    const target = candidate.format === undefined ? undefined : byPath.get(linkIn(text, candidate.path) ?? '');
    const known = standing.get(text) ?? [];
    const same = known.find((each) => (candidate.format ?? each.candidate.format) && standsFor(each, file));
    const isLink = target && target !== file && !duplicates.has(target.candidate.path) && standsFor(target, file);
    if (isLink) leaveOut(file, target, 'it names only');
    else if (same) leaveOut(file, same, 'it has the text of');
    else standing.set(text, [...known, file]);
  }
  return duplicates;
}

function strengthOf({ parsed }: ReadableFile): number {
  return order.indexOf(parsed.source.trigger);
}

/**
 * What always applies stands for all; patterns mean the same files only in the same directory. What is chosen or mentioned
 * has its own name.
 */
function standsFor(one: ReadableFile, other: ReadableFile): boolean {
  const { trigger, globs } = one.parsed.source;
  if (one.candidate.isForeign) return false;
  if (trigger === 'always') return !one.candidate.isBelow || other.candidate.isBelow === true;
  const isSamePlace = one.candidate.directory.owner === other.candidate.directory.owner;
  const { source } = other.parsed;
  const isSameName = givenName(one) === givenName(other);
  if (trigger === 'agent' || trigger === 'manual')
    return source.trigger === trigger && isSameName && globs.join() === source.globs.join();
  return trigger === 'auto' && source.trigger === 'auto' && isSamePlace && globs.join() === source.globs.join();
}

function givenName({ candidate, parsed }: ReadableFile): string {
  return parsed.source.name ?? candidate.name;
}

function linkIn(text: string, path: string): string | undefined {
  if (text.length > longestLink || /[\n\r\0]/u.test(text) || baseName(text) === '') return undefined;
  return joinPath(parentPath(path), text.replace(/^@/u, ''));
}
