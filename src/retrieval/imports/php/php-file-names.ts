/** Finds PHP files by how they are named, where no rule says which class is in which file. */
import { baseName } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast, beforeLast } from '../../../texts/after-last.ts';
import type { Lookup } from '../import.ts';
import { listOf } from '../plain-reading.ts';
import { readDeclaredNames } from './php-declared.ts';
import { simpleName } from './php-project.ts';

const limits = fixedLimits.projects.php;

/** Paths of files by their simple names. */
export type NamedFiles = ReadonlyMap<string, readonly string[]>;

/** The first file with the name of a class that declares it. `full`: with its namespace. */
export async function namedFile(full: string, files: NamedFiles, lookup: Lookup): Promise<string | undefined> {
  const paths = simpleNames(full).flatMap((name) => files.get(name) ?? []);
  for (const path of paths.slice(0, limits.candidates)) {
    const declared = await lookup.deriveSource(path, readDeclaredNames);
    if (declared?.types.has(full.toLowerCase())) return path;
  }
  return undefined;
}

/** Also without the first word, which plugins of WordPress give to all their classes. */
function simpleNames(full: string): string[] {
  const name = simpleName(afterLast(full, '\\'));
  const rest = name.slice(name.indexOf('-') + 1);
  return rest === name ? [name] : [name, simpleName(rest)];
}

/** Files such as `functions.php`, `cart-functions.php` and `helpers.php`. */
export function functionFiles(files: NamedFiles): string[] {
  const named = [...files].filter(([name]) => /(?:^|-)(?:functions?|helpers?|template-tags|api)(?:-|$)/u.test(name));
  return named.flatMap(([, paths]) => paths).slice(0, limits.beside);
}

/**
 * The given files, and those in the given directories and below, up to a limit. What is given first comes first. No
 * directory is listed twice.
 */
export async function listNamedFiles(roots: readonly string[], lookup: Lookup): Promise<NamedFiles> {
  const files = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const root of roots) {
    const paths = [root];
    for (const path of paths) {
      if (path.endsWith('.php')) addFile(files, path);
      else if (!seen.has(path) && seen.size < limits.directories) {
        seen.add(path);
        for (const name of await lookup.namesIn(path)) if (isPart(name)) paths.push(`${path}/${name}`);
      }
    }
  }
  return files;
}

function isPart(name: string): boolean {
  return name.endsWith('.php') || (!name.includes('.') && name !== 'vendor' && name !== 'node_modules');
}

function addFile(files: Map<string, string[]>, path: string): void {
  const name = simpleName(baseName(path).slice(0, -'.php'.length));
  const known = listOf(files, name);
  if (known.length < limits.candidates && !known.includes(path)) known.push(path);
}

export function namespaceOf(full: string): string {
  return beforeLast(full, '\\');
}
