/** The same text under several names is delivered once (FM-06). */
import { baseName, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import type { Reason } from '../warnings.ts';
import type { Trigger } from './item-values.ts';
import { patternBelow, patternFrom } from './patterns-below.ts';
import type { ReadableFile } from './readable.ts';

/** The order of strength: a file that applies to more requests replaces one that applies to fewer. */
const order: readonly Trigger[] = ['always', 'auto', 'agent', 'manual'];

const longestLink = 255;

/** Why a file is left out, and the path of the file that is used instead. */
export type Duplicate = { reason: Reason; standIn: string };

/**
 * The files that another file replaces, by path, if at least one of the two is a file of another tool. Two tools can
 * say the same with different front matter: the text after the front matter and the meaning of the front matter are
 * compared. A file whose only line is the path of another file beside it counts as a link, as git writes it on systems
 * without links, or as an import of the whole file (`@path`).
 */
export function findDuplicates(files: readonly ReadableFile[], mountedDirectory: string): Map<string, Duplicate> {
  const duplicates = new Map<string, Duplicate>();
  if (!files.some(({ candidate }) => candidate.format !== undefined)) return duplicates;
  const byPath = new Map(files.map((file) => [file.candidate.path, file]));
  const standing = new Map<string, ReadableFile[]>();
  const leaveOut = ({ candidate }: ReadableFile, by: ReadableFile, why: string): void => {
    const { path } = by.candidate;
    const reason: Reason = { code: 'duplicate', detail: `${why} ${path}, which is used instead` };
    duplicates.set(candidate.path, { reason, standIn: path });
    by.standsFor = [...(by.standsFor ?? []), candidate];
  };
  const isOver = (one: ReadableFile, other: ReadableFile): boolean => standsFor(one, other, mountedDirectory);
  for (const file of files.toSorted((a, b) => strengthOf(a) - strengthOf(b))) {
    const { candidate, snapshot } = file;
    const text = snapshot.text?.trim() ?? '';
    if (text === '' || snapshot.truncated) continue;
    const target = candidate.format === undefined ? undefined : byPath.get(linkIn(text, candidate.path) ?? '');
    const texts = new Set([text, file.parsed.source.body.trim()].filter((each) => each !== ''));
    const same = [...texts]
      .flatMap((each) => standing.get(each) ?? [])
      .find((each) => (candidate.format ?? each.candidate.format) && isOver(each, file));
    const isLink = target && target !== file && !duplicates.has(target.candidate.path) && isOver(target, file);
    if (isLink) leaveOut(file, target, 'it contains only the path of');
    else if (same) leaveOut(file, same, 'it has the same text as');
    else for (const each of texts) standing.set(each, [...(standing.get(each) ?? []), file]);
  }
  return duplicates;
}

function strengthOf({ parsed }: ReadableFile): number {
  return order.indexOf(parsed.source.trigger);
}

/**
 * A file that always applies replaces all others. A file with patterns replaces a file with the same patterns. A file
 * that is chosen or mentioned has its own name, and is chosen by its description, so it replaces only a file in which
 * these are the same.
 */
function standsFor(one: ReadableFile, other: ReadableFile, mountedDirectory: string): boolean {
  const { source } = one.parsed;
  if (one.candidate.isForeign) return false;
  const isBelow = one.candidate.isBelow === true;
  if (source.trigger === 'always' && (!isBelow || other.candidate.isBelow)) return true;
  if (source.trigger === 'agent' || source.trigger === 'manual') {
    const { trigger, globs, description } = other.parsed.source;
    const isSame = source.trigger === trigger && givenName(one) === givenName(other);
    return isSame && source.globs.join() === globs.join() && source.description === description;
  }
  const [ones, others] = [one, other].map((each) => filesOf(each, mountedDirectory)?.join());
  return ones !== undefined && ones === others;
}

/**
 * The files that a rule applies to without a mention, as patterns of the mounted directory. Undefined for other rules.
 */
function filesOf({ candidate, parsed }: ReadableFile, mountedDirectory: string): readonly string[] | undefined {
  const { trigger, globs } = parsed.source;
  const { owner } = candidate.directory;
  if (trigger === 'auto' && !isInside(mountedDirectory, owner)) return [owner, ...globs];
  const directory = owner === mountedDirectory ? '' : relativePath(mountedDirectory, owner);
  if (trigger === 'always' && candidate.isBelow) return [patternBelow(directory) ?? owner];
  if (trigger !== 'auto') return undefined;
  // Patterns of a context directory are about the mounted directory as well.
  if (candidate.format === undefined && directory !== '') return [owner, ...globs];
  return globs.map((pattern) => patternFrom(directory, pattern) ?? `${owner}: ${pattern}`);
}

function givenName({ candidate, parsed }: ReadableFile): string {
  return parsed.source.name ?? baseName(candidate.name).replace(/\.instructions$/u, '');
}

function linkIn(text: string, path: string): string | undefined {
  if (text.length > longestLink || /[\n\r\0]/u.test(text) || baseName(text) === '') return undefined;
  return joinPath(parentPath(path), text.replace(/^@/u, ''));
}
