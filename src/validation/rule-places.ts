/** Finds the places of formats in a tree (FM-01, FM-02). */
import { baseName, directoriesBetween, isInside, joinPath } from '../access/paths.ts';
import { type FormatAt, formatsAt } from '../context/formats/format-at.ts';
import { isOfOthers } from '../context/sources/rule-owners.ts';
import type { Tree } from './checked-tree.ts';

/** The format of a path, if the directory with its place belongs to the project. */
export function placeOf(path: string, tree: Tree): FormatAt | undefined {
  return formatsAt(path, tree).find((at) => isOfProject(at, tree));
}

/** The folder of a place that contains a path. Undefined if the place names the file itself. */
export function folderOf(path: string, { place, owner }: Pick<FormatAt, 'place' | 'owner'>): string | undefined {
  return place.firstOf
    .filter((name) => name.endsWith('/'))
    .map((name) => joinPath(owner, name.slice(0, -1)))
    .find((folder) => folder !== path && isInside(folder, path));
}

export function isOfProject({ owner }: FormatAt, { mountedDirectory }: Tree): boolean {
  return !ownersOf(owner, mountedDirectory).some((each) => isOfOthers(baseName(each)));
}

/** The directories from below the mounted directory down to an owner. */
export function ownersOf(owner: string, mountedDirectory: string): string[] {
  return owner === mountedDirectory ? [] : directoriesBetween(mountedDirectory, owner).slice(1);
}
