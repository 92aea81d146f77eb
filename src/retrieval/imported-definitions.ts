/** Finds the definitions of imported names, through re-exports to the files that contain them (RT-02). */

import type { Definition, ExportedName } from '../ports/parsed-source.ts';
import { shortenList } from '../texts/shorten.ts';
import type { Reason } from '../warnings.ts';
import type { ImportTarget } from './imports/import.ts';
import type { Module, Modules } from './modules.ts';
import type { LeftOut } from './source-access.ts';

/** The definitions taken from a file. Empty: the whole file. */
type TakenFile = { path: string; definitions: readonly Definition[] };
type Taken = { files: TakenFile[]; leftOut: LeftOut[] };

const looksEnded = 'What files import could not be looked for to the end.';
const nothing: ReadonlySet<string> = new Set();
/** Max names that a reason lists. */
const listedNames = 20;
/** Max things that one name is made from. */
const maxOrigins = 4;

/**
 * Result for a name: `found`: its definition was taken. `unseen`: it may be where contextd cannot look. `missing`: it
 * does not exist.
 */
type Led = 'found' | 'unseen' | 'missing';

/** What was found so far, and what was left out. */
function createSearch(modules: Modules) {
  return {
    modules,
    files: new Map<string, Set<Definition>>(),
    leftOut: new Map<string, Reason>(),
    limit: undefined as string | undefined,
    /** Whether a limit ended the search for the present name. */
    isLimited: false,
    /** Whether the language says that the present name is in the file, or in what the file exports again. */
    isCertain: true,
    /** What the document uses of the present name, which can be a module. */
    members: nothing,
    /** In that search: for each name, the files in which it was searched. */
    asked: new Map<string, Set<string>>(),
  };
}
type Search = ReturnType<typeof createSearch>;

/**
 * The definitions that the names of an import target mean, in the order of the names. Also reports files that cannot be
 * read or parsed, and names that could not be followed to the end.
 */
export async function takeDefinitions(target: ImportTarget, modules: Modules): Promise<Taken> {
  const search = createSearch(modules);
  const members = membersOf(target);
  const lost: Lost[] = [];
  const isCertain = (name: string) => !target.guessed && (target.certain?.has(name) ?? true);
  const missing: string[] = [];
  for (const name of target.names) {
    search.isCertain = isCertain(name);
    search.members = members.get(name) ?? nothing;
    const led = await followImported(search, target.path, name);
    if (led === 'missing') missing.push(name);
    if (led === 'unseen' && search.isLimited) lost.push({ name, limit: search.limit });
  }
  const isWhole = missing.length === target.names.length || missing.some(isCertain);
  // A name that was not found, for example because it is created at run time, is somewhere in the file. So the whole
  // file is taken.
  if (isWhole && !search.leftOut.has(target.path)) search.files.set(target.path, new Set());
  if (lost.length > 0 && !search.leftOut.has(target.path)) search.leftOut.set(target.path, reasonOf(lost));
  return {
    files: [...search.files].map(([path, definitions]) => ({
      path,
      definitions: [...definitions].sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine),
    })),
    leftOut: [...search.leftOut].map(([path, reason]) => ({ path, reason })),
  };
}

/** A name that could not be followed to the end. */
type Lost = { name: string; limit: string | undefined };

function reasonOf(lost: readonly Lost[]): Reason {
  const details = [...Map.groupBy(lost, ({ limit }) => limit)].map(([limit, each]) => {
    const names = each.map(({ name }) => name);
    return `${limit} Not found by then: ${shortenList(names, listedNames)}`;
  });
  return { code: 'limit_reached', detail: details.join('. ') };
}

/** `b` in `require('./a').b` can also be a member of the value that replaces the exports of the module. */
async function followImported(search: Search, path: string, name: string): Promise<Led> {
  search.isLimited = false;
  search.asked = new Map();
  const led = await follow(search, path, name);
  if (led !== 'missing') return led;
  search.members = new Set([name]);
  return follow(search, path, 'default');
}

/** What the document uses of each name of the target. Statements can share a list. */
function membersOf({ names, statements = [] }: ImportTarget): Map<string, ReadonlySet<string>> {
  const wanted = new Set(names);
  const lists = new Map<string, Set<readonly string[]>>();
  for (const { members = [] } of statements)
    for (const [name, used] of members) if (wanted.has(name)) lists.set(name, (lists.get(name) ?? new Set()).add(used));
  return new Map([...lists].map(([name, all]) => [name, new Set([...all].flat())]));
}

function take(search: Search, path: string, definitions: readonly Definition[]): void {
  const taken = search.files.get(path) ?? new Set();
  for (const definition of definitions) taken.add(definition);
  search.files.set(path, taken);
}

function takeNamed(search: Search, { file, definitions }: Module, name: string): Led {
  const named = definitions.get(name) ?? [];
  if (named.length === 0) return 'missing';
  const dot = name.lastIndexOf('.');
  take(search, file.path, [...(dot > 0 ? firstLineOf(definitions.get(name.slice(0, dot))) : []), ...named]);
  return 'found';
}

