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

/**
 * The definitions that a target of an import stands for, in the order of their names. Files that cannot be read or parsed
 * are told, and so are the names that could not be followed to their end.
 */
export async function takeDefinitions(target: ImportTarget, modules: Modules): Promise<Taken> {
  const files = new Map<string, Set<Definition>>();
  const leftOut = new Map<string, Reason>();
  const lost: string[] = [];
  let limit: string | undefined;
  /** Whether the limit ended the way of the present name. */
  let isLimited = false;

  const take = (path: string, definitions: readonly Definition[]): void => {
    const taken = files.get(path) ?? new Set();
    for (const definition of definitions) taken.add(definition);
    files.set(path, taken);
  };
  const takeNamed = ({ file, definitions }: Module, name: string): Led => {
    const named = definitions.get(name) ?? [];
    if (named.length > 0) take(file.path, named);
    return named.length > 0 ? 'found' : 'missing';
  };
  const endedBy = (reason: string): Led => {
    limit = reason;
    isLimited = true;
    return 'unseen';
  };
  /** `asked`: by name, the files in which it was looked for. */
  const follow = async (path: string, name: string, asked: Asked): Promise<Led> => {
    const places = asked.get(name) ?? new Set();
    asked.set(name, places);
    if (places.has(path)) return 'missing';
    places.add(path);
    const reached = await modules.limit();
    if (reached !== undefined) return endedBy(reached);
    const module = await modules.load(path);
    if (module === undefined) return 'missing';
    if ('code' in module) {
      leftOut.set(path, module);
      return module.code === 'parse_timeout' ? endedBy(module.detail ?? module.code) : 'unseen';
    }
    let led: Led = 'missing';
    for (const exported of module.exports.get(name) ?? [])
      led = better(
        led,
        exported.specifier === undefined
          ? takeNamed(module, exported.local)
          : await followExport(module, exported, asked),
      );
    if (led === 'missing') led = takeNamed(module, name);
    if (led !== 'missing' || name === 'default') return led;
    const { paths, isOutside } = await modules.behind(module, name);
    for (const each of paths) {
      if (led === 'found') break;
      if (!places.has(each)) led = better(led, await follow(each, name, asked));
    }
    if (led === 'missing' && module.readLines !== undefined)
      return endedBy(`Only the first ${module.readLines} lines of ${path} could be parsed in time.`);
    return isOutside ? better(led, 'unseen') : led;
  };
  /** Where a module exports a name of another one, or all of it. */
  const followExport = async (from: Module, exported: ExportedName, asked: Asked): Promise<Led> => {
    const { local } = exported;
    const { paths, isOutside } = await modules.targets(from, exported, local);
    let led: Led = isOutside ? 'unseen' : 'missing';
    for (const path of paths) {
      const there = local === '*' ? 'missing' : await follow(path, local, asked);
      // What a CommonJS module is as a whole has no name to find it by.
      const isWhole = there === 'missing' && (local === '*' || local === 'default');
      if (isWhole) take(path, []);
      led = better(led, isWhole ? 'found' : there);
    }
    return led;
  };

  let missing = 0;
  for (const name of target.names) {
    const asked: Asked = new Map();
    isLimited = false;
    let led = await follow(target.path, name, asked);
    // `require('./a').b` can be a member of what the module has put in the place of its exports.
    if (led === 'missing') led = await follow(target.path, 'default', asked);
    if (led === 'missing') missing += 1;
    if (led === 'unseen' && isLimited) lost.push(name);
  }
  const isWhole = missing === target.names.length || (missing > 0 && !target.guessed);
  // What was not found by its name, as what is made while the program runs, is somewhere in the file.
  if (isWhole && !leftOut.has(target.path)) files.set(target.path, new Set());
  if (lost.length > 0 && !leftOut.has(target.path)) {
    const more = lost.length > listedNames ? ` and ${lost.length - listedNames} more` : '';
    const detail = `${limit} Not found by then: ${lost.slice(0, listedNames).join(', ')}${more}`;
    leftOut.set(target.path, { code: 'limit_reached', detail });
  }
  return {
    files: [...files].map(([path, definitions]) => ({
      path,
      definitions: [...definitions].sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine),
    })),
    leftOut: [...leftOut].map(([path, reason]) => ({ path, reason })),
  };
}

function better(a: Led, b: Led): Led {
  return a === 'found' || b === 'missing' ? a : b;
}
