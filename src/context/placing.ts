/** Turns paths of a request into paths under the given name of the mounted directory (AN-02, AN-03). */

import { isInside, joinPath, relativePath } from '../access/paths.ts';
import { realNamesOf } from '../access/reach.ts';
import { realPlaceOf } from '../access/real-place.ts';
import type { Placing, World } from '../access/world.ts';
import { once, onceForEach } from '../pace/once-for-each.ts';
import type { Files, Root } from '../ports/ports.ts';
import { expandHome } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import { insidePath, placePath, type RequestPlace } from './normalize-request.ts';
import type { ResolveRequest } from './resolve-request.ts';
import type { OmittedPath } from './resolve-result.ts';

/** The same answer whether the path exists or not: nothing is revealed about places outside. */
export const outsideMounted: Reason = { code: 'outside_roots', detail: 'it lies outside the mounted directory' };

/** The disk is read only when a path is not below the mounted directory by name. */
export function createPlacing(
  mountedDirectory: string,
  { realPath, locateRoots }: { realPath: Files['realPath']; locateRoots(): Promise<readonly Root[]> },
): Placing {
  const mounted = once(() => realPath(mountedDirectory));
  const roots = once(locateRoots);
  const look = onceForEach(realPath);

  return async (path) => {
    if (isInside(mountedDirectory, path)) return path;
    const real = await mounted();
    if (!real.ok) return path;
    const places = [path, ...realNamesOf(path, await roots())];
    const known = places.find((place) => isInside(real.realPath, place)) ?? (await realPlaceOf(path, look));
    if (known === undefined || !isInside(real.realPath, known)) return path;
    return joinPath(mountedDirectory, relativePath(real.realPath, known));
  };
}

/** As `insidePath`, by the name of the mounted directory. */
export async function placeInside(path: string, pointer: string, world: World): Promise<string> {
  return insidePath(await world.placing(placePath(path, pointer, world)), pointer, world);
}

/**
 * The request with its paths under the given name of the mounted directory, without files outside. Throws
 * `invalid_request` for an invalid path.
 */
export async function placeRequest<Request extends ResolveRequest>(
  request: Request,
  place: RequestPlace,
  placing: Placing,
): Promise<{ request: Request; omitted: OmittedPath[] }> {
  const at = (path: string, pointer: string): Promise<string> => placing(placePath(path, pointer, place));
  const { mountedDirectory, homeDirectory } = place;
  const { files: named = [], workingDirectory, mentions, expand } = request;
  const placeNames = (names: readonly string[]): Promise<string[]> =>
    Promise.all(names.map((name) => placeMention(name, homeDirectory, placing)));
  const files: string[] = [];
  const omitted = new Map<string, OmittedPath>();
  for (const [index, file] of named.entries()) {
    const path = await at(file, `/files/${index}`);
    if (isInside(mountedDirectory, path)) files.push(path);
    else omitted.set(path, { path, reason: outsideMounted });
  }
  const placed = {
    ...request,
    files: request.files && files,
    workingDirectory: workingDirectory === undefined ? undefined : await at(workingDirectory, '/workingDirectory'),
    mentions: mentions && (await placeNames(mentions)),
    expand: typeof expand === 'object' ? await placeNames(expand) : expand,
  };
  return { request: placed, omitted: [...omitted.values()] };
}

/** A mention may be a name that is not a path. */
async function placeMention(mention: string, homeDirectory: string, placing: Placing): Promise<string> {
  const path = expandHome(mention, homeDirectory);
  if (!path.startsWith('/') || path.includes('\0')) return mention;
  const placed = await placing(joinPath('/', path));
  return placed === joinPath('/', path) ? mention : placed;
}
