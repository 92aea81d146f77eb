/** Names for the files that are written. They are made from names in a repository, and decide only paths. */
import { baseName, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { foldCase } from '../../globs/fold-case.ts';
import type { RuleFormat } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';

/** In bytes. Systems allow 255, and an extension and a number are added. */
const longestName = 180;
const deepest = 8;

/** `directory`: where the rule belongs, relative to the mounted directory; '' for that itself. */
type NamedSource = Readonly<{ path: string; directory: string; format?: string }>;

/**
 * The path of a rule in the folder of a format, without extension, made from its path in its own folder. `contextPath`:
 * the context directory.
 */
export function stemOf({ path, directory, format }: NamedSource, mounted: string, contextPath: string): string {
  const owner = joinPath(mounted, directory === '' ? '.' : directory);
  const inFolder = format === undefined ? relativePath(contextPath, path) : pathInFolder(path, owner, format);
  const name = inFolder === undefined ? wordsOf(baseName(path)) : withoutExtension(inFolder);
  const segments = [...directory.split('/'), ...name.split('/')].filter(Boolean).map(safeSegment);
  return segments.length <= deepest ? segments.join('/') : safeSegment(segments.join('-'));
}

/**
 * Makes names that differ in more than letter case: a second equal name gets its format at the end, further ones a
 * number.
 */
export function createUniqueNames(): (stem: string, format: string | undefined) => string {
  const taken = new Set<string>();
  const take = (name: string): boolean => taken.size < taken.add(foldCase(name)).size;
  // The next number after each name. Lower ones are taken.
  const numbers = new Map<string, number>();
  return (stem, format = 'context') => {
    if (take(stem)) return stem;
    const numbered = `${stem}-${format}`;
    const key = foldCase(numbered);
    for (let at = numbers.get(key) ?? 1; ; at += 1) {
      const name = at === 1 ? numbered : `${numbered}-${at}`;
      if (!take(name)) continue;
      numbers.set(key, at + 1);
      return name;
    }
  };
}

/** The path in the folder of its format. Undefined for a file that has a fixed place. */
function pathInFolder(path: string, owner: string, format: string): string | undefined {
  const known = ruleFormats.find(({ name }) => name === format);
  const folders = (known?.places ?? []).flatMap(({ in: kind, firstOf }) =>
    kind === 'home' ? [] : firstOf.filter((each) => each.endsWith('/')),
  );
  const folder = folders.map((each) => joinPath(owner, each.slice(0, -1))).find((each) => isInside(each, path));
  return folder === undefined ? undefined : withoutEnding(relativePath(folder, path), known);
}

function withoutEnding(path: string, format: RuleFormat | undefined): string {
  const { write } = format ?? {};
  const extension = write && 'extension' in write ? write.extension : '';
  // Its own is longer than one part (`.instructions.md`).
  const isLong = extension.lastIndexOf('.') > 0 && path.toLowerCase().endsWith(extension);
  return isLong ? `${path.slice(0, -extension.length)}.md` : path;
}

function withoutExtension(path: string): string {
  const at = path.lastIndexOf('.');
  return at > path.lastIndexOf('/') + 1 ? path.slice(0, at) : path;
}

/** Makes ordinary names of names in capitals or with a leading dot, such as `AGENTS.md` and `.cursorrules`. */
function wordsOf(name: string): string {
  const bare = withoutExtension(name.replace(/^\./u, ''));
  return bare === bare.toUpperCase() ? bare.toLowerCase() : bare;
}

/** Removes separators, invisible characters, characters that systems reserve, and dots and spaces at the ends. */
function safeSegment(segment: string): string {
  let visible = '';
  let bytes = 0;
  for (const character of segment.normalize('NFC')) {
    const safe = /[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/]/u.test(character) ? '-' : character;
    bytes += Buffer.byteLength(safe);
    if (bytes > longestName) break;
    visible += safe;
  }
  let start = 0;
  let end = visible.length;
  while (start < end && '. '.includes(visible[start] as string)) start += 1;
  while (end > start && '. '.includes(visible[end - 1] as string)) end -= 1;
  const name = visible.slice(start, end);
  const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)$/iu.test(name.split('.')[0] ?? '');
  return name === '' ? 'rule' : isDevice ? `${name}-rule` : name;
}

/** The same as one name, for a folder without sub-folders. */
export function asOneSegment(stem: string): string {
  return safeSegment(stem.replaceAll('/', '-'));
}

/** Whether the new name is at a place where the format is read. */
export function isLookedAt(path: string, folder: string, format: RuleFormat | undefined): boolean {
  const inFolder = relativePath(joinPath('/', folder), joinPath('/', path));
  const place = format?.places.find(({ in: kind, firstOf }) => kind !== 'home' && firstOf.includes(folder));
  const { holds = () => true, enters = () => true } = place ?? {};
  if (!holds(inFolder)) return false;
  for (let above = parentPath(`/${inFolder}`); above !== '/'; above = parentPath(above))
    if (!enters(above.slice(1))) return false;
  return true;
}
