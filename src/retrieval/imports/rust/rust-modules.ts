/** The modules of Rust: where the files of those below and above another one are (RT-02). */

import { parentPath } from '../../../access/paths.ts';
import type { Lookup } from '../import.ts';
import { firstFile } from '../places.ts';

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
