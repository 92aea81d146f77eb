/** The same text under several names is delivered once (FM-06). */
import type { FileSnapshot } from '../access/gate.ts';
import { baseName, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { createPause } from '../pace/turns.ts';
import { keyOfText } from '../texts/text-key.ts';
import type { Reason } from '../warnings.ts';
import type { Candidate } from './candidate.ts';
import type { ContextFileSource } from './front-matter.ts';
import type { Trigger } from './item-values.ts';
import { patternBelow, patternFrom } from './patterns-below.ts';
import type { ReadableFile } from './readable.ts';

/** The order of strength: a file that applies to more requests replaces one that applies to fewer. */
const order: readonly Trigger[] = ['always', 'auto', 'agent', 'manual'];

const longestLink = 255;

/**
 * Why a file is left out, and the path of the file that is used instead. `has`: how it has the text of that file, if it
 * applies wherever that does: as its own, or by a line that a tool may follow.
 */
export type Duplicate = { reason: Reason; standIn: string; has?: 'text' | 'import' };

/**
 * The files that another file replaces, by path, if at least one of the two is a file of another tool. Two tools can
 * say the same with different front matter: the text after the front matter and the meaning of the front matter are
 * compared. A file whose only line is the path of another file beside it counts as a link, as git writes it on systems
 * without links, or as an import of the whole file (`@path`).
 */
export async function findDuplicates(
  files: readonly ReadableFile[],
  mountedDirectory: string,
): Promise<Map<string, Duplicate>> {
  const duplicates = new Map<string, Duplicate>();
  if (!files.some(({ candidate }) => candidate.format !== undefined)) return duplicates;
  const byPath = new Map(files.map((file) => [file.candidate.path, file]));
  const standing = createStanding(mountedDirectory);
  const replaced = new Map<ReadableFile, Candidate[]>();
  const leaveOut = (file: ReadableFile, by: ReadableFile, why: string): void => {
    const { candidate } = file;
    const { path, directory } = by.candidate;
    const reason: Reason = { code: 'duplicate', detail: `${why} ${path}, which is used instead` };
    const isAlike = candidate.directory.owner === directory.owner && replaces(file, by, mountedDirectory);
    const has = wholeText(file.snapshot).startsWith('@') ? 'import' : 'text';
    duplicates.set(candidate.path, { reason, standIn: path, ...(isAlike && { has }) });
    const candidates = replaced.get(by) ?? [];
    candidates.push(candidate);
    replaced.set(by, candidates);
    by.standsFor = candidates;
  };
  const pause = createPause();
  for (const file of files.toSorted((a, b) => strengthOf(a) - strengthOf(b))) {
    const turn = pause();
    if (turn) await turn;
    const { candidate, snapshot } = file;
    const text = wholeText(snapshot);
    if (text === '' || snapshot.truncated) continue;
    const target = candidate.format === undefined ? undefined : byPath.get(linkIn(text, candidate.path) ?? '');
    const texts = [...new Set([text, bodyText(file.parsed.source)])].filter((each) => each !== '');
    const isLink =
      target && target !== file && !duplicates.has(target.candidate.path) && replaces(target, file, mountedDirectory);
    const same = isLink ? undefined : standing.firstFor(file, texts);
    if (isLink) leaveOut(file, target, 'it contains only the path of');
    else if (same) leaveOut(file, same, 'it has the same text as');
    else standing.add(file, texts);
  }
  return duplicates;
}

const wholeText = onceForEach(({ text = '' }: FileSnapshot) => keyOfText(text.trim()), new WeakMap());
const bodyText = onceForEach(({ body }: ContextFileSource) => keyOfText(body.trim()), new WeakMap());

/** `unsorted`: nobody asked about them yet. `byMeaning`: the first that replaces such files, and the first of a tool. */
type SameText = { unsorted: ReadableFile[]; byMeaning: Map<string, ReadableFile[]> };

/** The files that no other file replaces, by their texts. Any number of files can have the same text. */
function createStanding(mountedDirectory: string) {
  const byText = new Map<string, SameText>();
  const places = new Map<ReadableFile, number>();
  const sort = ({ unsorted, byMeaning }: SameText): void => {
    for (const file of unsorted.splice(0))
      for (const meaning of replacedBy(file, mountedDirectory)) {
        const known = byMeaning.get(meaning) ?? [];
        byMeaning.set(meaning, known);
        if (known.length === 0 || (isOfTool(file) && !known.some(isOfTool))) known.push(file);
      }
  };
  const placeOf = (file: ReadableFile): number => places.get(file) ?? 0;
  return {
    add(file: ReadableFile, texts: readonly string[]): void {
      places.set(file, places.size);
      for (const text of texts) {
        const known: SameText = byText.get(text) ?? { unsorted: [], byMeaning: new Map() };
        known.unsorted.push(file);
        byText.set(text, known);
      }
    },
    /** The first that replaces the file. One of the two must be of another tool. */
    firstFor(file: ReadableFile, texts: readonly string[]): ReadableFile | undefined {
      for (const known of texts.flatMap((text) => byText.get(text) ?? [])) {
        sort(known);
        const [first] = replaceableAs(file, mountedDirectory)
          .flatMap((meaning) => known.byMeaning.get(meaning) ?? [])
          .filter((each) => isOfTool(file) || isOfTool(each))
          .sort((a, b) => placeOf(a) - placeOf(b));
        if (first !== undefined) return first;
      }
      return undefined;
    },
  };
}

function isOfTool({ candidate }: ReadableFile): boolean {
  return candidate.format !== undefined;
}

function strengthOf({ parsed }: ReadableFile): number {
  return order.indexOf(parsed.source.trigger);
}

function replaces(one: ReadableFile, other: ReadableFile, mountedDirectory: string): boolean {
  const replaceable = replaceableAs(other, mountedDirectory);
  return replacedBy(one, mountedDirectory).some((each) => replaceable.includes(each));
}

/**
 * What a file replaces. A file that always applies replaces all others. A file with patterns replaces a file with the
 * same patterns. A file that is chosen or mentioned has its own name, and is chosen by its description, so it replaces
 * only a file in which these are the same.
 */
function replacedBy(file: ReadableFile, mountedDirectory: string): string[] {
  const { candidate, parsed } = file;
  if (candidate.isForeign) return [];
  const isAlways = parsed.source.trigger === 'always';
  if (isAlways && candidate.isBelow !== true) return ['all'];
  return [...(isAlways ? ['all below'] : []), ...meaningOf(file, mountedDirectory)];
}

/** A file is replaced by each file that replaces one of these. */
function replaceableAs(file: ReadableFile, mountedDirectory: string): string[] {
  return ['all', ...(file.candidate.isBelow ? ['all below'] : []), ...meaningOf(file, mountedDirectory)];
}

function meaningOf(file: ReadableFile, mountedDirectory: string): string[] {
  const { trigger, globs, description } = file.parsed.source;
  if (trigger === 'agent' || trigger === 'manual')
    return [JSON.stringify([trigger, givenName(file), description, ...globs])];
  const files = filesOf(file, mountedDirectory);
  return files === undefined ? [] : [JSON.stringify(['files', ...files])];
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
