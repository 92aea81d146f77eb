/** A file that can be context, before its content is known. */

import { baseName } from '../access/paths.ts';
import type { linkWords } from '../access/refusal-words.ts';
import type { FoundEntry } from '../access/walk.ts';
import { compileGlob, type Glob, type GlobProblem } from '../globs/globs.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { IncludeEntry } from './config.ts';
import type { Importer } from './context-file.ts';
import type { ContextDirectory } from './directories.ts';
import type { ImportSyntax } from './formats/imports.ts';
import type { ReadFile } from './front-matter.ts';

/**
 * `directory`: the context directory of the file, or, for an included file, the place of the configuration that
 * includes it. `read` reads what the file says. `includedBy`: the pattern that found an included file, and where it is
 * written. `isForeign`: neither a configuration nor a link may make the file active. `format`: the format of a file of
 * another tool. `linkIs`: a link to no file. `isBelow`: the file is below the working directory, on the way to a file
 * in play. `linksTo`: the target of a link that is followed inside its granted root. `imports`: how the file imports
 * others. `importedBy`: the line that found a file that is here only because another file imports it.
 * `supportingFiles`: other files of its folder that belong to it, relative to the folder. If a request asks for one of
 * them, it is a candidate itself, and `partOf` is the path of the main file.
 */
export type Candidate = Readonly<{
  path: string;
  source: 'context-directory' | 'format' | 'include' | 'import';
  directory: ContextDirectory;
  read: ReadFile;
  name: string;
  refusal?: FoundEntry['refusal'];
  linkIs?: keyof typeof linkWords;
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

/** A file without an extension, such as `.myairules`, is Markdown if a pattern names the file itself. */
export function isIncludable(path: string, pattern: string): boolean {
  return isSupportedType(path) || (namesOneFile(pattern) && baseName(path).lastIndexOf('.') <= 0);
}

/** The glob of a pattern in a rule. `isForNames`: without any `/`, it matches base names too (CC-28). */
export function ruleGlobOf(pattern: string): { glob: Glob; isForNames: boolean } | { problem: GlobProblem } {
  const compiled = globOf(pattern.replace(/^\/+/u, ''));
  if ('problem' in compiled) return compiled;
  const { glob } = compiled;
  return { glob, isForNames: !pattern.startsWith('/') && !glob.hasSlash };
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
