/** Places in the home directory that are read in addition to the global context directory (FM-05). */
import type { Clock, Files } from '../ports/ports.ts';
import { joinPath } from './paths.ts';
import { isSettled } from './settled.ts';

/**
 * Returns those of `paths`, relative to the home directory, that exist now. While the home directory is unchanged, only
 * paths whose first directory exists are checked.
 */
export function createHomePlaces(ports: {
  files: Files;
  clock: Clock;
  paths: readonly string[];
}): (looking?: Pick<Files, 'stat'>) => Promise<string[]> {
  const { files, clock } = ports;
  const home = files.homeDirectory();
  const byFirst = Map.groupBy(new Set(ports.paths), (path) => path.split('/')[0] as string);
  let known: { signature: string; there: readonly string[] } | undefined;

  const lookFor = async (paths: readonly string[], looking: Pick<Files, 'stat'>) => {
    const found = await Promise.all(paths.map((path) => looking.stat(joinPath(home, path))));
    const isWhole = !found.some((each) => !each.ok && each.code === 'io_error');
    return { there: paths.filter((_, index) => found[index]?.ok), isWhole };
  };
  return async (looking = files) => {
    if (byFirst.size === 0) return [];
    const stat = await looking.stat(home);
    if (!stat.ok) return [];
    let there = known?.signature === stat.signature ? known.there : undefined;
    if (there === undefined) {
      const found = await lookFor([...byFirst.keys()], looking);
      ({ there } = found);
      known = found.isWhole && isSettled(stat, clock) ? { signature: stat.signature, there } : undefined;
    }
    const places = await lookFor(
      there.flatMap((first) => byFirst.get(first) ?? []),
      looking,
    );
    return places.there.map((path) => joinPath(home, path));
  };
}
