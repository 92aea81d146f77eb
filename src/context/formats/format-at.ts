/** Finds formats that have a place at a path, whether or not they are read (FM-01). */
import { directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import type { RequestPlace } from '../normalize-request.ts';
import type { Place, RuleFormat } from './format.ts';
import { ruleFormats } from './formats.ts';

/** `owner`: the directory that the rule would belong to. */
export type FormatAt = Readonly<{ format: RuleFormat; place: Place; owner: string }>;

/** The formats of a path in the mounted or the home directory, the nearest owner first. */
export function formatsAt(path: string, where: RequestPlace): FormatAt[] {
  return formatsWhere(path, where, liesAt).toSorted((a, b) => b.owner.length - a.owner.length);
}

/** The formats that could have files behind a link at this path: at it, below it, or in a folder that contains it. */
export function formatsBehind(path: string, where: RequestPlace): FormatAt[] {
  return formatsWhere(path, where, (_, owner, { firstOf }) =>
    firstOf.some((name) => {
      const place = joinPath(owner, name.replace(/\/$/u, ''));
      return isInside(path, place) || (name.endsWith('/') && isInside(place, path));
    }),
  );
}

const beginnings = ruleFormats.flatMap(({ places }) =>
  places.flatMap(({ firstOf }) => firstOf.map((name) => name.split('/')[0] as string)),
);
const firstNames = new Set(beginnings);
const firstParts = beginnings.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/** A quick check that most paths of a project fail. */
function hasFirstName(path: string): boolean {
  return path.split('/').some((name) => firstNames.has(name) || firstParts.some((part) => name.startsWith(part)));
}

function formatsWhere(
  path: string,
  { mountedDirectory, homeDirectory }: RequestPlace,
  isAt: (path: string, owner: string, place: Place) => boolean,
): FormatAt[] {
  if (!hasFirstName(path)) return [];
  const isMounted = path !== mountedDirectory && isInside(mountedDirectory, path);
  const every = isMounted ? directoriesBetween(mountedDirectory, parentPath(path)) : [];
  const owners = {
    every,
    root: isMounted ? [mountedDirectory] : [],
    home: isInside(homeDirectory, path) ? [homeDirectory] : [],
  };
  return ruleFormats.flatMap((format) =>
    format.places.flatMap((place) =>
      owners[place.in].filter((owner) => isAt(path, owner, place)).map((owner) => ({ format, place, owner })),
    ),
  );
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
