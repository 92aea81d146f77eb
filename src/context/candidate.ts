/** A file that could be context, before anything was decided about its content. */

import { baseName } from '../access/paths.ts';
import type { FoundEntry } from '../access/walk.ts';
import { compileGlob, type Glob, type GlobProblem } from '../globs/globs.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { IncludeEntry } from './config.ts';
import type { Importer } from './context-file.ts';
import type { ContextDirectory } from './directories.ts';
import type { ImportSyntax } from './formats/imports.ts';
import type { ReadFile } from './front-matter.ts';

/**
 * `directory` is the context directory it belongs to, or, for an included file, stands for the place whose configuration
 * asked for it. `read` tells what it says. `includedBy` is the pattern that found an included file and where it is written; `isForeign` when
 * neither a configuration that asked for it nor a link may make it active. `format` is the name of the format of a file of another tool;
 * `isBelow` when it lies below the working directory, on the way to a file in play; `linksTo` is the file that a link
 * leads to, which is followed inside its granted root. `imports` tells how the file imports others; `importedBy` is the line
 * that found a file which is there only because another one imports it. `supportingFiles` are other files of its folder, relative to that,
 * which belong to it; one of them that somebody asks for is a candidate itself, `partOf` the other, by its path.
 */
export type Candidate = Readonly<{
  path: string;
  source: 'context-directory' | 'format' | 'include' | 'import';
  directory: ContextDirectory;
  read: ReadFile;
  name: string;
  refusal?: FoundEntry['refusal'];
  isDirectory?: true;
  includedBy?: { pattern: string; place: string; given?: IncludeEntry };
  isForeign?: boolean;
  format?: string;
  isBelow?: boolean;
  linksTo?: string;
  imports?: ImportSyntax;
  importedBy?: Importer;
  supportingFiles?: readonly string[];
  partOf?: string;
}>;

export const contextFileExtensions = ['.md', '.mdc', '.txt'] as const;

/** CC-24: the extension decides, in any case. */
export function isSupportedType(path: string): boolean {
  const lower = path.toLowerCase();
  return contextFileExtensions.some((extension) => lower.endsWith(extension));
}

/** A pattern without wildcards, which names one file. */
export function namesOneFile(pattern: string): boolean {
  return !/[*?[{]/u.test(pattern);
}

/** A name without an extension, such as `.myairules`, is that of Markdown where a pattern names the file itself. */
export function isIncludable(path: string, pattern: string): boolean {
  return isSupportedType(path) || (namesOneFile(pattern) && baseName(path).lastIndexOf('.') <= 0);
}

/** In bytes, about. */
const compiled = createBoundedCache<{ glob: Glob } | { problem: GlobProblem }>({
  maxWeight: 24 * 1024 * 1024,
  maxEntries: 10_000,
  // Each is compiled again in microseconds.
  maxUnusedMs: 5 * 60_000,
});

/** `compileGlob`, each pattern once. */
export function globOf(pattern: string): { glob: Glob } | { problem: GlobProblem } {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const result = compileGlob(pattern);
  compiled.set(pattern, result, 500 + 2 * pattern.length + ('glob' in result ? result.glob.weight : 0));
  return result;
}
