/** What a request names in `mentions` and `expand` (CC-28). */
import { createShortNames, type ShortNames, withoutAt } from '../texts/short-names.ts';
import type { Warning } from '../warnings.ts';
import type { IsLeftOut } from './left-out-names.ts';
import type { RequestPlace } from './normalize-request.ts';
import { type ReadableFile, shownRelativePath } from './readable.ts';

/** `files`: the mentioned files. A name that matches none is a warning. */
type NamedFiles = { files: ReadonlySet<ReadableFile>; warnings: readonly Warning[] };

/**
 * Files that match each name: by name, relative path or absolute path, else the one file whose name or path ends with
 * it. A file outside its repository, and a file that only belongs to another one, match by full name only. The full
 * name of a file that is left out matches nothing. `field`: the field of the request with the names.
 */
export function findNamed(
  names: readonly string[],
  files: readonly ReadableFile[],
  { place, field, isLeftOut }: { place: RequestPlace; field: 'mentions' | 'expand'; isLeftOut: IsLeftOut },
): NamedFiles {
  const found = new Set<ReadableFile>();
  const warnings: Warning[] = [];
  if (names.length === 0) return { files: found, warnings };
  const byName = new Map<string, ReadableFile[]>();
  for (const file of files)
    for (const name of new Set(namesOf(file, place))) {
      const same = byName.get(name);
      if (same) same.push(file);
      else byName.set(name, [file]);
    }
  const short = shortNamesOf(files, place);
  for (const [index, name] of names.entries()) {
    const exact = byName.get(name) ?? byName.get(withoutAt(name));
    const meant = exact ?? (isLeftOut(name) ? [] : short.fitting(name));
    if (exact || meant.length === 1) for (const file of meant) found.add(file);
    else {
      const message = `No context file is called "${name}".${short.hint(name, warnings.length)}`;
      warnings.push({ code: 'mention_not_found', message, pointer: `/${field}/${index}` });
    }
  }
  return { files: found, warnings };
}

function shortNamesOf(files: readonly ReadableFile[], place: RequestPlace): ShortNames<ReadableFile> {
  const own = files.filter(({ candidate }) => !candidate.isForeign && candidate.partOf === undefined);
  return createShortNames(own, (file) => [
    file.name,
    ...candidatesOf(file).map((each) => shownRelativePath(each, place)),
  ]);
}

/** All full names by which a user can mention a file, including those of its duplicates. */
function namesOf(file: ReadableFile, place: RequestPlace): string[] {
  return [file.name, ...candidatesOf(file).flatMap((each) => [shownRelativePath(each, place), each.path])];
}

function candidatesOf({ candidate, standsFor = [] }: ReadableFile) {
  return [candidate, ...standsFor];
}
