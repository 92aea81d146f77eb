/** Finds existing files of other tools, by listings of the directories that may have them. */
import type { DirectorySnapshot } from '../../access/gate.ts';
import { baseName, isInside, joinPath, relativePath } from '../../access/paths.ts';
import type { World } from '../../access/world.ts';
import { onceForEach } from '../../pace/once-for-each.ts';
import type { PathKind } from '../../ports/ports.ts';
import { unreadableWarning } from '../../warnings.ts';
import { homePathsOf } from '../formats/choose-formats.ts';
import { ruleFormats } from '../formats/formats.ts';
import { serverLists } from '../server-lists/server-lists.ts';
import type { Found } from './source.ts';

/** The entries of a directory with names that are, or lead to, places of formats. */
type Kinds = ReadonlyMap<string, PathKind>;

/** The entries of one directory at the places of formats. */
export type LookedAt = {
  /** Whether it is the top of a git repository. */
  isRepository: boolean;
  /** Whether the first segment of a place exists. */
  mayHold(place: string): boolean;
  /** The kind of the file at a path below the directory. */
  kindOf(path: string): Promise<PathKind | 'behind_link' | undefined>;
  /** Names in the directory that begin like this. */
  namesLike(beginning: string): string[];
};

const segments = new Set(
  [
    ...ruleFormats.flatMap(({ places, named = [] }) => [
      ...places,
      ...named.map(({ settings }) => ({ firstOf: settings })),
    ]),
    ...serverLists,
  ].flatMap(({ firstOf }) => firstOf.flatMap((path) => path.split('/'))),
);
const beginnings = [...segments].flatMap((name) => (name.endsWith('*') ? name.slice(0, -1) : []));
const isNamed = (name: string): boolean =>
  name === '.git' || segments.has(name) || beginnings.some((beginning) => name.startsWith(beginning));

/** Places in the home directory by the directory they lie in, both relative to it. */
const homePlaces = Map.groupBy(
  ruleFormats.flatMap(({ name }) => homePathsOf([name]).map((path) => ({ format: name, path }))),
  ({ path }) => path.slice(0, path.lastIndexOf('/')),
);

/** Made once for each listing, because a directory can have very many entries. */
const kindsIn = onceForEach(({ path, entries }: DirectorySnapshot): Seen => {
  const kinds = new Map(entries.flatMap(({ name, kind }) => (isNamed(name) ? [[name, kind] as const] : [])));
  return { kinds, evidence: JSON.stringify([path, ...kinds]) };
}, new WeakMap());

/** The listings of one run: several working directories are below the same owners. */
export type SharedListings = Map<string, Promise<Seen>>;

type Seen = { kinds: Kinds; evidence: string; isUnreadable?: boolean };

const nothing: Kinds = new Map();

async function list(directory: string, { gate, reach }: World): Promise<Seen> {
  const listing = await gate.list(directory, reach);
  if (!listing.ok) {
    const { code } = listing;
    const isUnreadable = code === 'unreadable' || code === 'io_error';
    return { kinds: nothing, evidence: `${directory}:${code}`, isUnreadable };
  }
  reach.policies.notice(listing.snapshot);
  const seen = kindsIn(listing.snapshot);
  return listing.snapshot.truncated ? withUnlisted(seen, directory, gate) : seen;
}

/** In a directory with more entries than are listed, the fixed names are looked up one by one. */
async function withUnlisted({ kinds, evidence }: Seen, directory: string, { stat }: World['gate']): Promise<Seen> {
  const all = new Map(kinds);
  const missing = ['.git', ...segments].filter((name) => name !== '' && !name.endsWith('*') && !kinds.has(name));
  const stats = await Promise.all(missing.map((name) => stat(joinPath(directory, name))));
  for (const [index, found] of stats.entries()) if (found.ok) all.set(missing[index] as string, found.kind);
  return { kinds: all, evidence: `${evidence} ${JSON.stringify([...all])}` };
}

/** Lists all directories at once. They exist. */
export async function listAll(owners: readonly string[], world: World, listings: SharedListings): Promise<void> {
  for (const owner of owners) if (!listings.has(owner)) listings.set(owner, list(owner, world));
  await Promise.all(owners.map((owner) => listings.get(owner)));
}

/** Each directory is listed once in a run, and is evidence once for the owner. */
export async function lookInOwner(
  owner: string,
  world: World,
  { evidence, searched, warnings, listings }: Omit<Found, 'candidates'> & { listings: SharedListings },
): Promise<LookedAt> {
  const asked = new Set<string>();
  const seenIn = async (directory: string): Promise<Seen> => {
    const listing = listings.get(directory) ?? list(directory, world);
    listings.set(directory, listing);
    const seen = await listing;
    if (asked.size < asked.add(directory).size) {
      evidence.push(seen.evidence);
      // Of the owner itself its context directory tells.
      if (seen.isUnreadable && directory !== owner) warnings.push(unreadableWarning(directory));
      searched.push({ directory, key: 'formats', decides: (path) => isNamed(baseName(path)) });
    }
    return seen;
  };
  const kindOf: LookedAt['kindOf'] = async (path) => {
    const at = path.lastIndexOf('/');
    if (at >= 0) {
      const above = await kindOf(path.slice(0, at));
      if (above === 'symlink' && world.reach.followSymlinks) return undefined;
      if (above !== 'directory') return above === 'symlink' || above === 'behind_link' ? 'behind_link' : undefined;
    }
    const { kinds } = await seenIn(at < 0 ? owner : joinPath(owner, path.slice(0, at)));
    return kinds.get(path.slice(at + 1));
  };
  const { kinds } = await seenIn(owner);
  const namesLike = (beginning: string) => [...kinds.keys()].filter((name) => name.startsWith(beginning));
  const mayHold = (place: string): boolean =>
    kinds.size > 0 && (place.endsWith('*') ? namesLike(place.slice(0, -1)).length > 0 : kinds.has(firstOf(place)));
  return { isRepository: kinds.has('.git'), mayHold, kindOf, namesLike };
}

/**
 * In the home directory, only the places that count as granted are read, because they exist. Other places of `formats`
 * may appear later.
 */
export function lookAtHome(formats: readonly string[], world: World, { evidence, searched }: Found): LookedAt {
  const { homeDirectory, gate, reach } = world;
  const inHome = reach.roots.filter(({ path }) => isInside(homeDirectory, path));
  const granted = new Set(inHome.map(({ path }) => relativePath(homeDirectory, path)));
  for (const [directory, places] of homePlaces) {
    const decides = (path: string): boolean =>
      places.some((each) => formats.includes(each.format) && joinPath(homeDirectory, each.path) === path);
    searched.push({ directory: joinPath(homeDirectory, directory), key: 'home', isUngranted: true, decides });
  }
  const kindOf = async (path: string): Promise<PathKind | undefined> => {
    if (!granted.has(path)) return undefined;
    const place = joinPath(homeDirectory, path);
    const stat = await gate.stat(place);
    if (!stat.ok) return undefined;
    evidence.push(`${place}:${stat.kind}`);
    return stat.kind;
  };
  const mayHold = (place: string): boolean => granted.has(place.replace(/\/$/u, ''));
  return { isRepository: false, mayHold, kindOf, namesLike: () => [] };
}

function firstOf(place: string): string {
  const at = place.indexOf('/');
  return at < 0 ? place : place.slice(0, at);
}
