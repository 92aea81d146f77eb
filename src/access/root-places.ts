/** Looks at roots and mounted directories whose disk may be asleep or gone. */
import { within } from '../pace/within.ts';
import { fixedLimits } from '../settings.ts';
import type { EndingFiles } from './ending-files.ts';
import { directoriesBetween } from './paths.ts';
import { realPlaceOf } from './real-place.ts';

export type RootPlaces = ReturnType<typeof createRootPlaces>;

export function createRootPlaces(files: Pick<EndingFiles, 'stat' | 'realPath' | 'isSilent'>) {
  /** The result of `look` at a path. Undefined if the disk does not answer in time. */
  const inTime = async <Found>(path: string, look: (path: string) => Promise<Found>): Promise<Found | undefined> =>
    files.isSilent(path) ? undefined : within(fixedLimits.roots.placeMs, look(path));
  /**
   * Undefined if the disk does not answer. Checks the directories above first, because several roots can be on one dead
   * mount.
   */
  const learnPlace = async (path: string): Promise<string | undefined> => {
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
