/** Finds the source of a built file by what the configuration of a bundler says is built (RT-02). */
import { isInside, joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { oncePerDirectory } from '../places.ts';
import { type LiteralEntry, literalEntries, readConfigurations } from './bundler-config.ts';
import { findFile } from './module-file.ts';

/**
 * The file of a package that another one is built from. `built`: paths that this one can have below the directory of
 * built files, without extension, such as `index` or `cli/index`.
 */
export async function findByEntries(
  directory: string,
  built: readonly string[],
  lookup: Lookup,
): Promise<string | undefined> {
  const entries = await entriesIn(directory, lookup);
  if (entries.length === 0) return undefined;
  for (const name of built) {
    for (const stem of stemsFor(name, entries).slice(0, maxStems)) {
      const path = joinPath(directory, stem);
      const file = isInside(directory, path) ? await findFile(path, lookup) : undefined;
      if (file !== undefined) return file;
    }
  }
  return undefined;
}

/** The file that a package is built from, if it is built from one only. */
export const findSoleEntry = oncePerDirectory(async (directory, lookup): Promise<string | undefined> => {
  const found = new Set(await readConfigurations(directory, readSingleEntries, lookup));
  const [entry = ''] = found;
  const path = joinPath(directory, entry);
  return found.size === 1 && path !== directory && isInside(directory, path) ? findFile(path, lookup) : undefined;
});

/** Files that are looked for by one name. */
const maxStems = 8;

/** `b/c` and `c` of `a/b/c`: in `modern/index`, `modern` may belong to the directory of built files. */
export function endsOf(path: string): string[] {
  const names = path.split('/').slice(-maxDepth);
  return names.map((_, at) => names.slice(at).join('/')).slice(1);
}
const maxDepth = 8;

/** The sources, without extension, of what can be built as `name`: first those that have this name as their key. */
function stemsFor(name: string, entries: readonly LiteralEntry[]): string[] {
  const [named, same, starred] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const [key, written] of entries) {
    const entry = written.startsWith('./') ? written.slice(2) : written;
    const star = entry.indexOf('*');
    const stem = entry.replace(/\.[cm]?[jt]sx?$/u, '');
    if (star >= 0) starred.add(`${entry.slice(0, entry.lastIndexOf('/', star) + 1)}${name}`);
    else if (key === name) named.add(stem);
    else if (`/${stem}`.endsWith(`/${name}`)) same.add(stem);
  }
  const byDepth = (a: string, b: string): number => depthOf(a) - depthOf(b);
  // Of `src/index` and `src/cli/index`, the first one is built as `index`. Of `src/a/index` and `src/b/index`, none is.
  const [first = '', second = ''] = [...same].sort(byDepth);
  const isClear = second === '' || depthOf(first) < depthOf(second);
  return [...named, ...[...(isClear ? same : []), ...starred].sort(byDepth)];
}

function depthOf(path: string): number {
  return path.split('/').length;
}

const entriesIn = oncePerDirectory(async (directory, lookup) =>
  (await readConfigurations(directory, readEntries, lookup)).slice(0, patterns),
);
const { patterns } = fixedLimits.projects.workspaces;

/** Entries with these extensions are built to no module. */
const pages = /\.(?:html|css|scss|less)$/u;

function readEntries(text: string): LiteralEntry[] {
  return literalEntries(text, {
    object: /\b(?:entry|input)["']?[ \t]{0,9}[:=][ \t]{0,9}\{/gmu,
    list: /\b(?:entry|entries|input)["']?[ \t]{0,9}[:=][ \t]{0,9}\[/gmu,
  }).filter(([, entry]) => !pages.test(entry));
}

/** `entry: 'lib/main.ts'` and `entry: resolve(__dirname, 'lib/main.ts')`. */
function readSingleEntries(text: string): string[] {
  const single =
    /\b(?:entry|input)["']?[ \t]{0,9}[:=][ \t]{0,9}[\w.]{0,40}\(?(?:__dirname|import\.meta\.dirname)?[ ,]{0,9}["']([^"'\n]{1,200})["']/gu;
  const found: string[] = [];
  for (const [, entry = ''] of text.matchAll(single)) {
    if (found.length === patterns) break;
    if (!pages.test(entry)) found.push(entry);
  }
  return found;
}
