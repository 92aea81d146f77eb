/** Finds duplicate names of servers and context files (CC-32, AG-03, AP-08). */
import { directoriesBetween } from '../access/paths.ts';
import type { Warning } from '../warnings.ts';
import type { PlaceInFile } from './check-config.ts';
import type { TreeDirectory, TreeFile } from './checked-tree.ts';

/** A server that a weaker configuration on the same way defines too. Only the nearer definition counts. */
export function duplicateServerWarnings(directories: readonly TreeDirectory[], mountedDirectory: string): Warning[] {
  const given = createGivenNames(mountedDirectory);
  return directories.flatMap(({ loaded, configs }) =>
    configs.flatMap(({ checked }) =>
      checked.servers.flatMap(({ name, place }) => {
        const weaker = given.give(name, loaded.directory.owner, place);
        // A duplicate key in one file is already reported.
        if (weaker === undefined || weaker.path === place.path) return [];
        const message = `"${name}" is also defined in ${weaker.path}:${weaker.line}, which has no effect here. Remove one, or rename it.`;
        return [{ code: 'duplicate_server', message, ...place }];
      }),
    ),
  );
}

/** A name in front matter that another file has too, if both can be delivered together. */
export function duplicateNameWarnings(files: readonly TreeFile[], mountedDirectory: string): Warning[] {
  const given = createGivenNames(mountedDirectory);
  const fromTheTop = files.toSorted((a, b) => a.owner.length - b.owner.length);
  return fromTheTop.flatMap(({ owner, checked: { source, namePlace } }) => {
    if (source.name === undefined || namePlace === undefined) return [];
    const other = given.give(source.name, owner, namePlace);
    if (other === undefined) return [];
    const message = `${other.path} has the name "${source.name}" too. A mention of this name finds only one file. Rename the other one.`;
    return [{ code: 'duplicate_name', message, ...namePlace }];
  });
}

/**
 * `give` returns the last place of a name on the way from the mounted directory down to `owner`. Owners must come from
 * the top down.
 */
function createGivenNames(mountedDirectory: string) {
  const given = new Map<string, Map<string, PlaceInFile>>();
  return {
    give(name: string, owner: string, place: PlaceInFile): PlaceInFile | undefined {
      const places = given.get(name) ?? new Map<string, PlaceInFile>();
      given.set(name, places);
      const nearest = directoriesBetween(mountedDirectory, owner).findLast((directory) => places.has(directory));
      const before = nearest === undefined ? undefined : places.get(nearest);
      places.set(owner, place);
      return before;
    },
  };
}
