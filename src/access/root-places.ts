/** Finds the real places of roots within a time limit, because a look at a mount whose server is gone may never end. */
import { within } from '../pace/within.ts';
import type { Files } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { directoriesBetween } from './paths.ts';
import { realPlaceOf } from './real-place.ts';

export type RootPlaces = ReturnType<typeof createRootPlaces>;

export function createRootPlaces(files: Pick<Files, 'stat' | 'realPath'>) {
  const late = new Set<string>();
  const isLate = (path: string): boolean =>
    late.size > 0 && directoriesBetween('/', path).some((directory) => late.has(directory));
  /**
   * The result of `look` at a path. Undefined if the disk does not answer in time. While a look is late, no other
   * begins below it: each keeps a thread busy, and all reading shares few threads.
   */
  const inTime = async <Found>(path: string, look: (path: string) => Promise<Found>): Promise<Found | undefined> => {
    if (isLate(path)) return undefined;
    const looking = look(path);
    const found = await within(fixedLimits.roots.placeMs, looking);
    if (found !== undefined) return found;
    late.add(path);
    const end = () => late.delete(path);
    void looking.then(end, end);
    return undefined;
  };
  /**
   * Undefined if the disk does not answer. Checks the directories above first, because several roots can be on one dead
   * mount.
   */
  const learnPlace = async (path: string): Promise<string | undefined> => {
    if (isLate(path)) return undefined;
    for (const directory of directoriesBetween('/', path))
      if ((await inTime(directory, files.stat)) === undefined) return undefined;
    return inTime(path, () => realPlaceOf(path, files.realPath));
  };
  return {
    inTime,
    learnPlace,
    /** One root after the other, so that dead mounts are known for the later roots. */
    async withPlaces<Each extends { path: string }>(roots: readonly Each[]) {
      const placed: { root: Each; place: string }[] = [];
      for (const root of roots) placed.push({ root, place: (await learnPlace(root.path)) ?? root.path });
      return placed;
    },
  };
}
