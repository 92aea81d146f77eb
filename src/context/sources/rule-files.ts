/** Files of other tools, read where they lie (FM-01 … FM-06). */
import type { DirectorySnapshot } from '../../access/gate.ts';
import { baseName, directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { liesInRoots, rootsAround } from '../../access/reach.ts';
import { walkTree } from '../../access/walk.ts';
import type { World } from '../../access/world.ts';
import type { FileKind } from '../../ports/ports.ts';
import type { Candidate } from '../candidate.ts';
import { type ContextDirectory, levelsBelow, ownersBetween } from '../directories.ts';
import type { Place, RuleFormat } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';
import { nameRuleFile } from '../names.ts';
import type { ContextSource, FindPlace, Found, Where } from './source.ts';

export const ruleFiles: ContextSource = { find: findRuleFiles };

/** A directory in which formats are looked for. `isBelow`: below the working one, on the way to a file in play. */
type Looked = { directory: ContextDirectory; kinds: readonly Place['in'][]; isBelow: boolean };

/** What looks for formats in one directory. `links` are those that lead from a fixed name to another file. */
type Search = Looked & {
  world: World;
  kindOf: KindOf;
  /** Names right in the directory that begin so. */
  namesLike(beginning: string): Promise<string[]>;
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
  let missing: string | undefined;
  for (const looked of directoriesOf(where, world)) {
    const { owner } = looked.directory;
    if (missing !== undefined && isInside(missing, owner)) continue;
    const isHome = looked.directory.scope === 'global';
    const { isThere, ...seen } = isHome
      ? createHomeKinds(world, result)
      : createKindOf(owner, world, { ...result, listings });
    if (!(await isThere())) missing = owner;
    const search: Search = { ...looked, ...seen, ...{ world, result, byPath, links: [] } };
    for (const format of chosen)
      for (const place of format.places) if (looked.kinds.includes(place.in)) await takePlace(format, place, search);
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
  const names = pattern === undefined ? firstOf : await search.namesLike(pattern.slice(0, -1));
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

/** What is in a directory at names that are, or lead to, the place of a format; by their names. */
type Kinds = ReadonlyMap<string, FileKind>;

/** What is at a path below an owner. */
type KindOf = (path: string) => Promise<FileKind | undefined>;

const segments = new Set(
  ruleFormats.flatMap(({ places }) => places.flatMap(({ firstOf }) => firstOf.flatMap((path) => path.split('/')))),
);
const beginnings = [...segments].flatMap((name) => (name.endsWith('*') ? name.slice(0, -1) : []));
const isNamed = (name: string): boolean =>
  segments.has(name) || beginnings.some((beginning) => name.startsWith(beginning));

const known = new WeakMap<DirectorySnapshot['entries'], Seen>();

/** Made once for each listing: a directory can have very many entries. */
function kindsIn({ path, entries }: DirectorySnapshot): Seen {
  const before = known.get(entries);
  if (before) return before;
  const kinds = new Map(entries.flatMap(({ name, kind }) => (isNamed(name) ? [[name, kind] as const] : [])));
  const made = { kinds, evidence: JSON.stringify([path, ...kinds]) };
  known.set(entries, made);
  return made;
}

/** Listings of one run: several working directories lie below the same owners. */
export type SharedListings = Map<string, Promise<Seen>>;

type Seen = { kinds: Kinds; evidence: string; isMissing?: boolean };

const nothing: Kinds = new Map();

async function list(directory: string, { gate, reach, leftOut }: World): Promise<Seen> {
  const listing = await gate.list(directory, reach);
  if (!listing.ok) {
    const { code } = listing;
    return { kinds: nothing, evidence: `${directory}:${code}`, isMissing: code === 'not_found' };
  }
  if (listing.snapshot.truncated) leftOut.entries += 1;
  reach.policies.notice(listing.snapshot);
  return kindsIn(listing.snapshot);
}

/** What lies below an owner. Each directory is listed once in a run, and is evidence once for the owner. */
function createKindOf(
  owner: string,
  world: World,
  { evidence, searched, listings }: Pick<Found, 'evidence' | 'searched'> & { listings: SharedListings },
): Pick<Search, 'kindOf' | 'namesLike'> & { isThere(): Promise<boolean> } {
  const asked = new Set<string>();
  const seenIn = async (directory: string): Promise<Seen> => {
    const listing = listings.get(directory) ?? list(directory, world);
    listings.set(directory, listing);
    const seen = await listing;
    if (asked.size < asked.add(directory).size) {
      evidence.push(seen.evidence);
      searched.push({ directory, key: 'formats', decides: (path) => isNamed(baseName(path)) });
    }
    return seen;
  };
  const kindOf = async (path: string): Promise<FileKind | undefined> => {
    const at = path.lastIndexOf('/');
    if (at >= 0) {
      const above = await kindOf(path.slice(0, at));
      if (above !== 'directory') return above === 'symlink' ? above : undefined;
    }
    const { kinds } = await seenIn(at < 0 ? owner : joinPath(owner, path.slice(0, at)));
    return kinds.get(path.slice(at + 1));
  };
  return {
    kindOf,
    namesLike: async (beginning) =>
      [...(await seenIn(owner)).kinds.keys()].filter((name) => name.startsWith(beginning)),
    isThere: async () => (await seenIn(owner)).isMissing !== true,
  };
}

/** Of the home directory only the places are looked at that count as granted, because they are there. */
function createHomeKinds(world: World, { evidence, searched }: Found): ReturnType<typeof createKindOf> {
  const { homeDirectory, gate, reach } = world;
  const kindOf = async (path: string): Promise<FileKind | undefined> => {
    const place = joinPath(homeDirectory, path);
    const isGranted = reach.roots.some((root) => root.path === place);
    const stat = isGranted ? await gate.stat(place) : undefined;
    if (!stat?.ok) return undefined;
    evidence.push(`${place}:${stat.kind}`);
    searched.push({ directory: parentPath(place), key: place, decides: (found) => found === place });
    return stat.kind;
  };
  return { kindOf, namesLike: async () => [], isThere: async () => true };
}
