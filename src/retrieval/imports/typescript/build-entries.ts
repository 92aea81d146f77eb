/** Finds the source of a built file by what the configuration of a bundler says is built (RT-02). */
import { isInside, joinPath } from '../../../access/paths.ts';
import type { Lookup } from '../import.ts';
import { oncePerDirectory } from '../places.ts';
import { type LiteralEntry, literalEntries, readConfigurations } from './bundler-config.ts';
import { findFile } from './module-file.ts';

/**
 * The file of a package that another one is built from. `built`: the path of that one below the directory of built
 * files, without extension, such as `index` or `cli/index`. In `modern/index`, `modern` may belong to the directory.
 */
export async function findByEntries(directory: string, built: string, lookup: Lookup): Promise<string | undefined> {
  const entries = await entriesIn(directory, lookup);
  if (entries.length === 0) return undefined;
  for (const name of endsOf(built)) {
    const stems = entries.flatMap((entry) => stemOf(entry, name) ?? []);
    // Of `src/index` and `src/cli/index`, the first one is built as `index`.
    for (const stem of stems.toSorted((a, b) => a.length - b.length)) {
      const path = joinPath(directory, stem);
      const file = isInside(directory, path) ? await findFile(path, lookup) : undefined;
      if (file !== undefined) return file;
    }
  }
  return undefined;
}

/** `a/b/c`, `b/c` and `c`. */
function endsOf(path: string): string[] {
  const names = path.split('/').slice(-maxDepth);
  return names.map((_, at) => names.slice(at).join('/'));
}
const maxDepth = 8;

/** The source of an entry, without extension, if it is built as `name`. */
function stemOf([key, entry]: LiteralEntry, name: string): string | undefined {
  const star = entry.indexOf('*');
  if (star >= 0) return `${entry.slice(0, entry.lastIndexOf('/', star) + 1)}${name}`;
  const stem = entry.replace(/\.[cm]?[jt]sx?$/u, '');
  return key === name || `/${stem}`.endsWith(`/${name}`) ? stem : undefined;
}

const entriesIn = oncePerDirectory((directory, lookup) => readConfigurations(directory, readEntries, lookup));

function readEntries(text: string): LiteralEntry[] {
  return literalEntries(text, {
    object: /\b(?:entry|input)["']?[ \t]{0,9}[:=][ \t]{0,9}\{/gmu,
    list: /\b(?:entry|input)["']?[ \t]{0,9}[:=][ \t]{0,9}\[/gmu,
  });
}
