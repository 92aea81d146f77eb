/**
 * From an import as it is written to the files it means (RT-02). What a parser knows of a text, and so which imports
 * there are, is in `parsed-source.ts`; here is what the rules of a language make of them.
 */

import type { Steps } from '../../pace/turns.ts';
import type { ImportStatement, SourceLanguage } from '../../ports/parsed-source.ts';

/**
 * What a resolver may ask of the workspace, bounded in number and time for each request. Paths are absolute and
 * normalised; what lies outside the mounted directory, or behind a link that is not followed, does not exist here.
 */
export type Lookup = Readonly<{
  mountedDirectory: string;
  /** Whether a bound was reached, so that what was not found may be there. */
  isExhausted(): boolean;
  /** What lies at a path. */
  kindOf(path: string): Promise<'file' | 'directory' | undefined>;
  /** Names in a directory, sorted; empty when it cannot be listed. */
  namesIn(directory: string): Promise<readonly string[]>;
  /**
   * What `make` made of the text of a file that says how imports resolve (`tsconfig.json`, `go.mod`, …), whatever a policy
   * says of it. Undefined when it cannot be read. Made once for as long as the file is unchanged, for each function `make`:
   * the same one must be given each time.
   */
  derive<Value>(path: string, make: (text: string) => Value): Promise<Value | undefined>;
  /**
   * The same of a source file, in steps since it is longer. That is content, though only paths come of it: one that a policy
   * blocks is not opened.
   */
  deriveSource<Value>(path: string, make: (text: string) => Steps<Value>): Promise<Value | undefined>;
}>;

/** A file that an import means. */
export type ImportTarget = Readonly<{
  path: string;
  /** What is imported from this file, by the names it has there; empty when the file as a whole is. */
  names: readonly string[];
  /** How the document imports it. */
  statements?: readonly ImportStatement[];
  /** The names are only those that may be meant, as a language does not write what comes from where: some may be lacking. */
  guessed?: true;
}>;

/**
 * What an import means: files of the workspace (several where a language imports packages of files), or why none.
 * `outside_workspace` is what comes with the language or from a package registry; `not_found` should lie in the
 * workspace and does not; `unsupported` cannot be told without running something.
 */
export type ResolvedImport = Readonly<
  { statement: ImportStatement } & (
    | { targets: readonly ImportTarget[] }
    | { none: 'outside_workspace' | 'not_found' | 'unsupported' }
  )
>;

/** The file that imports: absolute path; it need not exist. */
export type ImportingFile = Readonly<{ path: string; language: SourceLanguage }>;

/** The rules of a language. One answer for each import, in the same order. Never throws. */
export type ImportResolver = (
  imports: readonly ImportStatement[],
  file: ImportingFile,
  lookup: Lookup,
) => Promise<readonly ResolvedImport[]>;
