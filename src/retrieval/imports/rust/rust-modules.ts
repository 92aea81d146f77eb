/**
 * Where the files of Rust's modules are, below and above another one, what all of a module gives, and the file with a
 * macro of a crate (RT-02).
 */

import { isInside, parentPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportingFile, Lookup } from '../import.ts';
import { firstFile } from '../places.ts';
import { readGiven, readLinks } from './rust-links.ts';

const limits = fixedLimits.projects.rust;

/** A module: its file, the directory with the files of its submodules, and the possible first files of its crate. */
export type Module = { path: string; directory: string; roots: readonly string[] };

export function rootModule(path: string, roots: readonly string[]): Module {
  return { path, directory: parentPath(path), roots };
}

export async function submodule(module: Module, name: string, lookup: Lookup): Promise<Module | undefined> {
  const directory = `${module.directory}/${name}`;
  const path = await firstFile([`${directory}.rs`, `${directory}/mod.rs`], lookup);
  return path === undefined ? undefined : { ...module, path, directory };
}

export async function parentModule(module: Module, lookup: Lookup): Promise<Module | undefined> {
  const directory = parentPath(module.directory);
  const top = ['lib.rs', 'main.rs'].map((name) => `${directory}/${name}`);
  const path =
    module.roots.find((root) => parentPath(root) === directory) ??
    (await firstFile([`${directory}.rs`, `${directory}/mod.rs`, ...top], lookup));
  return path === undefined ? undefined : { ...module, path, directory };
}

/** A macro of any module is visible at the top of its crate. Undefined if the module mentions the name itself. */
export async function fileOfMacro(module: Module, name: string, lookup: Lookup): Promise<string | undefined> {
  const links = await lookup.deriveSource(module.path, readLinks);
  if (links === undefined || links.mentioned.has(name) || !module.roots.includes(module.path)) return undefined;
  const within = links.files.map((file) => ({ around: module, file }));
  for (const { around, file } of within) {
    const inside = await submodule(around, file, lookup);
    const found = inside && (await lookup.deriveSource(inside.path, readLinks));
    if (found?.macros.has(name)) return inside?.path;
    // Macros are often in modules of their own.
    if (inside && file.includes('macro') && within.length < limits.modules)
      within.push(...(found?.files ?? []).map((each) => ({ around: inside, file: each })));
    if (within.length > limits.modules) within.length = limits.modules;
  }
  return undefined;
}

/** A module below sees what one above imports for itself. */
export function isAround({ directory }: Module, file: ImportingFile): boolean {
  return isInside(directory, file.path);
}

/** Whether a name can be one that the file gets with all of a module. */
export async function givenBy(
  module: Module,
  { file, lookup }: { file: ImportingFile; lookup: Lookup },
): Promise<(name: string) => boolean> {
  const given = await lookup.deriveSource(module.path, readGiven);
  const isBelow = isAround(module, file);
  return (name) => given?.toAll.has(name) === true || (isBelow && given?.toModulesBelow.has(name) === true);
}
