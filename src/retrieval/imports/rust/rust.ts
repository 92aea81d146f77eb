/** Rust: `mod`, `use` and `extern crate`, through the module trees of the file's crate and its workspace (RT-02). */

import { baseName, joinPath, parentPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import { createPause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportingFile, ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { firstFile, resolved } from '../places.ts';
import { type CratesAround, cratesAround } from './rust-crates.ts';
import { readLinks } from './rust-links.ts';
import { fileOfMacro, givenBy, isAround, type Module, parentModule, rootModule, submodule } from './rust-modules.ts';

const limits = fixedLimits.projects.rust;

type Asked = {
  file: ImportingFile;
  own: Module;
  crates: CratesAround;
  lookup: Lookup;
  /** Without the names of modules that only lead to what is imported. */
  withoutModules(names: readonly string[]): readonly string[];
  /** How many modules that others pass on as a whole may still be followed, for all imports of the file. */
  globs: { left: number };
};
type Way = {
  /** The rest of a path. */
  segments: readonly string[];
  /** The wanted names at its end. */
  names: readonly string[];
  /** If `*` is wanted: the names that the file uses, and the modules that were searched for them. */
  whole?: Whole | undefined;
  /** How many may still be followed. */
  aliases: { left: number };
};
type Whole = { names: readonly string[]; searched: Set<string> };

const languageCrates = new Set(['std', 'core', 'alloc', 'proc_macro', 'test']);

export const resolveRustImports: ImportResolver = async (imports, file, lookup) => {
  const crates = await cratesAround(file.path, lookup);
  const isAtTop = crates.roots.includes(file.path) || crates.isRoot(file.path) || baseName(file.path) === 'mod.rs';
  const directory = isAtTop ? parentPath(file.path) : file.path.replace(/\.rs$/u, '');
  const paths = imports.flatMap(({ specifier }) => specifier.split('::'));
  const modules = new Set(paths.filter((segment) => /^\p{Ll}/u.test(segment)));
  const withoutModules = onceForEach((names: readonly string[]) => names.filter((name) => !modules.has(name)));
  const own = { path: file.path, directory, roots: crates.roots };
  const asked: Asked = { file, own, crates, lookup, withoutModules, globs: { left: limits.globs } };
  const pause = createPause();
  const answers: ResolvedImport[] = [];
  const taken = new Set<string>();
  for (const statement of imports.filter((each) => !isOnlyNamed(each))) {
    await pause();
    const answer = await resolveOne(statement, asked);
    if ('targets' in answer) for (const { path } of answer.targets) taken.add(path);
    answers.push(answer);
  }
  for (const statement of imports.filter(isOnlyNamed)) answers.push(await resolveOnlyNamed(statement, taken, asked));
  return answers;
};

/** `mod a;` of which the file uses nothing: it only makes the module a part of the crate. */
function isOnlyNamed({ form, names }: ImportStatement): boolean {
  return form?.startsWith('mod') === true && names.length === 0;
}

/** What the module offers to others, or all of it, unless another statement says what is used of it. */
async function resolveOnlyNamed(
  statement: ImportStatement,
  taken: ReadonlySet<string>,
  asked: Asked,
): Promise<ResolvedImport> {
  const path = await fileOfModule(statement, asked);
  if (path === undefined) return { statement, none: 'not_found' };
  if (taken.has(path)) return { statement, targets: [] };
  // Also of a file that cannot be read, so that this is told.
  const { macros = [], offered = [] } = (await asked.lookup.deriveSource(path, readLinks)) ?? {};
  return { statement, targets: [{ path, names: [...macros, ...offered].slice(0, limits.offered), guessed: true }] };
}

async function resolveOne(statement: ImportStatement, asked: Asked): Promise<ResolvedImport> {
  const { specifier, names, members, form } = statement;
  const segments = specifier.split('::').filter(Boolean);
  const aliases = { left: limits.aliases };
  if (form?.startsWith('mod')) {
    const path = await fileOfModule(statement, asked);
    if (path === undefined) return { statement, none: 'not_found' };
    const isDirectory = form !== 'mod' || baseName(path) === 'mod.rs';
    const directory = isDirectory ? parentPath(path) : path.replace(/\.rs$/u, '');
    const way = { segments: [], names, aliases };
    const targets = await targetsOf({ ...asked.own, path, directory }, way, asked);
    return resolved(statement, targets.map(asGuess), 'not_found');
  }
  const visible = new Map(members).get('*');
  const named = names.filter((name) => name !== '*');
  const whole = visible && { names: [...named, ...asked.withoutModules(visible)], searched: new Set<string>() };
  const targets = await follow(asked.own, { segments, names, whole, aliases }, asked);
  if (targets === undefined) return { statement, none: 'outside_workspace' };
  // Imports from the file itself, as in tests, need no file.
  const others = targets.filter(({ path }) => path !== asked.file.path);
  return resolved(statement, others, targets.length > 0 ? undefined : 'not_found');
}

/** What follows the name of a module can be in one below it. */
function asGuess(target: ImportTarget): ImportTarget {
  return { ...target, guessed: true };
}

/** The file of `mod a;`, or of `#[path]`: relative to the directory of the file or of the inline module around it. */
async function fileOfModule(
  { specifier, form = '' }: ImportStatement,
  { own, file, lookup }: Asked,
): Promise<string | undefined> {
  const segments = specifier.split('::').filter(Boolean);
  const given = form.slice('mod:'.length);
  const around = segments.slice(0, -1).join('/');
  const inside = joinPath(own.directory, around || '.');
  if (given !== '') return firstFile([joinPath(around === '' ? parentPath(file.path) : inside, given)], lookup);
  return (await submodule({ ...own, directory: inside }, segments.at(-1) ?? '', lookup))?.path;
}

/** Follows a path that is written in a module. Undefined if it leads out of the workspace. */
async function follow(from: Module, way: Way, asked: Asked): Promise<ImportTarget[] | undefined> {
  const [first = '', ...rest] = way.segments;
  const { lookup, crates } = asked;
  if (first === 'self' || first === 'super') return descend(from, way, asked);
  if (first === 'crate' || first === '$crate') {
    for (const root of from.roots) {
      const targets = await descend(rootModule(root, from.roots), { ...way, segments: rest }, asked);
      if (targets.length > 0) return targets;
    }
    return [];
  }
  // A submodule hides a crate of the same name, and a crate hides an installed one.
  if (await submodule(from, first, lookup)) return descend(from, way, asked);
  const crate = languageCrates.has(first) ? undefined : crates.byName.get(first);
  if (crate) return descend(rootModule(crate.library, [crate.library]), { ...way, segments: rest }, asked);
  // A type or inline module of this file, as in `use Kind::*`.
  const isOwn = (await lookup.deriveSource(from.path, readLinks))?.items.has(first) ?? false;
  return isOwn ? descend(from, way, asked) : undefined;
}

/** Follows the path down as far as there are files. */
async function descend(start: Module, way: Way, asked: Asked): Promise<ImportTarget[]> {
  const segments = way.segments.filter((each) => each !== 'self');
  let module = start;
  while (segments.length > 0) {
    const [segment = '', after] = segments;
    const next = await (segment === 'super'
      ? parentModule(module, asked.lookup)
      : submodule(module, segment, asked.lookup));
    // An inline module has no file; the module above it is in the same file.
    if (next === undefined && after === 'super' && segment !== 'super') segments.splice(0, 2);
    else if (next === undefined) break;
    else {
      module = next;
      segments.shift();
    }
  }
  return targetsOf(module, { ...way, segments }, asked);
}

/**
 * The rest of a path after the last file is inside that file: an item of an inline module is `module.Item`; for an item
 * of a type, the type is taken; a module with an alias is followed to its own place.
 */
async function targetsOf(module: Module, way: Way, asked: Asked): Promise<ImportTarget[]> {
  const { names, aliases } = way;
  const [first, ...rest] = way.segments;
  const { path } = module;
  if (first !== undefined) {
    const links = await asked.lookup.deriveSource(path, readLinks);
    const alias = aliases.left > 0 ? links?.aliases.get(first) : undefined;
    if (alias) aliases.left -= 1;
    const led = alias && (await follow(module, { ...way, segments: [...alias, ...rest] }, asked));
    if (led && led.length > 0) return led;
    const given = (links?.paths.get(first) ?? []).map((each) => joinPath(parentPath(path), each));
    for (const file of given) {
      if ((await asked.lookup.kindOf(file)) !== 'file') continue;
      const inside = { ...module, path: file, directory: parentPath(file) };
      const targets = await descend(inside, { ...way, segments: rest }, asked);
      if (targets.length > 0) return targets;
    }
    for (const { segments } of links?.globs ?? []) {
      if (links?.items.has(first) || aliases.left <= 0) break;
      aliases.left -= 1;
      const targets = await follow(module, { ...way, segments: [...segments, ...way.segments] }, asked);
      if (targets && targets.length > 0) return targets;
    }
    if (!links?.mentioned.has(first)) return [];
    if (!links.modules.has(first)) return [{ path, names: [first] }];
    const inside = way.segments.join('.');
    const isWhole = names.length === 0 || names.includes('*');
    return [{ path, names: isWhole ? [inside] : names.map((name) => `${inside}.${name}`) }];
  }
  if (names.includes('*') && way.whole !== undefined) return ofWhole(module, { ...way, whole: way.whole }, asked);
  if (names.length === 0 || names.includes('*')) return [{ path, names: [] }];
  const targets: ImportTarget[] = [];
  const elsewhere: string[] = [];
  const isGiven = await givenBy(module, asked);
  for (const name of names) {
    const below = await submodule(module, name, asked.lookup);
    const macro = below ? undefined : await fileOfMacro(module, name, asked.lookup);
    // Modules are often private when a function has the same name: `io::stdin` means `io/stdin.rs` and its function.
    const isFunction = below && (await asked.lookup.deriveSource(below.path, readLinks))?.functions.has(name);
    if (below === undefined && macro === undefined && !isGiven(name)) elsewhere.push(name);
    else
      targets.push(
        below ? { path: below.path, names: isFunction ? [name] : [] } : { path: macro ?? path, names: [name] },
      );
  }
  if (elsewhere.length === 0) return targets;
  // Without this, each module that this one passes on would be parsed until the name is found.
  const searched = new Set([path]);
  const passed = await passedOn(module, { ...way, whole: { names: elsewhere, searched } }, asked);
  const found = passed.filter((target) => target.names.length > 0);
  const known = new Set(found.flatMap((target) => target.names));
  const missing = elsewhere.filter((name) => !known.has(name));
  return [...targets, ...found, ...(missing.length > 0 ? [{ path, names: missing }] : [])];
}

/** What is used of a module, and of those whose whole content it passes on. If that is nothing, all of it. */
async function ofWhole(module: Module, way: Way & { whole: Whole }, asked: Asked): Promise<ImportTarget[]> {
  const { path } = module;
  const { searched, names } = way.whole;
  // Searched before, or after too many others: only the import itself is known to lead here.
  if (searched.has(path) || searched.size >= limits.modules) return [{ path, names: [] }];
  searched.add(path);
  const own = asGuess({ path, names: names.filter(await givenBy(module, asked)) });
  const found = [own, ...(await passedOn(module, way, asked))].filter((target) => target.names.length > 0);
  return found.length > 0 ? found : [{ path, names: [] }];
}

async function passedOn(module: Module, way: Way & { whole: Whole }, asked: Asked): Promise<ImportTarget[]> {
  const targets: ImportTarget[] = [];
  const links = await asked.lookup.deriveSource(module.path, readLinks);
  for (const { segments, isPublic } of links?.globs ?? []) {
    // `use super::*` in a module of tests inside the file: the file itself.
    if (segments.join() === 'super' || !(isPublic || isAround(module, asked.file))) continue;
    if (asked.globs.left <= 0) break;
    asked.globs.left -= 1;
    targets.push(...((await follow(module, { ...way, segments, names: ['*'] }, asked)) ?? []));
  }
  return targets;
}
