/** The workspace as rules of languages see it: names and settings through the gate, each looked at once per request. */
import type { World } from '../context/world.ts';
import type { FileSnapshot } from '../gate.ts';
import { baseName, isInside, parentPath } from '../paths.ts';
import { liesInRoots } from '../reach.ts';
import type { Lookup } from './imports/import.ts';
import { languageOf } from './imports/languages.ts';

/** Directories that are listed for one request, and files that are read to learn how imports resolve. */
const maxListings = 4_000;
const maxSettings = 2_000;

type Kind = 'file' | 'directory';
type Derived = WeakMap<FileSnapshot, Map<(text: string) => unknown, { value?: unknown }>>;

/** What was made of files stays as long as they are unchanged, for all requests. */
export function createLookups(): { open(mountedDirectory: string, world: World): Lookup } {
  const derived: Derived = new WeakMap();
  return { open: (mountedDirectory, world) => openLookup(mountedDirectory, world, derived) };
}

function openLookup(mountedDirectory: string, world: World, derived: Derived): Lookup {
  const { gate, reach, limits } = world;
  const listings = new Map<string, Promise<ReadonlyMap<string, Kind | 'link'>>>();
  const settings = new Map<string, Promise<FileSnapshot | undefined>>();

  const list = async (directory: string): Promise<ReadonlyMap<string, Kind | 'link'>> => {
    if (listings.size > maxListings) return new Map();
    const listed = await gate.list(directory, reach);
    if (!listed.ok) return new Map();
    const kinds = listed.snapshot.entries.map(({ name, kind }) => [name, kind === 'symlink' ? 'link' : kind] as const);
    return new Map(kinds.filter((each): each is [string, Kind | 'link'] => each[1] !== 'other'));
  };
  const kindsIn = (directory: string): Promise<ReadonlyMap<string, Kind | 'link'>> => {
    const known = listings.get(directory) ?? list(directory);
    listings.set(directory, known);
    return known;
  };
  /** A directory below which nothing was found need not be listed to know that nothing is there. */
  const kindOf = async (path: string): Promise<Kind | undefined> => {
    if (path === mountedDirectory) return 'directory';
    if (!isInside(mountedDirectory, path)) return undefined;
    const parent = parentPath(path);
    if (!listings.has(parent) && (await kindOf(parent)) !== 'directory') return undefined;
    const kind = (await kindsIn(parent)).get(baseName(path));
    if (kind !== 'link') return kind;
    if (!reach.followSymlinks) return undefined;
    const real = await gate.realPath(path);
    if (!real.ok || !liesInRoots(real.realPath, reach.roots)) return undefined;
    const stat = await gate.stat(real.realPath);
    return stat.ok && (stat.kind === 'file' || stat.kind === 'directory') ? stat.kind : undefined;
  };
  const read = async (path: string): Promise<FileSnapshot | undefined> => {
    if (settings.size > maxSettings || (await kindOf(path)) !== 'file') return undefined;
    // What a source file declares is content, though only paths come of it: a blocked one is not even opened (AP-06).
    const open = languageOf(path) === undefined ? gate.readSettings : gate.read;
    const content = await open(path, { ...reach, maxBytes: limits.configBytes });
    return content.ok && !content.snapshot.truncated ? content.snapshot : undefined;
  };
  const settingsAt = (path: string): Promise<FileSnapshot | undefined> => {
    const known = settings.get(path) ?? read(path);
    settings.set(path, known);
    return known;
  };
  return Object.freeze({
    mountedDirectory,
    isExhausted: () => listings.size > maxListings || settings.size > maxSettings,
    kindOf,
    async namesIn(directory: string) {
      if ((await kindOf(directory)) !== 'directory') return [];
      return [...(await kindsIn(directory)).keys()];
    },
    textOf: async (path: string) => (await settingsAt(path))?.text,
    async derive<Value>(path: string, make: (text: string) => Value): Promise<Value | undefined> {
      const snapshot = await settingsAt(path);
      if (snapshot?.text === undefined) return undefined;
      const made = derived.get(snapshot) ?? new Map<(text: string) => unknown, { value?: unknown }>();
      derived.set(snapshot, made);
      let outcome = made.get(make);
      if (outcome === undefined) {
        outcome = attempt(() => make(snapshot.text as string));
        made.set(make, outcome);
      }
      return outcome.value as Value | undefined;
    },
  });
}

/** A file that a tool of the workspace would not understand either says nothing. */
function attempt(make: () => unknown): { value?: unknown } {
  try {
    return { value: make() };
  } catch {
    return {};
  }
}
