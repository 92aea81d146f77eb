/** The files that names are followed through, each read and parsed once per request, as far as that may cost (RT-02). */

import { onceForEach } from '../pace/once-for-each.ts';
import { createPause } from '../pace/turns.ts';
import { type Definition, type ExportedName, type ParsedSource, ParseFailure } from '../ports/parsed-source.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import type { SourceAccess } from './imported-definitions.ts';
import type { ImportingFile } from './imports/import.ts';
import { importResolverOf, isResolvedByName, languageOf } from './imports/languages.ts';
import { weightOf } from './parsed-sources.ts';

/** What a file defines, and what it exports by other names; `*` for all of other modules. */
export type Module = Readonly<{
  file: ImportingFile;
  definitions: ReadonlyMap<string, readonly Definition[]>;
  exports: ReadonlyMap<string, readonly ExportedName[]>;
  /** Lines that were read, where the rest would have taken too long. */
  readLines: number | undefined;
}>;

/** Bounded for the request as a whole, by time and by the memory that files take. */
export type Modules = Readonly<{
  /** A reason where the file cannot be read or parsed; undefined where it is no source. */
  load(path: string): Promise<Module | Reason | undefined>;
  /** The files that an export leads to; `local` is the name there, `*` all of it. */
  targets(from: Module, exported: ExportedName, local: string): Promise<Targets>;
  /** Those of which a module exports everything, where a name is looked for. */
  behind(from: Module, name: string): Promise<Targets>;
  /** Why nothing is followed any further, as a sentence. Asked before each step, so that others get the event loop in between. */
  limit(): Promise<string | undefined>;
}>;

/** Each path once. `isOutside`: some of it lies outside the workspace, where nothing can be taken from. */
export type Targets = Readonly<{ paths: readonly string[]; isOutside: boolean }>;

/** `bytes`: about what the texts of the files take, and what was found in them. */
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
    const language = languageOf(path);
    const content = await access.read(path);
    if ('code' in content) return content;
    const { text, sha256 } = content;
    if (language === undefined || text === undefined) return undefined;
    const file = { path, language };
    try {
      const parsed = await access.parse({ text, sha256 }, file);
      bytesLeft -= weightOf(parsed, text);
      return moduleOf(file, parsed);
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

function moduleOf(file: ImportingFile, { definitions, exports = [], readLines }: ParsedSource): Module {
  const byName = <Each extends { name: string }>(all: readonly Each[]): ReadonlyMap<string, readonly Each[]> =>
    Map.groupBy(all, ({ name }) => name);
  return { file, definitions: byName(definitions), exports: byName(exports), readLines };
}
