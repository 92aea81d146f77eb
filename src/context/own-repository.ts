/** Which files a configuration or a rule file may make active by itself: files of its own repository (CC-12, S-36). */

import { isInside } from '../access/paths.ts';
import { placesInRoots } from '../access/reach.ts';
import { realPathOf } from '../access/real-place.ts';
import { holdsRepository, repositoryOf } from '../access/repositories.ts';
import type { World } from '../access/world.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { Warning } from '../warnings.ts';
import type { Writer } from './merge.ts';

export type OwnRepository = Readonly<{
  /**
   * Whether none of the writers may make a file active: each is in another git repository than the file, or is in none
   * and its mounted directory does not contain the file. The user's global configuration always may.
   */
  isForeign(path: string, writers: readonly Writer[]): Promise<boolean>;
  /**
   * One warning for each configuration that finds files that no writer may make active. `said`: words for what finds
   * them, and its place in the file.
   */
  warnings(paths: ReadonlySet<string>, said: { what: string; pointer?: string }): Warning[];
  /** Evidence of the repositories that were looked for. */
  evidence(): string[];
}>;

export function createOwnRepository(world: World, mountedDirectory: string): OwnRepository {
  const { gate, reach } = world;
  const placeOf = async (path: string): Promise<string> => (await realPathOf(path, gate.realPath)) ?? path;
  const foreign = new Map<string, Set<string>>();
  const ends = new Set<string>();

  const topOf = onceForEach(async (owner: string): Promise<string> => {
    const around = await repositoryOf(await placeOf(owner), (each) => holdsRepository(each, gate.stat));
    const top = around ?? (await placeOf(mountedDirectory));
    ends.add(`${owner} in ${top}`);
    return top;
  });
  const holds = async ({ owner, scope }: Writer, path: string): Promise<boolean> => {
    if (scope === 'global' || (!reach.followSymlinks && isInside(owner, path))) return true;
    return isInside(
      await topOf(owner),
      reach.followSymlinks ? await placeOf(path) : (placesInRoots(path, reach.roots)[0] ?? path),
    );
  };

  return Object.freeze({
    async isForeign(path: string, writers: readonly Writer[]) {
      for (const writer of writers) if (await holds(writer, path)) return false;
      const last = writers.at(-1);
      if (last === undefined) return false;
      foreign.set(last.path, (foreign.get(last.path) ?? new Set()).add(path));
      return true;
    },
    warnings: (paths: ReadonlySet<string>, said: { what: string; pointer?: string }): Warning[] =>
      [...foreign].flatMap(([path, found]): Warning[] => {
        const size = found.intersection(paths).size;
        if (size === 0) return [];
        const finds = size === 1 ? '1 file that lies' : `${size} files that lie`;
        const message = `${said.what} finds ${finds} outside the repository of this configuration; such a file is active only if it is mentioned.`;
        const pointer = said.pointer === undefined ? {} : { pointer: said.pointer };
        return [{ code: 'outside_repository', message, path, ...pointer }];
      }),
    evidence: () => [...ends],
  });
}
