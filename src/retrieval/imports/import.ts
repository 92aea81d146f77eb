/**
 * The types for resolving an import to files (RT-02). `parsed-source.ts` has the imports that a parser finds; resolvers
 * apply the rules of a language to them.
 */

import type { Steps } from '../../pace/turns.ts';
import type { ImportStatement, SourceLanguage } from '../../ports/parsed-source.ts';

/**
 * What a resolver may ask about the workspace, with limits of number and time for each request. Paths are absolute and
 * normalised, but may begin with two slashes. Anything outside the mounted directory, or behind a link that is not
 * followed, does not exist here.
 */
export type Lookup = Readonly<{
  mountedDirectory: string;
  /** Whether a limit was reached. Then something that was not found may still exist. */
  isExhausted(): boolean;
  /** Whether a path, perhaps without its extension, is or lies behind a link that was met and not followed. */
  isBehindLink(path: string): boolean;
  /** The kind of entry at a path. */
  kindOf(path: string): Promise<'file' | 'directory' | undefined>;
  /** The sorted names in a directory. Empty if it cannot be listed. */
  namesIn(directory: string): Promise<readonly string[]>;
  /**
   * The result of `make` for the text of a file that says how imports resolve (`tsconfig.json`, `go.mod`, …), even if a
   * policy blocks it. Undefined if it cannot be read. While the file is unchanged, the result of each function `make`
   * is cached, so always pass the same function.
   */
  derive<Value>(path: string, make: (text: string) => Value): Promise<Value | undefined>;
  /**
   * The same for a source file, in steps, because it can be long. A source file is content, although only paths result
   * from it, so a file that a policy blocks is not opened.
   */
  deriveSource<Value>(path: string, make: (text: string) => Steps<Value>): Promise<Value | undefined>;
}>;

/** A file that an import resolves to. */
export type ImportTarget = Readonly<{
  path: string;
  /** The imported names, as they are called in this file. Empty if the whole file is imported. */
  names: readonly string[];
  /** The import statements of the document. */
  statements?: readonly ImportStatement[];
  /**
   * The names are guesses, because the language does not say which name comes from which file. Some names may not be
   * there.
   */
  guessed?: boolean;
  /** If several statements import from the file: the names that are no guesses. */
  certain?: ReadonlySet<string>;
}>;

/**
 * Why an import has no file. `outside_workspace`: part of the language or of a package registry. `not_found`: should be
 * in the workspace, but is not. `unsupported`: cannot be known without running something.
 */
export type NoTarget = 'outside_workspace' | 'not_found' | 'unsupported';

/** What an import resolves to: files of the workspace (several if a language imports packages of files), or why not. */
export type ResolvedImport = Readonly<
  { statement: ImportStatement } & ({ targets: readonly ImportTarget[] } | { none: NoTarget })
>;

/** The importing file. Its path is absolute, and it need not exist. */
export type ImportingFile = Readonly<{ path: string; language: SourceLanguage }>;

/**
 * The rules of a language. Returns one answer for each import, in the order in which their files are taken. Never
 * throws.
 */
export type ImportResolver = (
  imports: readonly ImportStatement[],
  file: ImportingFile,
  lookup: Lookup,
) => Promise<readonly ResolvedImport[]>;
