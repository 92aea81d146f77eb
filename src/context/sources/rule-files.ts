/** Files of other tools, read where they lie (FM-01 … FM-06). */
import { directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { liesInRoots, rootsAround } from '../../access/reach.ts';
import { walkTree } from '../../access/walk.ts';
import type { World } from '../../access/world.ts';
import type { Candidate } from '../candidate.ts';
import { type ContextDirectory, levelsBelow, ownersBetween } from '../directories.ts';
import type { Place, RuleFormat } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';
import { nameRuleFile } from '../names.ts';
import { type LookedAt, listReached, lookAtHome, lookInOwner } from './rule-places.ts';
import type { ContextSource, FindPlace, Found, Where } from './source.ts';

export const ruleFiles: ContextSource = { find: findRuleFiles };

/** A directory in which formats are looked for. `isBelow`: below the working one, on the way to a file in play. */
type Looked = { directory: ContextDirectory; kinds: readonly Place['in'][]; isBelow: boolean };

/** What looks for formats in one directory. `links` are those that lead from a fixed name to another file. */
type Search = Looked &
  LookedAt & {
    world: World;
    result: Found;
    byPath: Map<string, Candidate>;
    links: { candidate: Candidate; target: string }[];
  };

async function findRuleFiles({ where, merged, listings }: FindPlace, world: World): Promise<Found> {
  const result: Found = { candidates: [], warnings: [], evidence: [], searched: [] };
  const chosen = ruleFormats.filter(
    ({ name }) => where.formats.includes(name) && (merged.formats === undefined || merged.formats.includes(name)),
  );
  if (chosen.length === 0) return result;
  const byPath = new Map<string, Candidate>();
  const looked = directoriesOf(where, world);
  const owners = looked.flatMap(({ directory: { scope, owner } }) => (scope === 'global' ? [] : [owner]));
  await listReached(owners, world, listings);
  let missing: string | undefined;
  for (const each of looked) {
    const { owner } = each.directory;
    if (missing !== undefined && isInside(missing, owner)) continue;
    const isHome = each.directory.scope === 'global';
    const seen = isHome ? lookAtHome(world, result) : await lookInOwner(owner, world, { ...result, listings });
    if (seen.isMissing) missing = owner;
    const search: Search = { ...each, ...seen, ...{ world, result, byPath, links: [] } };
    for (const format of chosen)
      for (const place of format.places)
        if (each.kinds.includes(place.in) && place.firstOf.some(seen.mayHold)) await takePlace(format, place, search);
    for (const { candidate, target } of search.links)
      byPath.set(candidate.path, { ...candidate, ...(byPath.has(target) && { duplicateOf: target }) });
  }
  result.candidates = [...byPath.values()];
  return result;
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
    isInside(workingDirectory, parentPath(path)) ? directoriesBetween(workingDirectory, parentPath(path)).slice(1) : [],
  );
  return [
    ...outer,
    mounted,
    ...owners.map((owner) => looked(owner, ['every'])),
    ...[...new Set(below)].sort().map((owner) => looked(owner, ['every'], true)),
  ];
}

async function takePlace(format: RuleFormat, { firstOf, holds, read }: Place, search: Search): Promise<void> {
  const { directory, isBelow, kindOf, byPath, world } = search;
  const candidateAt = (path: string): Candidate => ({
    source: 'format' as const,
    format: format.name,
    ...{ path, directory, read, name: nameRuleFile(path, directory, world.mountedDirectory) },
    ...(isBelow && { isBelow }),
  });
  const take: TakeFile = (path, refusal) => {
    if (!byPath.has(path)) byPath.set(path, { ...candidateAt(path), ...(refusal && { refusal }) });
  };
  const [pattern] = firstOf.filter((path) => path.endsWith('*'));
  const names = pattern === undefined ? firstOf : search.namesLike(pattern.slice(0, -1));
  for (const path of names) {
    const isFolder = path.endsWith('/');
    const inOwner = isFolder ? path.slice(0, -1) : path;
    const kind = await kindOf(inOwner);
    if (kind === undefined || (kind === 'directory') !== isFolder) {
      if (isFolder && kind === 'symlink') warnOfLink(inOwner, format, search);
      continue;
    }
    const place = joinPath(directory.owner, inOwner);
    if (isFolder) await takeFolder(place, { holds, take }, search);
    else if (kind === 'symlink') await takeLink(candidateAt(place), take, search);
    else take(place, kind === 'file' ? undefined : 'not_regular_file');
    if (pattern === undefined) return;
  }
}

async function takeFolder(
  folder: string,
  { holds = () => true, take }: { holds: Place['holds']; take: TakeFile },
  { world, result }: Search,
): Promise<void> {
  const isHeld = (path: string): boolean => holds(relativePath(folder, path));
  const walk = await walkTree(folder, world, { enter: () => true, accept: isHeld });
  for (const { path, refusal, isDirectory } of walk.found) if (!isDirectory) take(path, refusal);
  result.evidence.push(...walk.evidence);
  for (const { path: directory } of walk.listed)
    result.searched.push({
      ...{ directory, key: folder },
      decides: (path, kind) => kind === 'directory' || isHeld(path),
    });
}

type TakeFile = (path: string, refusal?: Candidate['refusal']) => void;

/** FM-06: people share one text by a link from one fixed name to another. It is followed inside its granted root. */
async function takeLink(candidate: Candidate, take: TakeFile, { world, result, links }: Search): Promise<void> {
  const { path } = candidate;
  const { gate, reach, placing } = world;
  const real = await gate.realPath(path);
  if (!real.ok || !liesInRoots(real.realPath, rootsAround(path, reach.roots)))
    return take(path, real.ok ? 'outside_roots' : 'symlink');
  const stat = await gate.stat(real.realPath);
  result.evidence.push(`${path} → ${real.realPath}`);
  if (!stat.ok || stat.kind !== 'file') return take(path, 'symlink');
  links.push({ candidate: { ...candidate, isLink: true }, target: await placing(real.realPath) });
}

function warnOfLink(folder: string, { tool }: RuleFormat, { directory, result }: Search): void {
  const message = `This is a symbolic link, which is not followed; rules of ${tool} behind it are not used.`;
  result.warnings.push({ code: 'symlink', message, path: joinPath(directory.owner, folder) });
}
