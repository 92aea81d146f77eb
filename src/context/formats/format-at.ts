/** Which formats have a place at a path, whether or not they are read (FM-01). */
import { directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import type { Place } from './format.ts';
import { ruleFormats } from './formats.ts';

/** `owner`: the directory that the rule would belong to. */
export type FormatAt = Readonly<{ format: string; owner: string }>;

/** The format of a path of the mounted or the home directory by its place in it, the nearest owner first. */
export function formatsAt(path: string, where: { mountedDirectory: string; homeDirectory: string }): FormatAt[] {
  const { mountedDirectory, homeDirectory } = where;
  const isMounted = path !== mountedDirectory && isInside(mountedDirectory, path);
  const every = isMounted ? directoriesBetween(mountedDirectory, parentPath(path)) : [];
  const owners = {
    every,
    root: isMounted ? [mountedDirectory] : [],
    home: isInside(homeDirectory, path) ? [homeDirectory] : [],
  };
  const found = ruleFormats.flatMap(({ name: format, places }) =>
    places.flatMap((place) =>
      owners[place.in].filter((owner) => liesAt(path, owner, place)).map((owner) => ({ format, owner })),
    ),
  );
  return found.toSorted((a, b) => b.owner.length - a.owner.length);
}

function liesAt(path: string, owner: string, { firstOf, holds = () => true, enters = () => true }: Place): boolean {
  return firstOf.some((name) => {
    if (name.endsWith('*'))
      return parentPath(path) === owner && relativePath(owner, path).startsWith(name.slice(0, -1));
    if (!name.endsWith('/')) return path === joinPath(owner, name);
    const folder = joinPath(owner, name.slice(0, -1));
    if (path === folder || !isInside(folder, path)) return false;
    const parts = relativePath(folder, path).split('/').slice(0, -1);
    return holds(relativePath(folder, path)) && parts.every((_, at) => enters(parts.slice(0, at + 1).join('/')));
  });
}
