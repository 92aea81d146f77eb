/** The workspace for the rules of languages: names and settings through the gate, each looked up once per request. */

import type { FileSnapshot } from '../access/gate.ts';
import { baseName, directoriesDown, isInside, parentPath, withOneSlash } from '../access/paths.ts';
import { liesInRoots } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { once } from '../pace/once-for-each.ts';
import { startDeadline } from '../pace/time-allowance.ts';
import { createPause, inTurns, type Pause, type Steps } from '../pace/turns.ts';
import type { Clock } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import type { Lookup } from './imports/import.ts';

const retrievalLimits = fixedLimits.retrieval;

type Kind = 'file' | 'directory';
type Kinds = ReadonlyMap<string, Kind | 'link'>;
type Derived = WeakMap<FileSnapshot, Map<(text: string) => unknown, Promise<unknown>>>;

type Asked = { path: string; kind: 'settings' | 'source' };

/** `isOver`: the caller no longer waits. */
type Question = { world: World; clock: Clock; isOver(): boolean };

/** Results for files are cached for all requests, while the files are unchanged. */
export function createLookups(): { open(mountedDirectory: string, question: Question): Lookup } {
  const derived: Derived = new WeakMap();
  return { open: (mountedDirectory, question) => openLookup(mountedDirectory, question, derived) };
}

function openLookup(mountedDirectory: string, { world, clock, isOver }: Question, derived: Derived): Lookup {
  const listings = new Map<string, Promise<Kinds>>();
  const links = createMetLinks(mountedDirectory, (directory) => listings.has(directory));
  const reads = new Map<string, Promise<FileSnapshot | undefined>>();
  const pause = createPause();
  const isLate = deadlineFromFirstLook(clock);
  const isEnded = (): boolean => isOver() || isLate();

  const kindsIn = (directory: string): Promise<Kinds> => {
    const known =
      listings.get(directory) ??
      (listings.size > retrievalLimits.listings ? Promise.resolve<Kinds>(new Map()) : listKinds(directory, world));
    listings.set(directory, known);
    return known;
  };
  /** The kind of entry at a path whose parent is a directory. */
  const kindBelow = async (parent: string, path: string): Promise<Kind | undefined> => {
    const kind = (await kindsIn(parent)).get(baseName(path));
    return kind === 'link' ? kindOfLink(path, world, links) : kind;
  };
  /** Checks from the top down, so that it need not look at the directories below a missing one, possibly hundreds. */
  const isDirectory = async (path: string): Promise<boolean> => {
    let parent = mountedDirectory;
    for (const directory of directoriesDown(mountedDirectory, path)) {
      if (!listings.has(directory) && (await kindBelow(parent, directory)) !== 'directory') return false;
      parent = directory;
    }
    return true;
  };
  const kindOf = async (path: string): Promise<Kind | undefined> => {
    if (path === mountedDirectory) return 'directory';
    if (!isInside(mountedDirectory, path)) return undefined;
    const turn = pause();
    if (turn) await turn;
    if (isEnded()) return undefined;
    const parent = parentPath(path);
    return listings.has(parent) || (await isDirectory(parent)) ? kindBelow(parent, path) : undefined;
  };
  /** Once. A file that is not there does not count. */
  const read = async (asked: Asked): Promise<FileSnapshot | undefined> => {
    const key = `${asked.kind} ${asked.path}`;
    if (!reads.has(key) && (await kindOf(asked.path)) !== 'file') return undefined;
    const reading = reads.get(key) ?? (reads.size > retrievalLimits.reads ? undefined : readWhole(asked, world));
    if (reading) reads.set(key, reading);
    return reading;
  };
  const deriveFrom = async <Made, Value>(
    asked: Asked,
    make: (text: string) => Made,
    finish: (made: Made) => Value | Promise<Value>,
  ): Promise<Value | undefined> => {
    const snapshot = await read(asked);
    const { text } = snapshot ?? {};
    if (snapshot === undefined || text === undefined || isEnded()) return undefined;
    const made = derived.get(snapshot) ?? new Map<(text: string) => unknown, Promise<unknown>>();
    derived.set(snapshot, made);
    const outcome = made.get(make) ?? attempt(async () => finish(make(text)), pause);
    made.set(make, outcome);
    return outcome as Promise<Value | undefined>;
  };
  return Object.freeze({
    mountedDirectory,
    isExhausted: () => listings.size > retrievalLimits.listings || reads.size > retrievalLimits.reads || isLate(),
    isBehindLink: (path: string) => links.isBehind(withOneSlash(path)),
    kindOf: (path: string) => kindOf(withOneSlash(path)),
    async namesIn(asked: string) {
      const directory = withOneSlash(asked);
      if ((await kindOf(directory)) !== 'directory') return [];
      return [...(await kindsIn(directory)).keys()];
    },
    derive: <Value>(path: string, make: (text: string) => Value) =>
      deriveFrom({ path: withOneSlash(path), kind: 'settings' }, make, (value) => value),
    deriveSource: <Value>(path: string, make: (text: string) => Steps<Value>) =>
      deriveFrom({ path: withOneSlash(path), kind: 'source' }, make, (steps) => inTurns(steps, pause)),
  });
}

