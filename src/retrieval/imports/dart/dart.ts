/**
 * Dart: files by relative and `package:` URIs, through exports and parts to the files that declare the used names
 * (RT-02).
 */
import { baseName, isInside, joinPath, parentPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import { createPause, type Pause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, resolved } from '../places.ts';
import { capitalized } from '../plain-reading.ts';
import { type DartDirective, type DartFile, readDartFile } from './dart-libraries.ts';
import { findDartPackage } from './dart-packages.ts';

const limits = fixedLimits.projects.dart;

/** `left`: URIs in other files that may still be followed for this document. */
type Search = {
  lookup: Lookup;
  pause: Pause;
  budget: { left: number };
  /** Most statements share one list of names. */
  publicOf(names: readonly string[]): readonly string[];
};
type Found = string | 'outside_workspace' | 'not_found';

export const resolveDartImports: ImportResolver = async (imports, file, lookup) => {
  const search: Search = {
    lookup,
    pause: createPause(),
    budget: { left: limits.visits },
    publicOf: onceForEach(publicOf),
  };
  const answers: ResolvedImport[] = [];
  for (const statement of imports) answers.push(await resolveOne(statement, file.path, search));
  return answers;
};

async function resolveOne(statement: ImportStatement, path: string, search: Search): Promise<ResolvedImport> {
  const { specifier, form, names } = statement;
  if (form === 'part-of') return resolvePartOf(statement, path, search);
  if (form === 'part' && isGenerated(specifier)) return { statement, targets: [] };
  const found = await findUri(specifier, path, search.lookup);
  if (found === 'outside_workspace' || found === 'not_found') return { statement, none: found };
  if (form === 'export') return { statement, targets: [{ path: found, names }] };
  return { statement, targets: await targetsOf(found, statement, search) };
}

/** If what is listed by name cannot be found, it is somewhere in the file, or code that a tool made from it. */
async function targetsOf(path: string, { names, form }: ImportStatement, search: Search): Promise<ImportTarget[]> {
  const targets =
    form === 'part' ? await declaring(path, names, search) : await imported(path, search.publicOf(names), search);
  return targets.length === 0 && form === 'show' ? [{ path, names }] : targets;
}

/** A part sees what its library sees: its declarations, those of its other parts, and its imports. */
async function resolvePartOf(statement: ImportStatement, path: string, search: Search): Promise<ResolvedImport> {
  const library = await findLibrary(statement.specifier, path, search.lookup);
  if (library === undefined) return { statement, none: 'not_found' };
  const { directives } = (await search.lookup.deriveSource(library, readDartFile)) ?? nothing;
  const { names } = statement;
  const targets = await declaring(library, names, search);
  for (const directive of directives.filter(({ kind }) => kind === 'import'))
    for (const uri of directive.uris) {
      if (search.budget.left === 0) break;
      search.budget.left -= 1;
      const at = await findUri(uri, library, search.lookup);
      if (!at.startsWith('/')) continue;
      // Behind a prefix, names look like members.
      const used = publicOf(directive.hasPrefix ? names.map((name) => name.replace(/^\./u, '')) : names);
      targets.push(...(await imported(at, [...visibleBy(directive, new Set(used))], search)));
    }
  const others = targets.filter((each) => each.path !== path);
  return resolved(statement, others);
}

const nothing: DartFile = { directives: [], declared: new Map() };

/** The file with the `part` of `path`. The name of a library mostly ends with the name of its file. */
async function findLibrary(specifier: string, path: string, lookup: Lookup): Promise<string | undefined> {
  if (specifier.endsWith('.dart')) {
    const found = await findUri(specifier, path, lookup);
    return found.startsWith('/') ? found : undefined;
  }
  const fileName = `${afterLast(specifier, '.')}.dart`;
  const above = directoriesAbove(path, lookup).slice(0, limits.above);
  const usual = above.flatMap((directory) => [`${directory}/${fileName}`, `${directory}/lib/${fileName}`]);
  const others: string[] = [];
  for (const directory of above.slice(0, 2))
    others.push(...(await lookup.namesIn(directory)).map((name) => `${directory}/${name}`));
  const candidates = [...usual, ...others.filter((each) => each.endsWith('.dart')).slice(0, limits.candidates)];
  for (const candidate of candidates) {
    if (candidate === path || (await lookup.kindOf(candidate)) !== 'file') continue;
    const { directives } = (await lookup.deriveSource(candidate, readDartFile)) ?? nothing;
    const parts = directives.filter(({ kind }) => kind === 'part').flatMap(({ uris }) => uris);
    if (parts.some((uri) => joinPath(parentPath(candidate), uri) === path)) return candidate;
  }
  return undefined;
}

/** `shown`: the only definitions that an export lets through. */
type Visited = Readonly<{
  path: string;
  names: ReadonlySet<string>;
  shown?: DartDirective['show'];
  by?: DartDirective;
}>;

/** What another library sees of one: no extension without a name, or with a private one. */
async function imported(path: string, wanted: readonly string[], search: Search): Promise<ImportTarget[]> {
  const targets = await declaring(path, wanted, search);
  return targets.flatMap((target) => {
    const names = target.names.filter((name) => !/^(?:_|extension on )/u.test(name));
    return names.length > 0 || target.names.length === 0 ? [{ ...target, names }] : [];
  });
}

/** The files that declare the names which a library has: itself, its parts, and what it exports. */
async function declaring(path: string, wanted: readonly string[], search: Search): Promise<ImportTarget[]> {
  const { lookup, pause, budget } = search;
  const targets = new Map<string, ImportTarget>();
  /** How many names were looked for in a file. What exports let through can be more the next time. */
  const seen = new Map<string, number>();
  const queue: Visited[] = [{ path, names: new Set(wanted.slice(0, limits.names)) }];
  for (const { path: at, by, ...given } of queue) {
    if (budget.left === 0 && at !== path) break;
    await pause();
    const names = by ? visibleBy(by, given.names) : given.names;
    const shown = by?.show ?? given.shown;
    const asked = [at, ...(shown ?? [])].join(' ');
    if (names.size <= (seen.get(asked) ?? 0)) continue;
    seen.set(asked, names.size);
    const library = await lookup.deriveSource(at, readDartFile);
    // A file that cannot be opened is told about, if the document itself imports it.
    if (library === undefined && at === path) return [{ path, names: [] }];
    if (library === undefined) continue;
    // Large files count as several visits.
    budget.left = Math.max(0, budget.left - Math.floor(Math.min(names.size, library.declared.size) / 50));
    const declared = declaredAmong(names, library).filter((name) => shown?.has(name.split('.', 1)[0] ?? '') ?? true);
    const all = [...new Set([...(targets.get(at)?.names ?? []), ...declared])];
    if (all.length > 0) targets.set(at, { path: at, names: all, guessed: true });
    const exports = library.directives.filter(({ kind }) => kind === 'export');
    const parts = library.directives.filter(({ kind, uris }) => kind === 'part' && !uris.some(isGenerated));
    for (const directive of [...parts, ...exports])
      for (const uri of directive.uris) {
        if (budget.left === 0) break;
        budget.left -= 1;
        const next = await findUri(uri, at, lookup);
        if (next.startsWith('/')) queue.push({ path: next, names, shown, by: directive });
      }
  }
  return [...targets.values()];
}

/** The definitions that the names mean in this file. */
function declaredAmong(names: ReadonlySet<string>, { declared, directives }: DartFile): string[] {
  const found = [...declared].flatMap(([name, definitions]) => (names.has(name) ? definitions : []));
  const isSource = directives.some(({ kind, uris }) => kind === 'part' && uris.some(isGenerated));
  const sources = isSource ? [...names].flatMap((name) => sourceOfProvider(name, declared)) : [];
  return [...new Set([...found, ...sources])];
}

/** Riverpod makes `cartProvider` from a function `cart`, or from a class `Cart` or `CartNotifier`. */
function sourceOfProvider(name: string, declared: DartFile['declared']): string[] {
  if (!name.endsWith('Provider') || declared.has(name)) return [];
  const stem = name.slice(0, -'Provider'.length);
  const type = capitalized(stem);
  return [stem, type, `${type}Notifier`].filter((each) => declared.has(each));
}

/** The names that a directive lets through. Those of members stay: code does not say of which extension they are. */
function visibleBy({ show, hide }: DartDirective, names: ReadonlySet<string>): ReadonlySet<string> {
  if (show === undefined && hide.size === 0) return names;
  return new Set(
    [...names].filter((name) => name.startsWith('.') || (show === undefined ? !hide.has(name) : show.has(name))),
  );
}

/** Only a library and its parts see names with an underscore. */
function publicOf(names: readonly string[]): readonly string[] {
  return names.slice(0, limits.names).filter((name) => !/^\.?_/u.test(name) && !ofEverything.has(name));
}

/** The file that a URI means in the file at `from`. */
async function findUri(uri: string, from: string, lookup: Lookup): Promise<Found> {
  if (uri.startsWith('package:')) {
    const [name = '', ...rest] = uri.slice('package:'.length).split('/');
    const directory = await findDartPackage(name, from, lookup);
    if (directory === undefined) return 'outside_workspace';
    return fileAt(joinPath(`${directory}/lib`, `./${rest.join('/')}`), lookup);
  }
  if (/^[a-z][a-z0-9+.-]{0,30}:/iu.test(uri)) return 'outside_workspace';
  return fileAt(joinPath(parentPath(from), `./${uri}`), lookup);
}

async function fileAt(path: string, lookup: Lookup): Promise<Found> {
  if (!isInside(lookup.mountedDirectory, path) || baseName(path) === '') return 'outside_workspace';
  if ((await lookup.kindOf(path)) === 'file') return path;
  // Many repositories do not keep what tools make.
  return isGenerated(path) ? 'outside_workspace' : 'not_found';
}

/**
 * By convention, tools write files with two extensions. Nobody reads them: what is used of them belongs to other code.
 */
function isGenerated(path: string): boolean {
  return /[^./]\.\w+\.dart$/u.test(path);
}

/**
 * Members that lists, maps, texts, futures and streams have themselves. Names of constructors are among them, so that
 * an extension with one of these names is mostly not meant.
 */
const ofEverything = new Set(
  `add addAll any asMap call cast catchError clear close compareTo contains containsKey copyWith dispose elementAt entries every
  expand first firstWhere fold forEach from fromJson hashCode index indexOf indexWhere insert isEmpty isNotEmpty iterator join key keys last
  lastIndexOf length listen map name new of padLeft put read reduce remove removeAt removeLast removeWhere replaceAll reversed
  runtimeType select single skip sort split startsWith sublist substring take then timeout toDouble toInt toJson toList
  toLowerCase toSet toString toUpperCase transform trim update value values watch where whereType`
    .split(/\s+/u)
    .map((name) => `.${name}`),
);
