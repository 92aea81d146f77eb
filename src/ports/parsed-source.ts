/** What parsing a source file tells about its imports and definitions, whatever the language (RT-02). */
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
  /** What names the module: `./a`, `pkg/sub`, `os.path`, `crate::a::b`, `"stdio.h"` without its quotes. */
  specifier: string;
  /** What is imported from it, by the names it has there; empty when the module as a whole is. */
  names: readonly string[];
  /** Of names that can be modules themselves, what is used of them. */
  members?: readonly (readonly [name: string, members: readonly string[]])[];
  line: number;
  /** What a language needs to know besides, such as the number of leading dots or the kind of brackets. */
  form?: string;
}>;

/** One definition at the top of a file, or of a type in it. */
export type Definition = Readonly<{
  name: string;
  startLine: number;
  endLine: number;
  /** What a caller needs to know: documentation comment and signature, or all of it when it is small. */
  text: string;
}>;

/**
 * A name that other files know a definition by, where it is not the definition's own: `export { a as b }`,
 * `export default a`, `export { a } from './a'`, `export * from './a'`.
 */
export type ExportedName = Readonly<{
  /** By which other files import it; `*` for everything that `specifier` exports. */
  name: string;
  /** Its name here, or in the module of `specifier`; `*` for that module as a whole. */
  local: string;
  /** The module it comes from, as in an import. */
  specifier?: string;
  /** The name is defined here, from `local`: a value by a class that makes it, or a type as that of a value. */
  madeFrom?: 'class' | 'value';
  line: number;
}>;

/** Syntax errors make a result partial, never absent. */
export type ParsedSource = Readonly<{
  imports: readonly ImportStatement[];
  definitions: readonly Definition[];
  /** Absent where a language has nothing of the kind. */
  exports?: readonly ExportedName[];
  /** Lines that were read, where the rest would have taken too long. */
  readLines?: number;
}>;

/** Makes what a parser knows of one text. Synchronous, never throws on content. */
export type SourceExtractor = (text: string) => ParsedSource;

/** What of a parsed text is used, so that what is made of it takes little time. */
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

/** Why a text could not be parsed: the parser broke off or broke down, or took longer than it may. */
export class ParseFailure extends Error {
  readonly code: 'parse_failed' | 'parse_timeout';
  /** Whether it was the text at which the parser failed; otherwise another time may do better. */
  readonly isOfText: boolean;

  constructor(code: ParseFailure['code'], message: string, isOfText = true) {
    super(message);
    this.name = 'ParseFailure';
    this.code = code;
    this.isOfText = isOfText;
  }
}
