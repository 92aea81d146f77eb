/** How the imports of a document reach the files of the workspace. */
import type { FileSnapshot } from '../access/gate.ts';
import type { ParsedSource } from '../ports/parsed-source.ts';
import type { Reason } from '../warnings.ts';
import type { ImportingFile, Lookup } from './imports/import.ts';
import type { SourceText } from './parsed-sources.ts';

export type SourceAccess = {
  lookup: Lookup;
  /** The content of a file, or why there is none. Each file is read once per request. */
  read(path: string): Promise<FileSnapshot | Reason>;
  /** Rejects with a `ParseFailure`. */
  parse(source: SourceText, file: ImportingFile): Promise<ParsedSource>;
};

export type LeftOut = { path: string; reason: Reason };
