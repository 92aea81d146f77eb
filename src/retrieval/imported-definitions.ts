/** Where imported names are defined: through re-exports to the files that hold the definitions (RT-02). */
import type { FileSnapshot } from '../gate.ts';
import { type Definition, type ParsedSource, ParseFailure } from '../parsed-source.ts';
import type { Reason } from '../warnings.ts';
import type { ImportingFile, ImportTarget, Lookup } from './imports/import.ts';
import { importResolverOf, languageOf } from './imports/languages.ts';
import type { SourceText } from './parsed-sources.ts';

/** What is taken of a file: definitions, or all of it when there are none. */
export type TakenFile = { path: string; definitions: readonly Definition[] };
export type LeftOut = { path: string; reason: Reason };
export type Taken = { files: TakenFile[]; leftOut: LeftOut[] };

export type SourceAccess = {
  lookup: Lookup;
  /** A file's content, or why there is none; each file is read once per request. */
  read(path: string): Promise<FileSnapshot | Reason>;
  /** Rejects with a `ParseFailure`. */
  parse(source: SourceText, file: ImportingFile): Promise<ParsedSource>;
};

/** Re-exports of re-exports are followed so far. */
const maxDepth = 6;
const maxSteps = 200;

/** The definitions that a target of an import stands for, in the order of their names; files that cannot be read or parsed are told. */
export async function takeDefinitions(target: ImportTarget, access: SourceAccess): Promise<Taken> {
  const files = new Map<string, Set<Definition>>();
  const leftOut = new Map<string, Reason>();
  const asked = new Set<string>();

  const take = (path: string, definitions: readonly Definition[]): void => {
    const taken = files.get(path) ?? new Set();
    for (const definition of definitions) taken.add(definition);
    files.set(path, taken);
  };
  /** Whether the name was found, here or where it is exported from. */
  const follow = async (path: string, name: string, depth: number): Promise<boolean> => {
    const key = `${path}\n${name}`;
    if (asked.has(key) || asked.size > maxSteps || depth > maxDepth) return false;
    asked.add(key);
    const source = await load(path);
    if (source === undefined) return leftOut.has(path);
    const { parsed, file } = source;
    const exports = parsed.exports ?? [];
    let found = false;
    for (const { local, specifier, line } of exports.filter((exported) => exported.name === name)) {
      if (specifier === undefined) found = takeNamed(path, local, parsed) || found;
      else found = (await followExport(file, { specifier, line }, { local, depth })) !== false || found;
    }
    if (found || takeNamed(path, name, parsed)) return true;
    let mayLieOutside = false;
    for (const { name: exported, specifier, line } of exports) {
      if (exported !== '*' || specifier === undefined || name === 'default') continue;
      const led = await followExport(file, { specifier, line }, { local: name, depth });
      if (led === true) return true;
      mayLieOutside ||= led === 'outside';
    }
    return mayLieOutside;
  };
  /**
   * Where `from` exports something of another module: `local` is its name there, `*` all of it. Of what lies outside the
   * workspace there is nothing to take.
   */
  const followExport = async (
    from: ImportingFile,
    exported: { specifier: string; line: number },
    { local, depth }: { local: string; depth: number },
  ): Promise<boolean | 'outside'> => {
    const resolve = await importResolverOf(from.language);
    const statement = { ...exported, names: [local], form: 're-export' };
    const [resolved] = (await resolve?.([statement], from, access.lookup)) ?? [];
    if (resolved === undefined) return false;
    if ('none' in resolved) return resolved.none === 'outside_workspace' && 'outside';
    let found = false;
    for (const { path } of resolved.targets) {
      const isThere = local !== '*' && (await follow(path, local, depth + 1));
      // What a CommonJS module is as a whole has no name to find it by.
      if (!isThere && (local === '*' || local === 'default')) take(path, []);
      found = isThere || local === '*' || local === 'default' || found;
    }
    return found;
  };
  const takeNamed = (path: string, name: string, { definitions }: ParsedSource): boolean => {
    const named = definitions.filter((each) => each.name === name);
    if (named.length > 0) take(path, named);
    return named.length > 0;
  };
  const load = async (path: string): Promise<{ parsed: ParsedSource; file: ImportingFile } | undefined> => {
    const language = languageOf(path);
    const content = await access.read(path);
    if ('code' in content) {
      leftOut.set(path, content);
      return undefined;
    }
    const { text, sha256 } = content;
    if (language === undefined || text === undefined) return undefined;
    const file = { path, language };
    try {
      return { parsed: await access.parse({ text, sha256 }, file), file };
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      leftOut.set(path, { code: error.code, detail: error.message });
      return undefined;
    }
  };

  let found = 0;
  for (const name of target.names) {
    // `require('./a').b` can be a member of what the module has put in the place of its exports.
    if ((await follow(target.path, name, 0)) || (await follow(target.path, 'default', 0))) found += 1;
  }
  const isWhole = found === 0 || (found < target.names.length && !target.guessed);
  // What was not found by its name, as what is made while the program runs, is somewhere in the file.
  if (isWhole && !leftOut.has(target.path)) files.set(target.path, new Set());
  if (asked.size > maxSteps)
    leftOut.set(target.path, { code: 'limit_reached', detail: `names are followed for ${maxSteps} steps` });
  return {
    files: [...files].map(([path, definitions]) => ({
      path,
      definitions: [...definitions].sort((a, b) => a.startLine - b.startLine || a.endLine - b.endLine),
    })),
    leftOut: [...leftOut].map(([path, reason]) => ({ path, reason })),
  };
}
