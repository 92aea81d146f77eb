/** The directories of a project whose rule files of other tools count (FM-02, FM-05). */
import { baseName, isInside, parentPath } from '../../access/paths.ts';
import type { World } from '../../access/world.ts';
import { type ContextDirectory, levelsBelow, ownersBetween } from '../directories.ts';
import type { Place } from '../formats/format.ts';
import type { Found, Where } from './source.ts';

/** A directory to search for formats. `isBelow`: it is below the working directory, towards a file in play. */
export type Looked = { directory: ContextDirectory; kinds: readonly Place['in'][]; isBelow: boolean };

const packageFolders = new Set(['node_modules', 'bower_components', 'site-packages']);
/** Whether a directory is not searched for rules by its name: hidden, or of installed packages. */
export const isOfOthers = (name: string): boolean => name.startsWith('.') || packageFolders.has(name);

/**
 * Weakest first: the directories that are reached without a link or a missing directory (S-37), and that are neither
 * hidden nor in installed packages.
 */
export async function findRuleOwners(
  where: Where,
  world: World,
  { evidence }: Pick<Found, 'evidence'>,
): Promise<Looked[]> {
  const { mountedDirectory, onTheWay, reach, gate } = world;
  const reached: Looked[] = [];
  let left: string | undefined;
  for (const each of directoriesOf(where, world)) {
    const { owner, scope } = each.directory;
    if (scope !== 'global' && owner !== mountedDirectory) {
      if (left !== undefined && isInside(left, owner)) continue;
      if (!onTheWay.has(owner) && !reach.followSymlinks) {
        const stat = await gate.stat(owner);
        evidence.push(`${owner}:${stat.ok ? stat.kind : stat.code}`);
        if (stat.ok && stat.kind === 'directory') onTheWay.set(owner, 'reached');
      }
      const isReached = reach.followSymlinks || onTheWay.get(owner) === 'reached';
      if (!isReached || isOfOthers(baseName(owner))) {
        left = owner;
        continue;
      }
    }
    reached.push(each);
  }
  return reached;
}

/** Whether or not they exist. */
function directoriesOf(
  { mountedDirectory, workingDirectory, filesInPlay, scopes }: Where,
  { homeDirectory: home }: World,
): Looked[] {
  const looked = (owner: string, kinds: readonly Place['in'][], isBelow = false): Looked => {
    const depth = levelsBelow(mountedDirectory, owner);
    return { directory: { scope: depth === 0 ? 'static' : 'dynamic', owner, path: owner, depth }, kinds, isBelow };
  };
  const global: Looked = {
    directory: { scope: 'global', owner: home, path: home, depth: -1 },
    kinds: ['home'],
    isBelow: false,
  };
  const outer = scopes.has('global') ? [global] : [];
  const mounted = looked(mountedDirectory, ['root', 'every']);
  if (!scopes.has('dynamic')) return scopes.has('static') ? [...outer, mounted] : outer;
  const [, ...owners] = ownersBetween(mountedDirectory, workingDirectory);
  const below = filesInPlay.flatMap((path) =>
    isInside(workingDirectory, parentPath(path)) ? ownersBetween(workingDirectory, parentPath(path)).slice(1) : [],
  );
  return [
    ...outer,
    mounted,
    ...owners.map((owner) => looked(owner, ['every'])),
    ...[...new Set(below)].sort().map((owner) => looked(owner, ['every'], true)),
  ];
}
