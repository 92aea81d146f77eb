/**
 * Finds the file of a path in an import, in which extensions and `index` may be missing (TypeScript, "Module
 * resolution").
 */
import { joinPath, parentPath } from '../../../access/paths.ts';
import type { Lookup } from '../import.ts';
import { firstFile } from '../places.ts';

/** Extensions of files that a written extension can mean: sources before built files. */
const writtenFor = new Map(
  Object.entries({
    js: ['ts', 'tsx', 'd.ts', 'js', 'jsx'],
    jsx: ['tsx', 'ts', 'd.ts', 'jsx', 'js'],
    mjs: ['mts', 'd.mts', 'mjs'],
    cjs: ['cts', 'd.cts', 'cjs'],
    ts: ['ts'],
    tsx: ['tsx'],
    mts: ['mts'],
    cts: ['cts'],
    css: ['css', 'scss', 'sass', 'less'],
  }),
);
const leftOut = 'ts tsx d.ts mts cts js jsx mjs cjs d.mts d.cts json vue svelte astro'.split(' ');

/** The file that `path`, absolute, means in an import. Undefined if the workspace has none. */
export async function findModuleFile(path: string, lookup: Lookup): Promise<string | undefined> {
  return (await findFile(path, lookup)) ?? (await findIndex(path, lookup));
}

/** Like `findModuleFile`, but never returns the index of a directory. */
export async function findFile(path: string, lookup: Lookup): Promise<string | undefined> {
  if (path === parentPath(path)) return undefined;
  return firstFile(candidatesOf(path), lookup);
}

function* candidatesOf(path: string): Iterable<string> {
  const [, stem, extension] = /^(.*)\.(\w+)$/u.exec(path) ?? [];
  for (const other of writtenFor.get(extension ?? '') ?? []) yield `${stem}.${other}`;
  // `./style.css`, `./data.json`, `./App.vue`
  yield path;
  // `./data.json`, `./theme.css` with their types next to them
  if (extension !== undefined) yield `${stem}.d.${extension}.ts`;
  for (const other of leftOut) yield `${path}.${other}`;
}

async function findIndex(directory: string, lookup: Lookup): Promise<string | undefined> {
  if ((await lookup.kindOf(directory)) !== 'directory') return undefined;
  const main = await lookup.derive(joinPath(directory, 'package.json'), mainOf);
  const named = main === undefined ? undefined : joinPath(directory, main);
  if (named !== undefined && named !== directory) {
    const file = (await findFile(named, lookup)) ?? (await findFile(joinPath(named, 'index'), lookup));
    if (file !== undefined) return file;
  }
  return findFile(joinPath(directory, 'index'), lookup);
}

function mainOf(text: string): string | undefined {
  const { types, typings, main } = JSON.parse(text) as Record<string, unknown>;
  return [types, typings, main].find((each): each is string => typeof each === 'string');
}
