/** Places in the home directory that are read besides the global context directory (FM-05). */
import type { Clock, Files } from '../ports/ports.ts';
import { joinPath } from './paths.ts';

/** A later change within this time could leave the signature of the home directory as it was. */
const settleMs = 2_000;

/**
 * Tells which of `paths`, relative to the home directory, are there now. As long as the home directory is unchanged only
 * those are looked for whose first directory is there.
 */
export function createHomePlaces(ports: {
  files: Files;
  clock: Clock;
  paths: readonly string[];
}): () => Promise<string[]> {
  const { files, clock } = ports;
  const home = files.homeDirectory();
  const byFirst = Map.groupBy(new Set(ports.paths), (path) => path.split('/')[0] as string);
  let known: { signature: string; there: readonly string[] } | undefined;

  const isThere = async (path: string): Promise<boolean> => (await files.stat(joinPath(home, path))).ok;
  const lookFor = async (paths: readonly string[]): Promise<string[]> => {
    const found = await Promise.all(paths.map(isThere));
    return paths.filter((_, index) => found[index]);
  };
  return async () => {
    if (byFirst.size === 0) return [];
    const stat = await files.stat(home);
    if (!stat.ok) return [];
    let there = known?.signature === stat.signature ? known.there : undefined;
    if (there === undefined) {
      there = await lookFor([...byFirst.keys()]);
      known = clock.now() - stat.changedAtMs > settleMs ? { signature: stat.signature, there } : undefined;
    }
    const places = await lookFor(there.flatMap((first) => byFirst.get(first) ?? []));
    return places.map((path) => joinPath(home, path));
  };
}
