/** Imports and definitions of a source file, for all languages (RT-02). */
import { fixedLimits } from '../settings.ts';

const limits = fixedLimits.sources;

export type SourceLanguage =
  | 'typescript'
  | 'tsx'
  | 'javascript'
  | 'vue'
  | 'svelte'
  | 'astro'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'c'
  | 'cpp'
  | 'csharp'
  | 'ruby'
  | 'php'
  | 'kotlin'
  | 'dart'
  | 'swift'
  | 'shell'
  | 'scala'
  | 'elixir'
  | 'lua';

/** One import as it is written. Lines count from 1. */
export type ImportStatement = Readonly<{
  /** The module: `./a`, `pkg/sub`, `os.path`, `crate::a::b`, or `stdio.h` for `"stdio.h"`. */
  specifier: string;
  /** The imported names, as the module exports them. Empty if the whole module is imported. */
  names: readonly string[];
  /** For names that may be modules: which of their names are used. */
  members?: readonly (readonly [name: string, members: readonly string[]])[];
  line: number;
  /** Details of the language, such as the number of leading dots or the kind of brackets. */
  form?: string;
}>;

/** One definition at the top of a file, or of a type in it. */
export type Definition = Readonly<{
  name: string;
  startLine: number;
  endLine: number;
  /** Documentation comment and signature, or the whole definition if it is small. */
  text: string;
}>;

/**
 * An exported name that differs from the name of the definition: `export { a as b }`,
 * `export default a`, `export { a } from './a'`, `export * from './a'`.
 */
export type ExportedName = Readonly<{
  /** The name for other files, or `*` for everything that `specifier` exports. */
  name: string;
  /** The name in this file, or in the module of `specifier`; `*` for that whole module. */
  local: string;
  /** The module that it is from, as in an import. */
  specifier?: string;
  /** The name is defined here, from `local`: a value by a class that makes it, or a type as that of a value. */
  madeFrom?: 'class' | 'value';
  line: number;
}>;

/** Syntax errors make a result incomplete, but there always is one. */
export type ParsedSource = Readonly<{
  imports: readonly ImportStatement[];
  definitions: readonly Definition[];
  /** Absent if the language has no such names. */
  exports?: readonly ExportedName[];
  /** Number of lines that were read, if the rest would have taken too long. */
  readLines?: number;
}>;

/** Parses one text. Synchronous; never throws because of the text. */
export type SourceExtractor = (text: string) => ParsedSource;

/** Limits per text, so that using the result takes little time. */
export function boundedSource({ imports, definitions, exports }: ParsedSource): ParsedSource {
  const isName = (name: string): boolean => name.length <= limits.nameCharacters;
  const isSpecifier = (specifier = ''): boolean => specifier.length <= limits.specifierCharacters;
  const few = (names: readonly string[]): readonly string[] =>
    names.every(isName) && names.length <= limits.entries ? names : names.filter(isName).slice(0, limits.entries);
  return {
    imports: imports
      .slice(0, limits.entries)
      .filter(({ specifier }) => isSpecifier(specifier))
      .map(({ members, ...statement }) => ({
        ...statement,
        names: few(statement.names),
        ...(members && {
          members: members.slice(0, limits.entries).map(([name, used]) => [name, few(used)] as const),
        }),
      })),
    definitions: definitions.slice(0, limits.entries).filter(({ name }) => isName(name)),
    ...(exports && {
      exports: exports
        .slice(0, limits.entries)
        .filter(({ name, local, specifier }) => isName(name) && isName(local) && isSpecifier(specifier)),
    }),
  };
}

/** Why a text could not be parsed: the parser stopped, crashed, or took too long. */
export class ParseFailure extends Error {
  readonly code: 'parse_failed' | 'parse_timeout';
  /** Whether the text caused it. Otherwise another attempt may succeed. */
  readonly isOfText: boolean;

  constructor(code: ParseFailure['code'], message: string, isOfText = true) {
    super(message);
    this.name = 'ParseFailure';
    this.code = code;
    this.isOfText = isOfText;
  }
}
