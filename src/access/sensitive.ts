/**
 * Sensitive files never appear, are never read and never embedded (CC-18, S-50, S-51). Their names are in
 * `sensitive-names.ts`.
 */

import { foldCase, isAscii } from '../globs/fold-case.ts';
import { baseName } from './paths.ts';
import { sensitiveNames } from './sensitive-names.ts';

/** A form, split into the text before, between and after its stars. */
type Form = Readonly<{ pattern: string; before: string; within: string; after: string }>;
type Place = Readonly<{ pattern: string; segments: readonly string[] }>;

const all = (field: 'kinds' | 'extensions' | 'names' | 'forms' | 'places'): string[] =>
  sensitiveNames.flatMap((row) => row[field] ?? []);
const kinds = new Set(all('kinds'));
const extensions = new Set(all('extensions'));
const names = new Set(all('names'));
const forms = all('forms').map(formOf);
/** Forms by the first character of the names that fit; otherwise by the last character; otherwise in `otherForms`. */
const formsByFirst = Map.groupBy(forms, ({ before }) => before.charCodeAt(0));
const formsByLast = Map.groupBy(formsByFirst.get(Number.NaN) ?? [], ({ after }) => after.charCodeAt(after.length - 1));
const otherForms = formsByLast.get(Number.NaN) ?? [];
const places = all('places').map((place): Place => ({ pattern: `**/${place}`, segments: place.split('/') }));
/** Places by their first directory, which is only searched if it is hidden, and by their file. */
const placesByFirst = Map.groupBy(places, ({ segments }) => segments[0] as string);
const placesByLast = Map.groupBy(places, ({ segments }) => segments.at(-1) as string);
/** Crashed processes leave files named `core.` and a number. */
const coreDumps = Array.from({ length: 7 }, (_, at) => `core.${'[0-9]'.repeat(at + 1)}`);
/** Files of bare repositories, by name. */
const bareByLast = Map.groupBy(
  places.filter(({ segments }) => segments[0] === '*.git'),
  ({ segments }) => segments.at(-1) as string,
);
const exceptions = exceptionsByPattern();

/** Extensions of copies that people and editors make. */
const copies = new Set(['bak', 'backup', 'old', 'orig', 'save', 'copy', 'swp', 'swo']);

/**
 * Returns the pattern that makes a file sensitive, undefined for other files. `path` is absolute or relative. The base
 * name counts, and so do directories that contain secrets. Names that a file system can take for the same name count as
 * the same: other letter case, other Unicode forms, and a trailing dot, space, `~` or `:stream`. Copies (`.bak`,
 * `.old`, …) count as their original.
 */
export function decideSensitive(path: string): { pattern: string } | undefined {
  const folded = foldName(path);
  const pattern = placeIn(folded) ?? nameIn(folded, folded) ?? originalIn(folded) ?? bareRepositoryIn(folded);
  return pattern === undefined || isException(pattern, folded) ? undefined : { pattern };
}

/** `whole`: the path that is asked about. `path` can be that of its original. */
function nameIn(path: string, whole: string): string | undefined {
  const name = trimEnd(baseName(path));
  const found = patternOf(name, whole);
  if (found !== undefined) return found;
  const colon = name.indexOf(':');
  return colon < 0 ? undefined : patternOf(trimEnd(name.slice(0, colon)), whole);
}

function patternOf(name: string, whole: string): string | undefined {
  if (names.has(name)) return name;
  let part = '';
  for (let dot = name.indexOf('.'); dot >= 0; ) {
    const next = name.indexOf('.', dot + 1);
    part = name.slice(dot + 1, next < 0 ? undefined : next);
    const kind = kinds.has(part) ? `${dot === 0 ? '' : '*'}.${part}${next < 0 ? '' : '.*'}` : undefined;
    // Where this kind is no secret, the rest of the name can be one: `credentials.env.ts`.
    if (kind !== undefined && !isException(kind, whole)) return kind;
    dot = next;
  }
  if (extensions.has(part)) return `*.${part}`;
  const { length } = name;
  const form =
    firstThatFits(formsByFirst.get(name.charCodeAt(0)), name, whole) ??
    firstThatFits(formsByLast.get(name.charCodeAt(length - 1)), name, whole) ??
    firstThatFits(otherForms, name, whole);
  if (form !== undefined) return form.pattern;
  if (length === part.length + 5 && name.startsWith('core.') && isNumber(part)) return coreDumps[part.length - 1];
  return undefined;
}

/**
 * The pattern of the original of a copy, also of a copy of a copy. Directories above were checked with the path itself.
 */
