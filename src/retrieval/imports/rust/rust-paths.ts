/** Follows the path of a Rust import from module to module, to the files with what it names (RT-02). */
import { joinPath, parentPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportingFile, ImportTarget, Lookup } from '../import.ts';
import type { CratesAround } from './rust-crates.ts';
import { readLinks } from './rust-links.ts';
import { fileOfMacro, givenBy, isAround, type Module, parentModule, rootModule, submodule } from './rust-modules.ts';

const limits = fixedLimits.projects.rust;

/** The importing file, and what its imports share. */
export type Asked = {
  file: ImportingFile;
  own: Module;
  crates: CratesAround;
  lookup: Lookup;
  /** Without the names of modules that only lead to what is imported. */
  withoutModules(names: readonly string[]): readonly string[];
  /** How many modules that others pass on as a whole may still be followed, for all imports of the file. */
  globs: { left: number };
};
/** What is left to follow. */
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

/** What follows the name of a module can be in one below it. */
export function asGuess(target: ImportTarget): ImportTarget {
  return { ...target, guessed: true };
}

/** Follows a path that is written in a module. Undefined if it leads out of the workspace. */
export async function follow(from: Module, way: Way, asked: Asked): Promise<ImportTarget[] | undefined> {
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

export async function targetsOf(module: Module, way: Way, asked: Asked): Promise<ImportTarget[]> {
  const { segments, names, whole } = way;
  if (segments.length > 0) return targetsInside(module, way, asked);
  if (names.includes('*') && whole !== undefined) return ofWhole(module, { ...way, whole }, asked);
  if (names.length === 0 || names.includes('*')) return [{ path: module.path, names: [] }];
  return targetsByName(module, way, asked);
}

/**
 * The rest of a path after the last file is inside that file: an item of an inline module is `module.Item`; for an item
 * of a type, the type is taken; a module with an alias is followed to its own place.
 */
async function targetsInside(module: Module, way: Way, asked: Asked): Promise<ImportTarget[]> {
  const { names, aliases } = way;
  const [first = '', ...rest] = way.segments;
  const { path } = module;
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

/** Each name is a submodule, a macro, something that the module has, or something that it passes on. */
async function targetsByName(module: Module, way: Way, asked: Asked): Promise<ImportTarget[]> {
  const { path } = module;
  const targets: ImportTarget[] = [];
  const elsewhere: string[] = [];
  const isGiven = await givenBy(module, asked);
  for (const name of way.names) {
    const below = await submodule(module, name, asked.lookup);
    const macro = below ? undefined : await fileOfMacro(module, name, asked.lookup);
    // Modules are often private when a function has the same name: `io::stdin` means `io/stdin.rs` and its function.
    const isFunction = below && (await asked.lookup.deriveSource(below.path, readLinks))?.functions.has(name);
    if (below) targets.push({ path: below.path, names: isFunction ? [name] : [] });
    else if (macro !== undefined || isGiven(name)) targets.push({ path: macro ?? path, names: [name] });
    else elsewhere.push(name);
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
