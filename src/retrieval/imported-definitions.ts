/** Where imported names are defined: through re-exports to the files that hold the definitions (RT-02). */
import type { FileSnapshot } from '../access/gate.ts';
import type { Definition, ExportedName, ParsedSource } from '../ports/parsed-source.ts';
import type { Reason } from '../warnings.ts';
import type { ImportingFile, ImportTarget, Lookup } from './imports/import.ts';
import type { Module, Modules } from './modules.ts';
import type { SourceText } from './parsed-sources.ts';

/** What is taken of a file: definitions, or all of it when there are none. */
type TakenFile = { path: string; definitions: readonly Definition[] };
export type LeftOut = { path: string; reason: Reason };
export type Taken = { files: TakenFile[]; leftOut: LeftOut[] };

export type SourceAccess = {
  lookup: Lookup;
  /** A file's content, or why there is none; each file is read once per request. */
  read(path: string): Promise<FileSnapshot | Reason>;
  /** Rejects with a `ParseFailure`. */
  parse(source: SourceText, file: ImportingFile): Promise<ParsedSource>;
};

/** Names that a reason lists. */
const listedNames = 20;

/** Of a name: its definition was taken, it may be where nothing can be taken from, or it is not there. */
type Led = 'found' | 'unseen' | 'missing';
type Asked = Map<string, Set<string>>;

/** What was found so far, and what could not be. */
function createSearch(modules: Modules) {
  return {
    modules,
    files: new Map<string, Set<Definition>>(),
    leftOut: new Map<string, Reason>(),
    limit: undefined as string | undefined,
    /** Whether the limit ended the way of the present name. */
    isLimited: false,
  };
}
type Search = ReturnType<typeof createSearch>;

/**
 * The definitions that a target of an import stands for, in the order of their names. Files that cannot be read or parsed
 * are told, and so are the names that could not be followed to their end.
 */
export async function takeDefinitions(target: ImportTarget, modules: Modules): Promise<Taken> {
  const search = createSearch(modules);

  const lost: string[] = [];

  let missing = 0;
  for (const name of target.names) {
    const asked: Asked = new Map();
    search.isLimited = false;
    let led = await follow(search, target.path, name, asked);
    // `require('./a').b` can be a member of what the module has put in the place of its exports.
    if (led === 'missing') led = await follow(search, target.path, 'default', asked);
    if (led === 'missing') missing += 1;
    if (led === 'unseen' && search.isLimited) lost.push(name);
  }
  const isWhole = missing === target.names.length || (missing > 0 && !target.guessed);
  // What was not found by its name, as what is made while the program runs, is somewhere in the file.
  if (isWhole && !search.leftOut.has(target.path)) search.files.set(target.path, new Set());
  if (lost.length > 0 && !search.leftOut.has(target.path)) {
    const more = lost.length > listedNames ? ` and ${lost.length - listedNames} more` : '';
    const detail = `${search.limit} Not found by then: ${lost.slice(0, listedNames).join(', ')}${more}`;
    search.leftOut.set(target.path, { code: 'limit_reached', detail });
  }
  return {
    files: [...search.files].map(([path, definitions]) => ({
      path,
      definitions: [...definitions].sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine),
    })),
    leftOut: [...search.leftOut].map(([path, reason]) => ({ path, reason })),
  };
}

function take(search: Search, path: string, definitions: readonly Definition[]): void {
  const taken = search.files.get(path) ?? new Set();
  for (const definition of definitions) taken.add(definition);
  search.files.set(path, taken);
}

function takeNamed(search: Search, { file, definitions }: Module, name: string): Led {
  const named = definitions.get(name) ?? [];
  if (named.length > 0) take(search, file.path, named);
  return named.length > 0 ? 'found' : 'missing';
}

function endedBy(search: Search, reason: string): Led {
  search.limit = reason;
  search.isLimited = true;
  return 'unseen';
}

/** `asked`: by name, the files in which it was looked for. */
async function follow(search: Search, path: string, name: string, asked: Asked): Promise<Led> {
  const places = asked.get(name) ?? new Set();
  asked.set(name, places);
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
  for (const exported of module.exports.get(name) ?? [])
    led = better(
      led,
      exported.specifier === undefined
        ? takeNamed(search, module, exported.local)
        : await followExport(search, module, exported, asked),
    );
  if (led === 'missing') led = takeNamed(search, module, name);
  if (led !== 'missing' || name === 'default') return led;
  const { paths, isOutside } = await search.modules.behind(module, name);
  for (const each of paths) {
    if (led === 'found') break;
    if (!places.has(each)) led = better(led, await follow(search, each, name, asked));
  }
  if (led === 'missing' && module.readLines !== undefined)
    return endedBy(search, `Only the first ${module.readLines} lines of ${path} could be parsed in time.`);
  return isOutside ? better(led, 'unseen') : led;
}

/** Where a module exports a name of another one, or all of it. */
async function followExport(search: Search, from: Module, exported: ExportedName, asked: Asked): Promise<Led> {
  const { local } = exported;
  const { paths, isOutside } = await search.modules.targets(from, exported, local);
  let led: Led = isOutside ? 'unseen' : 'missing';
  for (const path of paths) {
    const there = local === '*' ? 'missing' : await follow(search, path, local, asked);
    // What a CommonJS module is as a whole has no name to find it by.
    const isWhole = there === 'missing' && (local === '*' || local === 'default');
    if (isWhole) take(search, path, []);
    led = better(led, isWhole ? 'found' : there);
  }
  return led;
}

function better(a: Led, b: Led): Led {
  return a === 'found' || b === 'missing' ? a : b;
}