function originalIn(path: string): string | undefined {
  for (let original = originalOf(path); original !== undefined; original = originalOf(original)) {
    const name = original.lastIndexOf('/') + 1;
    // Editors hide their temporary files: `.notes.txt.swp`.
    const shown = original[name] === '.' ? nameIn(original.slice(name + 1), path) : undefined;
    const found = placeEndingIn(original) ?? nameIn(original, path) ?? shown;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** No file system allows longer names, so such a copy cannot exist. Finding its original could take long. */
const longestName = 1_024;

/** The name, or path, of the original of a copy: `a.json` for `a.json.bak` and for `a.json.backup.1700000000`. */
export function originalOf(path: string): string | undefined {
  if (path.length - path.lastIndexOf('/') > longestName) return undefined;
  const dot = path.lastIndexOf('.');
  const ending = trimEnd(path.slice(dot + 1));
  if (dot < 0 || ending.includes('/')) return undefined;
  const before = trimEnd(path.slice(0, dot));
  if (copies.has(ending)) return before;
  return ending !== '' && isNumber(ending) ? originalOf(before) : undefined;
}

function firstThatFits(candidates: readonly Form[] | undefined, name: string, whole: string): Form | undefined {
  if (candidates === undefined) return undefined;
  for (const form of candidates) {
    const { pattern, before, within, after } = form;
    if (name.length < before.length + within.length + after.length) continue;
    if (!name.startsWith(before) || !name.endsWith(after)) continue;
    // Another form can fit too: the workflow `kube_config_my_key.yml` is no account of a cluster, but called like a key.
    if (isException(pattern, whole)) continue;
    if (within === '') return form;
    const at = name.indexOf(within, before.length);
    if (at >= 0 && at + within.length <= name.length - after.length) return form;
  }
  return undefined;
}

function isNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** The place whose directories the path contains, one directly below the other. */
function placeIn(path: string): string | undefined {
  let way: string[] | undefined;
  let at = -1;
  const met = new Set<string>();
  for (let start = path.startsWith('.') ? 0 : nextHidden(path, 0); start >= 0; start = nextHidden(path, start)) {
    const end = path.indexOf('/', start);
    const name = trimEnd(path.slice(start, end < 0 ? undefined : end));
    const candidates = placesByFirst.get(name);
    if (candidates === undefined) continue;
    way ??= segmentsOf(path);
    at = way.indexOf(name, at + 1);
    for (const { pattern, segments } of candidates) {
      // A place with `**` includes any depth, so it is enough to check below the first directory of that name.
      const wasLookedFor = segments[1] === '**' && met.has(name);
      if (!wasLookedFor && goesOn(way, at, segments)) return pattern;
    }
    met.add(name);
  }
  return placeEndingIn(path);
}

/** The place whose file the path itself is, not a file below it. */
function placeEndingIn(path: string): string | undefined {
  const candidates = placesByLast.get(trimEnd(baseName(path)));
  if (candidates === undefined) return undefined;
  const way = segmentsOf(path);
  const startOf = (segments: readonly string[]): number =>
    segments[1] === '**' ? way.indexOf(segments[0] as string) : way.length - segments.length;
  return candidates.find(({ segments }) => goesOn(way, startOf(segments), segments))?.pattern;
}

/** The names on a path, as file systems compare them. */
export function segmentsOf(path: string): string[] {
  return path.split('/').map(trimEnd);
}

/** Where the next hidden file or directory of a path begins, or -1. */
function nextHidden(path: string, from: number): number {
  const slash = path.indexOf('/.', from);
  return slash < 0 ? -1 : slash + 1;
}

/**
 * Whether a way has all segments from `at` on, one directly below the other. `**` stands for any number of directories.
 */
function goesOn(way: readonly string[], at: number, segments: readonly string[]): boolean {
  const [first, ...rest] = segments;
  if (first === undefined) return true;
  if (first === '**') return way.some((_, from) => from >= at && goesOn(way, from, rest));
  return way[at] === first && goesOn(way, at + 1, rest);
}

/** The place, if the path is such a file of a bare repository (`shop.git`), or a copy of one. */
function bareRepositoryIn(path: string): string | undefined {
  if (!path.includes('.git')) return undefined;
  const way = segmentsOf(path);
  const last = way.pop();
  const inside = way.slice(way.findLastIndex((name) => name.endsWith('.git')) + 1);
  if (inside.length === way.length) return undefined;
  for (let name = last; name !== undefined; name = originalOf(name)) {
    const found = bareByLast.get(name)?.find(({ segments: [, ...directories] }) => {
      directories.pop();
      return directories.at(-1) === '**' ? inside[0] === directories[0] : inside.length === directories.length;
    });
    if (found !== undefined) return found.pattern;
  }
  return undefined;
}

function isException(pattern: string, path: string): boolean {
  return exceptions.get(pattern)?.(path) ?? false;
}

/**
 * A path in lower case, with `/` as separator. Some file systems ignore compatibility forms and invisible characters,
 * so these do not make another name.
 */
export function foldName(path: string): string {
  const folded = isAscii(path)
    ? path.toLowerCase()
    : foldCase(path.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
  return folded.includes('\\') ? folded.replaceAll('\\', '/') : folded;
}

/** Some file systems ignore spaces, dots and `~` at the end of a name. */
function trimEnd(name: string): string {
  let { length } = name;
  while (length > 0 && ' .~'.includes(name[length - 1] as string)) length -= 1;
  return length === name.length ? name : name.slice(0, length);
}

function formOf(pattern: string): Form {
  const [before = '', ...others] = pattern.split('*');
  const after = others.pop() ?? '';
  return { pattern, before, within: others.join(''), after };
}

/** The exceptions, by the pattern that they belong to. */
function exceptionsByPattern(): ReadonlyMap<string, (path: string) => boolean> {
  const patterns = sensitiveNames.flatMap(({ kinds: ownKinds = [], names: own = [], forms: ownForms = [], stays }) =>
    stays === undefined
      ? []
      : [...ownKinds.map((kind) => `*.${kind}.*`), ...own, ...ownForms].map((pattern) => [pattern, stays] as const),
  );
  return new Map(patterns);
}
