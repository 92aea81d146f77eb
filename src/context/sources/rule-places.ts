/** What is there of files of other tools, by listings of the directories that may hold them. */
import type { DirectorySnapshot } from '../../access/gate.ts';
import { baseName, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import type { World } from '../../access/world.ts';
import type { FileKind } from '../../ports/ports.ts';
import { ruleFormats } from '../formats/formats.ts';
import type { Found } from './source.ts';

/** What is in a directory at names that are, or lead to, the place of a format; by their names. */
type Kinds = ReadonlyMap<string, FileKind>;

/** What one directory holds at the places of formats. */
export type LookedAt = {
  isMissing: boolean;
  /** Whether something is at the beginning of a place. */
  mayHold(place: string): boolean;
  /** What is at a path below the directory. */
  kindOf(path: string): Promise<FileKind | undefined>;
  /** Names right in the directory that begin so. */
  namesLike(beginning: string): string[];
};

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

/** Lists those at once of which it is known by now that they are there. */
export async function listReached(owners: readonly string[], world: World, listings: SharedListings): Promise<void> {
  const { mountedDirectory, onTheWay } = world;
  const reached = owners.filter((owner) => owner === mountedDirectory || onTheWay.get(owner) === 'reached');
  for (const owner of reached) if (!listings.has(owner)) listings.set(owner, list(owner, world));
  await Promise.all(reached.map((owner) => listings.get(owner)));
}

/** Each directory is listed once in a run, and is evidence once for the owner. */
export async function lookInOwner(
  owner: string,
  world: World,
  { evidence, searched, listings }: Pick<Found, 'evidence' | 'searched'> & { listings: SharedListings },
): Promise<LookedAt> {
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
  const { kinds, isMissing = false } = await seenIn(owner);
  const namesLike = (beginning: string) => [...kinds.keys()].filter((name) => name.startsWith(beginning));
  const mayHold = (place: string): boolean =>
    place.endsWith('*') ? namesLike(place.slice(0, -1)).length > 0 : kinds.has(firstOf(place));
  return { isMissing, mayHold, kindOf, namesLike };
}

/** Of the home directory only the places are looked at that count as granted, because they are there. */
export function lookAtHome(world: World, { evidence, searched }: Found): LookedAt {
  const { homeDirectory, gate, reach } = world;
  const inHome = reach.roots.filter(({ path }) => isInside(homeDirectory, path));
  const granted = new Set(inHome.map(({ path }) => relativePath(homeDirectory, path)));
  const kindOf = async (path: string): Promise<FileKind | undefined> => {
    if (!granted.has(path)) return undefined;
    const place = joinPath(homeDirectory, path);
    const stat = await gate.stat(place);
    if (!stat.ok) return undefined;
    evidence.push(`${place}:${stat.kind}`);
    searched.push({ directory: parentPath(place), key: place, decides: (found) => found === place });
    return stat.kind;
  };
  const mayHold = (place: string): boolean => granted.has(place.replace(/\/$/u, ''));
  return { isMissing: false, mayHold, kindOf, namesLike: () => [] };
}

function firstOf(place: string): string {
  const at = place.indexOf('/');
  return at < 0 ? place : place.slice(0, at);
}
