/** The files through which names are followed. Each is read and parsed once per request, within limits (RT-02). */

import { onceForEach } from '../pace/once-for-each.ts';
import { createPause } from '../pace/turns.ts';
import { type Definition, type ExportedName, type ParsedSource, ParseFailure } from '../ports/parsed-source.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import type { ImportingFile } from './imports/import.ts';
import { importResolverOf, isResolvedByName, languageOf } from './imports/languages.ts';
import { weightOf } from './parsed-sources.ts';
import type { SourceAccess } from './source-access.ts';

/** The definitions of a file, and what it exports from other places; `*` means everything of another module. */
export type Module = Readonly<{
  file: ImportingFile;
  definitions: ReadonlyMap<string, readonly Definition[]>;
  exports: ReadonlyMap<string, readonly ExportedName[]>;
  /** A sentence that says which part of the file was read, if definitions after it are not known. */
  endsEarly: string | undefined;
}>;

/** Limited for the whole request, in time and in the memory of the files. */
export type Modules = Readonly<{
  /** A reason if the file cannot be read or parsed. Undefined if it is not source code. */
  load(path: string): Promise<Module | Reason | undefined>;
  /** The files that an export leads to. `local`: the name in these files; `*` means everything. */
  targets(from: Module, exported: ExportedName, local: string): Promise<Targets>;
  /** The files of which a module exports everything, to search a name in them. */
  behind(from: Module, name: string): Promise<Targets>;
  /**
   * Why nothing more is followed, as a sentence. Asked before each step; it also pauses, so that other work gets the
   * event loop.
   */
  limit(): Promise<string | undefined>;
}>;

/**
 * Each path once. `modules`: paths that the name itself means. `isOutside`: something leads out of the workspace, where
 * contextd cannot look.
 */
type Targets = Readonly<{
  paths: readonly string[];
  modules: ReadonlySet<string>;
  isOutside: boolean;
  isLimited: boolean;
}>;

/** `bytes`: approximate memory of the texts of the files and what was found in them. */
type FollowLimits = { ms: number; bytes: number };

export function createModules(
  access: SourceAccess,
  run: { elapsed(): number; isOver(): boolean; limits?: Partial<FollowLimits> | undefined },
): Modules {
  const { followMs, followBytes } = fixedLimits.retrieval;
  const { ms = followMs, bytes = followBytes } = run.limits ?? {};
  const behind = new Map<string, Promise<Targets>>();
  const deadline = run.elapsed() + ms;
  const pause = createPause(run.elapsed);
  let bytesLeft = bytes;

  const load = onceForEach(async (path: string): Promise<Module | Reason | undefined> => {
    const content = await access.read(path);
    if ('code' in content) return content;
    const { text, sha256, truncated } = content;
    const language = languageOf(path, undefined, text);
    if (language === undefined || text === undefined) return undefined;
    const file = { path, language };
    try {
      const parsed = await access.parse({ text, sha256 }, file);
      bytesLeft -= weightOf(parsed, text);
      return moduleOf(file, parsed, truncated);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      return { code: error.code, detail: error.message };
    }
  });
  const resolve = async (from: Module, exports: readonly ExportedName[], local: string): Promise<Targets> => {
    const rules = await importResolverOf(from.file.language);
    const statements = exports.flatMap(({ specifier, line }) =>
      specifier === undefined ? [] : [{ specifier, line, names: [local], form: 're-export' }],
    );
    const resolved = (await rules?.(statements, from.file, access.lookup)) ?? [];
    const targets = resolved.flatMap((each) => ('targets' in each ? each.targets : []));
    return {
      paths: [...new Set(targets.map(({ path }) => path))],
      modules: new Set(targets.flatMap(({ path, names }) => (names.length === 0 ? [path] : []))),
      isLimited: targets.length === 0 && access.lookup.isExhausted(),
      isOutside: resolved.some((each) => 'none' in each && each.none === 'outside_workspace'),
    };
  };
  return Object.freeze({
    load,
    targets: (from: Module, exported: ExportedName, local: string) => resolve(from, [exported], local),
    behind(from: Module, name: string) {
      const { file, exports } = from;
      const everything = exports.get('*') ?? [];
      if (isResolvedByName(file.language)) return resolve(from, everything, name);
      const found = behind.get(file.path) ?? resolve(from, everything, name);
      behind.set(file.path, found);
      return found;
    },
    async limit() {
      await pause();
      if (run.isOver()) return 'The caller no longer waits for the answer.';
      if (bytesLeft < 0) return `The search for definitions stops after ${bytes} bytes of source.`;
      return run.elapsed() > deadline ? `The search for definitions stops after ${ms} ms.` : undefined;
    },
  });
}

function moduleOf(file: ImportingFile, parsed: ParsedSource, isCut: boolean): Module {
  const { definitions, exports = [], readLines } = parsed;
  const byName = <Each extends { name: string }>(all: readonly Each[]): ReadonlyMap<string, readonly Each[]> =>
    Map.groupBy(all, ({ name }) => name);
  // A file of which nothing is known says nothing about its end.
  const cut =
    isCut && definitions.length + exports.length > 0 ? `Only the beginning of ${file.path} is read.` : undefined;
  const endsEarly =
    readLines === undefined ? cut : `Only the first ${readLines} lines of ${file.path} could be parsed in time.`;
  return { file, definitions: byName(definitions), exports: byName(exports), endsEarly };
}
