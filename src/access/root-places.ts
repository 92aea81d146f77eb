/** Looks at roots and mounted directories within a time limit, because a look at a mount whose server is gone may never end. */
import { ContextdError } from '../errors.ts';
import { within } from '../pace/within.ts';
import type { Files } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { directoriesBetween } from './paths.ts';
import { realPlaceOf } from './real-place.ts';

export type RootPlaces = ReturnType<typeof createRootPlaces>;

export function createRootPlaces(files: Pick<Files, 'stat' | 'realPath'>) {
  /** Looks that are late, by their paths. */
  const late = new Map<string, Promise<unknown>>();
  const lateAbove = (path: string): Promise<unknown>[] =>
    late.size === 0 ? [] : directoriesBetween('/', path).flatMap((directory) => late.get(directory) ?? []);
  /**
   * The result of `look` at a path. Undefined if the disk does not answer in time. While a look is late, no other
   * begins below it: each keeps a thread busy, and all reading shares few threads.
   */
  const inTime = async <Found>(path: string, look: (path: string) => Promise<Found>): Promise<Found | undefined> => {
    if (lateAbove(path).length > 0) return undefined;
    const looking = look(path);
    const found = await within(fixedLimits.roots.placeMs, looking);
    if (found !== undefined) return found;
    const end = () => late.get(path) === ended && late.delete(path);
    const ended: Promise<unknown> = looking.then(end, end);
    late.set(path, ended);
    return undefined;
  };
  /** Waits for a disk that may only be asleep. False if it stays silent. */
  const wakesUp = async (path: string): Promise<boolean> =>
    (await within(fixedLimits.roots.wakeMs, Promise.all(lateAbove(path)))) !== undefined;
  /**
   * Undefined if the disk does not answer. Checks the directories above first, because several roots can be on one dead
   * mount.
   */
  const learnPlace = async (path: string): Promise<string | undefined> => {
    if (lateAbove(path).length > 0) return undefined;
    for (const directory of directoriesBetween('/', path))
      if ((await inTime(directory, files.stat)) === undefined) return undefined;
    return inTime(path, () => realPlaceOf(path, files.realPath));
  };
  return {
    inTime,
    learnPlace,
    /** Makes a look wait for a disk that may be asleep. It throws `unavailable` if the disk does not answer. */
    answering:
      <Found>(look: (path: string) => Promise<Found>) =>
      async (path: string): Promise<Found> => {
        const found = (await inTime(path, look)) ?? ((await wakesUp(path)) ? await inTime(path, look) : undefined);
        if (found === undefined) throw new ContextdError('unavailable', `The disk of ${path} does not answer.`);
        return found;
      },
    /** One root after the other, so that dead mounts are known for the later roots. */
    async withPlaces<Each extends { path: string }>(roots: readonly Each[]) {
      const placed: { root: Each; place: string }[] = [];
      for (const root of roots) placed.push({ root, place: (await learnPlace(root.path)) ?? root.path });
      return placed;
    },
  };
}