async function readWhole({ path, kind }: Asked, { gate, reach, limits }: World): Promise<FileSnapshot | undefined> {
  const content =
    kind === 'settings'
      ? await gate.readSettings(path, { ...reach, maxBytes: limits.configBytes })
      : await gate.read(path, { ...reach, maxBytes: limits.fileBytes });
  return content.ok && !content.snapshot.truncated ? content.snapshot : undefined;
}

type MetLinks = ReturnType<typeof createMetLinks>;

/** The links that were met and are not followed. */
function createMetLinks(mountedDirectory: string, isListed: (directory: string) => boolean) {
  /** Each also without an extension that imports leave out, with a dot at the end. */
  const links = new Set<string>();
  /** By directory: many imports can share one, possibly hundreds of levels deep. */
  const behind = new Map<string, boolean>();
  /** Ends where nothing was listed: no link was met below. */
  const isDirectoryBehind = (directory: string): boolean => {
    for (const each of directoriesDown(mountedDirectory, directory)) {
      if (links.has(each)) return true;
      if (!isListed(each)) return false;
    }
    return false;
  };
  return {
    add: (path: string) => links.add(path).add(path.replace(/(?:\.d)?\.(?:[cm]?[jt]sx?|astro|json|svelte|vue)$/u, '.')),
    isBehind(path: string): boolean {
      if (links.size === 0 || !isInside(mountedDirectory, path)) return false;
      if ([path, `${path}.`, path.replace(/\.[cm]?jsx?$/u, '.')].some((each) => links.has(each))) return true;
      const parent = parentPath(path);
      const isThere = behind.get(parent) ?? isDirectoryBehind(parent);
      behind.set(parent, isThere);
      return isThere;
    },
  };
}

/** The kind of what a link leads to, if links are followed, and to there. */
async function kindOfLink(path: string, { gate, reach }: World, links: MetLinks): Promise<Kind | undefined> {
  const kind = reach.followSymlinks ? await kindBehind(path, { gate, reach }) : undefined;
  if (kind === undefined) links.add(path);
  return kind;
}

async function kindBehind(path: string, { gate, reach }: Pick<World, 'gate' | 'reach'>): Promise<Kind | undefined> {
  const real = await gate.realPath(path);
  if (!real.ok || !liesInRoots(real.realPath, reach.roots)) return undefined;
  const stat = await gate.stat(real.realPath);
  return stat.ok && (stat.kind === 'file' || stat.kind === 'directory') ? stat.kind : undefined;
}

function deadlineFromFirstLook(clock: Clock): () => boolean {
  const deadline = once(() => startDeadline(clock, retrievalLimits.lookMs));
  return () => deadline()();
}

/** The entries of a directory. Empty if it cannot be listed. */
async function listKinds(directory: string, { gate, reach }: World): Promise<Kinds> {
  const listed = await gate.list(directory, reach);
  if (!listed.ok) return new Map();
  const kinds = listed.snapshot.entries.map(({ name, kind }) => [name, kind === 'symlink' ? 'link' : kind] as const);
  return new Map(kinds.filter((each): each is [string, Kind | 'link'] => each[1] !== 'other'));
}

/** A file that its own tool would not understand either counts as empty. */
async function attempt(make: () => Promise<unknown>, pause: Pause): Promise<unknown> {
  const turn = pause();
  if (turn) await turn;
  return make().catch(() => undefined);
}
