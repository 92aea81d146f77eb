/** What parsing a source file tells about its imports and definitions, whatever the language (RT-02). */

export const sourceLanguages = [
  'typescript',
  'tsx',
  'javascript',
  'python',
  'go',
  'rust',
  'java',
  'c',
  'cpp',
  'ruby',
] as const;
export type SourceLanguage = (typeof sourceLanguages)[number];

/** One import as it is written. Lines count from 1. */
export type ImportStatement = Readonly<{
  /** What names the module: `./a`, `pkg/sub`, `os.path`, `crate::a::b`, `"stdio.h"` without its quotes. */
  specifier: string;
  /** What is imported from it, by the names it has there; empty when the module as a whole is. */
  names: readonly string[];
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

/** Syntax errors make a result partial, never absent. */
export type ParsedSource = Readonly<{ imports: readonly ImportStatement[]; definitions: readonly Definition[] }>;