/** The line of a class that says its name, so that a member of it is not alone. */
function firstLineOf([owner]: readonly Definition[] = []): Definition[] {
  const text = owner?.text.split('\n').find((line) => /^[ \t]{0,200}class /u.test(line));
  // Cut comments before it have lost their lines.
  return owner === undefined || text === undefined ? [] : [{ ...owner, endLine: owner.startLine, text }];
}

/** A definition of the module, and what it is made from. */
async function takeValue(search: Search, module: Module, name: string): Promise<Led> {
  const led = takeNamed(search, module, name);
  if (led !== 'found') return led;
  const { members } = search;
  // What a definition is made from has members of its own.
  search.members = nothing;
  const wasLimited = search.isLimited;
  search.isLimited = false;
  const origins = (module.exports.get(name) ?? []).filter(({ madeFrom }) => madeFrom !== undefined);
  for (const made of origins.slice(0, maxOrigins)) {
    let origin: Led = 'missing';
    const used = made.madeFrom === 'class' ? members : nothing;
    for (const member of used)
      origin = better(origin, await takeOrigin(search, module, { ...made, local: `${made.local}.${member}` }));
    // The class as a whole, if it has none of the members itself.
    if (origin !== 'found' && (made.madeFrom === 'value' || members.size > 0)) await takeOrigin(search, module, made);
  }
  search.members = members;
  if (search.isLimited) return 'unseen';
  search.isLimited = wasLimited;
  return led;
}

/** What a definition is made from. If that is `Cart.add`, the module can import `Cart`. */
async function takeOrigin(search: Search, module: Module, made: ExportedName): Promise<Led> {
  const reached = await search.modules.limit();
  if (reached !== undefined) return endedBy(search, reached);
  const { local, specifier } = made;
  if (specifier !== undefined) return followExport(search, module, made);
  let led = takeNamed(search, module, local);
  const owner = local.split('.', 1)[0] ?? local;
  const imports = (module.exports.get(owner) ?? []).filter(({ specifier, madeFrom }) => specifier && !madeFrom);
  for (const imported of imports.slice(0, maxOrigins)) {
    if (led === 'found') break;
    const there = `${imported.local}${local.slice(owner.length)}`;
    led = better(led, await followExport(search, module, { ...made, ...imported, local: there }));
  }
  return led;
}

function endedBy(search: Search, reason: string): Led {
  search.limit = reason;
  search.isLimited = true;
  return 'unseen';
}

async function follow(search: Search, path: string, name: string): Promise<Led> {
  const places = search.asked.get(name) ?? new Set();
  search.asked.set(name, places);
  if (places.has(path)) return 'missing';
  places.add(path);
  const reached = await search.modules.limit();
  if (reached !== undefined) return endedBy(search, reached);
  const module = await search.modules.load(path);
  if (module === undefined) return 'missing';
  if ('code' in module) {
    search.leftOut.set(path, module);
    return module.code === 'parse_timeout' ? endedBy(search, module.detail ?? module.code) : 'unseen';
  }
  let led: Led = 'missing';
  for (const exported of module.exports.get(name) ?? []) {
    if (exported.madeFrom) continue;
    led = better(
      led,
      exported.specifier === undefined
        ? await takeValue(search, module, exported.local)
        : await followExport(search, module, exported),
    );
  }
  // A name can be imported and defined in the same file, as a macro and a type.
  if (led !== 'found') led = better(await takeValue(search, module, name), led);
  if (led !== 'missing' || name === 'default') return led;
  const { paths, isOutside, isLimited } = await search.modules.behind(module, name);
  if (isLimited && module.exports.has('*')) return endedBy(search, looksEnded);
  for (const each of paths) {
    if (led === 'found') break;
    if (!places.has(each)) led = better(led, await follow(search, each, name));
  }
  if (led === 'missing' && search.isCertain && module.endsEarly !== undefined) return endedBy(search, module.endsEarly);
  return isOutside ? better(led, 'unseen') : led;
}

/** Follows a name, or the whole content of another module, that a module exports. */
async function followExport(search: Search, from: Module, exported: ExportedName): Promise<Led> {
  const { local } = exported;
  const { paths, modules, isOutside, isLimited } = await search.modules.targets(from, exported, local);
  let led: Led = isLimited ? endedBy(search, looksEnded) : isOutside ? 'unseen' : 'missing';
  for (const path of paths) {
    let there = local === '*' ? await followMembers(search, path) : await follow(search, path, local);
    // `from . import _a as a`
    if (there === 'missing' && modules.has(path)) there = await followMembers(search, path);
    // A CommonJS module as a whole has no name, so its whole file is taken, unless it only made something.
    const isWhole = there === 'missing' && !exported.madeFrom && (local === '*' || local === 'default');
    if (isWhole) take(search, path, []);
    led = better(led, isWhole ? 'found' : there);
  }
  return led;
}

/** `export * as a from './a'`: what the document uses of `a`. */
async function followMembers(search: Search, path: string): Promise<Led> {
  const { members } = search;
  let led: Led = 'missing';
  // What a member leads to has members of its own.
  search.members = nothing;
  for (const member of members) led = better(led, await follow(search, path, member));
  search.members = members;
  return led;
}

function better(a: Led, b: Led): Led {
  return a === 'found' || b === 'missing' ? a : b;
}
