/** Files of other tools, read where they lie (FM-01 … FM-06). */
import { baseName, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { liesInRoots, rootsAround } from '../../access/reach.ts';
import { walkTree } from '../../access/walk.ts';
import type { World } from '../../access/world.ts';
import type { Candidate } from '../candidate.ts';
import { type ContextDirectory, levelsBelow, ownersBetween } from '../directories.ts';
import type { Place, RuleFormat } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';
import { nameRuleFile } from '../names.ts';
import { serverLists } from '../server-lists/server-lists.ts';
import type { SharedWalks } from './included.ts';
import { type LookedAt, listAll, lookAtHome, lookInOwner } from './rule-places.ts';
import { takeServerList } from './server-lists.ts';
import type { ContextSource, FindPlace, Found, Where } from './source.ts';

export const ruleFiles: ContextSource = { find: findRuleFiles };

/** A directory in which formats are looked for. `isBelow`: below the working one, on the way to a file in play. */
type Looked = { directory: ContextDirectory; kinds: readonly Place['in'][]; isBelow: boolean };

/** What looks for formats in one directory. `decided`: paths for which another name of the same place stands. */
type Search = Looked &
  LookedAt & {
    world: World;
    walks: SharedWalks;
    result: Required<Found>;
    byPath: Map<string, Candidate>;
    decided: Set<string>;
  };

async function findRuleFiles({ where, merged, walks, listings }: FindPlace, world: World): Promise<Found> {
  const result = { candidates: [], warnings: [], evidence: [], searched: [], serverLists: [] } as Required<Found>;
  const chosen = ruleFormats.filter(
    ({ name }) => where.formats.includes(name) && (merged.formats === undefined || merged.formats.includes(name)),
  );
  if (chosen.length === 0) return result;
  const lists = serverLists.filter(({ formats }) => chosen.some(({ name }) => formats.includes(name)));
  const byPath = new Map<string, Candidate>();
  const decided = new Set<string>();
  const looked = await reachedOf(directoriesOf(where, world), world, result);
  const owners = looked.flatMap(({ directory: { scope, owner } }) => (scope === 'global' ? [] : [owner]));
  await listAll(owners, world, listings);
  let left: string | undefined;
  for (const each of looked) {
    const { owner, scope } = each.directory;
    if (left !== undefined && isInside(left, owner)) continue;
    const isHome = scope === 'global';
    const seen = isHome ? lookAtHome(world, result) : await lookInOwner(owner, world, { ...result, listings });
    if (seen.isRepository && owner !== where.mountedDirectory) {
      left = owner;
      continue;
    }
    const search: Search = { ...each, ...seen, ...{ world, walks, result, byPath, decided } };
    for (const format of chosen)
      for (const place of format.places)
        if (each.kinds.includes(place.in) && place.firstOf.some(seen.mayHold)) await takePlace(format, place, search);
    if (isHome || each.isBelow) continue;
    for (const list of lists)
      if (each.kinds.includes(list.in) && list.firstOf.some(seen.mayHold)) await takeServerList(list, search);
  }
  result.candidates = [...byPath.values()];
  return result;
}

/**
 * Those that no link and nothing missing keeps away (S-37), and that belong to the project: nothing is taken from installed
 * packages, from hidden directories, or from other repositories in it.
 */
async function reachedOf(looked: readonly Looked[], world: World, { evidence }: Found): Promise<Looked[]> {
  const { mountedDirectory, onTheWay, reach, gate } = world;
  const reached: Looked[] = [];
  let left: string | undefined;
  for (const each of looked) {
    const { owner, scope } = each.directory;
    if (scope !== 'global' && owner !== mountedDirectory) {
      if (left !== undefined && isInside(left, owner)) continue;
      if (!onTheWay.has(owner) && !reach.followSymlinks) {
        const stat = await gate.stat(owner);
        evidence.push(`${owner}:${stat.ok ? stat.kind : stat.code}`);
        if (stat.ok && stat.kind === 'directory') onTheWay.set(owner, 'reached');
      }
      const isReached = reach.followSymlinks || onTheWay.get(owner) === 'reached';
      if (!isReached || /^(?:\.|node_modules$)/u.test(baseName(owner))) {
        left = owner;
        continue;
      }
    }
    reached.push(each);
  }
  return reached;
}

/** Weakest first. */
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
  // What somebody mounts is not looked at twice.
  const outer = scopes.has('global') && !isInside(mountedDirectory, home) ? [global] : [];
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

async function takePlace(format: RuleFormat, { firstOf, holds, enters, read }: Place, search: Search): Promise<void> {
  const { directory, isBelow, kindOf, byPath, decided, world } = search;
  const candidateAt = (path: string): Candidate => ({
    source: 'format' as const,
    format: format.name,
    ...{ path, directory, read, name: nameRuleFile(path, directory, world.mountedDirectory) },
    ...(isBelow && { isBelow }),
  });
  const take: TakeFile = (path, refusal) => {
    if (!byPath.has(path) && !decided.has(path))
      byPath.set(path, { ...candidateAt(path), ...(refusal && { refusal }) });
  };
  const [pattern] = firstOf.filter((path) => path.endsWith('*'));
  const names = pattern === undefined ? firstOf : search.namesLike(pattern.slice(0, -1));
  for (const [index, path] of names.entries()) {
    const isFolder = path.endsWith('/');
    const inOwner = isFolder ? path.slice(0, -1) : path;
    const kind = await kindOf(inOwner);
    const place = joinPath(directory.owner, inOwner);
    const isFollowed = kind === 'symlink' && isFolder && world.reach.followSymlinks;
    if (kind === 'behind_link')
      await warnOfLink(joinPath(directory.owner, path.split('/')[0] as string), format, search);
    else if (kind === 'symlink' && isFolder && !isFollowed) await warnOfLink(place, format, search);
    if (kind === undefined || kind === 'behind_link' || (isFolder && kind !== 'directory' && !isFollowed)) continue;
    if (!isFolder && kind === 'directory') continue;
    let isUsable = true;
    if (isFolder) await takeFolder(place, { holds, enters, take }, search);
    else if (kind === 'symlink') isUsable = await takeLink(candidateAt(place), take, search);
    else {
      isUsable = kind === 'file';
      take(place, isUsable ? undefined : 'not_regular_file');
    }
    if (pattern !== undefined || !isUsable) continue;
    for (const other of names.slice(index + 1)) decided.add(joinPath(directory.owner, other));
    return;
  }
}

type TakeFile = (path: string, refusal?: Candidate['refusal']) => void;

/** A folder is walked once in a run, also where several working directories lie below its owner. */
async function takeFolder(
  folder: string,
  { holds = () => true, enters = () => true, take }: Pick<Place, 'holds' | 'enters'> & { take: TakeFile },
  { world, walks, result }: Search,
): Promise<void> {
  const isHeld = (path: string): boolean => holds(relativePath(folder, path));
  const isEntered = (path: string): boolean => enters(relativePath(folder, path));
  const key = JSON.stringify(['format', folder, String(holds), String(enters)]);
  const walk = walks.get(key) ?? (await walkTree(folder, world, { enter: isEntered, accept: isHeld }));
  walks.set(key, walk);
  for (const { path, refusal, isDirectory } of walk.found) {
    if (!isDirectory) take(path, refusal);
    else if (refusal === 'unreadable')
      result.warnings.push({ code: 'unreadable', message: 'Permissions forbid reading this.', path });
  }
  result.evidence.push(...walk.evidence);
  for (const { path: directory } of walk.listed)
    result.searched.push({
      ...{ directory, key: folder },
      decides: (path, kind) => (kind === 'directory' ? isEntered(path) : isHeld(path)),
    });
}

/**
 * FM-06: people share one text by a link from one fixed name to another. It is followed inside its granted root. Tells
 * whether it leads to a file.
 */
async function takeLink(candidate: Candidate, take: TakeFile, search: Search): Promise<boolean> {
  const { world, result, byPath, decided } = search;
  const { path } = candidate;
  const { gate, reach, placing } = world;
  const roots = reach.followSymlinks ? reach.roots : rootsAround(path, reach.roots);
  const real = await gate.realPath(path);
  if (!real.ok || !liesInRoots(real.realPath, roots)) {
    take(path, real.ok ? 'outside_roots' : 'symlink');
    return false;
  }
  const stat = await gate.stat(real.realPath);
  result.evidence.push(`${path} → ${real.realPath}`);
  if (!stat.ok || stat.kind !== 'file') {
    take(path, 'symlink');
    return false;
  }
  const linksTo = await placing(real.realPath);
  result.searched.push({ directory: parentPath(linksTo), key: path, decides: (found) => found === linksTo });
  if (!byPath.has(path) && !decided.has(path)) byPath.set(path, { ...candidate, linksTo });
  return true;
}

/** Where a folder would be, or lies behind. A link to a file is no folder that somebody misses. */
async function warnOfLink(place: string, { tool }: RuleFormat, { world, result }: Search): Promise<void> {
  const real = await world.gate.realPath(place);
  const stat = real.ok ? await world.gate.stat(real.realPath) : undefined;
  if (!stat?.ok || stat.kind !== 'directory') return;
  const message = `This is a symbolic link, which is not followed; rules of ${tool} behind it are not used.`;
  result.warnings.push({ code: 'symlink', message, path: place });
}
