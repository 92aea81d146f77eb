/** The verbs of supplementary context (SU-01 … SU-03), and the search for files to add. */

import { hash, randomBytes } from 'node:crypto';
import { isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import { type RequestNames, requestNames } from '../access/request-names.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { loadFileExclusion } from '../context/file-exclusion.ts';
import { absolutePath, placePath } from '../context/normalize-request.ts';
import type { EngineCore, Workspace } from '../engine-core.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { loadOnce } from '../pace/deferred-verbs.ts';
import { anyVersion, type ExpectedVersion } from '../ports/expected-version.ts';
import type { StoredSupplementaryItem } from '../ports/store/supplementary.ts';
import { fixedLimits } from '../settings.ts';
import type { FileIndex } from './file-index.ts';
import type { createFileSearch, FileMatch } from './file-search.ts';
import { type KeptList, type KeptLists, keyOf } from './kept-lists.ts';
import type {
  FileSearchRequest,
  FileSearchResult,
  FoundFile,
  SupplementaryAddition,
  SupplementaryItem,
  SupplementaryList,
  SupplementaryReplacement,
} from './supplementary-item.ts';
import { judgeUsability } from './usability.ts';

export type SupplementaryVerbs = Readonly<{
  /** In the order of the user. Checks for each item whether it can be used now. Throws like `openWorkspace`. */
  list(mountedDirectory: string): Promise<SupplementaryList>;
  /**
   * Adds to the end of the list. If the item is in it already, it is returned with `created: false`. Throws like
   * `openWorkspace`, `path_outside_roots`, `limit_exceeded`.
   */
  add(addition: SupplementaryAddition): Promise<{ item: SupplementaryItem; created: boolean }>;
  /**
   * Replaces the whole list. There always is one, which may be empty. Throws like `openWorkspace`,
   * `path_outside_roots`, `version_mismatch`.
   */
  replace(replacement: SupplementaryReplacement, expected?: ExpectedVersion): Promise<SupplementaryList>;
  /** Throws `not_found`. */
  remove(id: string): Promise<void>;
  /** The directory need not exist any more. Throws `invalid_request` and `version_mismatch`. */
  clear(mountedDirectory: string, expected?: ExpectedVersion): Promise<void>;
  /** The present files of the workspace that match a query, best first. Throws like `openWorkspace`. */
  searchFiles(request: FileSearchRequest): Promise<FileSearchResult>;
}>;

/** `remember`: listeners get events about policies for these directories. */
type SupplementaryParts = {
  index: FileIndex;
  lists: KeptLists;
  remember(mountedDirectory: string, directories: readonly string[], askedAtMs: number): void;
};

export function createSupplementaryVerbs(
  core: EngineCore,
  { index, lists, remember }: SupplementaryParts,
): SupplementaryVerbs {
  const { clock, homeDirectory } = core;
  const open = async (asWritten: string): Promise<Opened> => {
    const workspace = await core.openWorkspace(asWritten);
    const list = await lists.open(workspace.mountedDirectory);
    const { mountedDirectory, world } = workspace;
    const mounted = { path: mountedDirectory, realPath: list.place };
    return { ...workspace, list, names: requestNames(mounted, world.reach.roots) };
  };
  /** Events use the names by which callers asked for the list. */
  const changed = (name: string, { reach }: World): void => {
    for (const mountedDirectory of lists.namesOf(name, reach.roots))
      core.publish('supplementary-changed', { mountedDirectory });
  };
  const newItem = (place: NamedItem): StoredSupplementaryItem => ({
    id: randomBytes(16).toString('hex'),
    ...place,
    addedAt: new Date(clock.now()).toISOString(),
  });

  return Object.freeze({
    async list(asWritten) {
      const askedAtMs = clock.now();
      const opened = await open(asWritten);
      const { mountedDirectory } = opened;
      const list = await showList(await opened.list.read(), opened);
      const inside = list.items.filter(({ path }) => isInside(mountedDirectory, path));
      const directories = new Set([mountedDirectory, ...inside.map(({ path }) => parentPath(path))]);
      remember(mountedDirectory, [...directories].slice(0, maxRemembered), askedAtMs);
      return list;
    },
    async add({ mountedDirectory: asWritten, kind, path }) {
      const opened = await open(asWritten);
      const { list, names } = opened;
      const added = granted(await placed(path, '/path', opened), '/path', opened);
      const fresh = newItem({ kind, path: names.real(added) });
      const item = await list.change(async (items, writer) => {
        const known = items.find((item) => keyOf(item) === keyOf(fresh));
        if (known) return known;
        checkRoom(items);
        await writer.append(fresh);
        return fresh;
      });
      const created = item === fresh;
      if (created) changed(list.place, opened.world);
      return { item: await show(item, opened), created };
    },
    async replace({ mountedDirectory: asWritten, items }, expected = anyVersion) {
      const opened = await open(asWritten);
      const { list } = opened;
      const named = await nameItems(items, opened);
      const written = await list.change(async (before, writer) => {
        const after = mergeItems(before, named, { opened, newItem });
        checkVersion(before, expected);
        return writer.replace(after);
      });
      changed(list.place, opened.world);
      return showList(written, opened);
    },
    async remove(id) {
      const name = await lists.remove(id);
      if (name === undefined) throw new ContextdError('not_found', 'There is no such item.');
      changed(name, await core.createWorld(name));
    },
    async clear(asWritten, expected = anyVersion) {
      const mountedDirectory = absolutePath(asWritten, '/mountedDirectory', homeDirectory);
      const world = await core.createWorld(mountedDirectory);
      const list = await lists.open(mountedDirectory);
      await list.change(async (items, writer) => {
        checkVersion(items, expected);
        await writer.replace([]);
      });
      changed(list.place, world);
    },
    searchFiles: createFileSearchVerb(core, index),
  } satisfies SupplementaryVerbs);
}

/** Max directories per list about whose policies listeners get events. */
const maxRemembered = 32;

type Opened = Workspace & { list: KeptList; names: RequestNames };

function placed(path: string, pointer: string, { world }: Workspace): Promise<string> {
  return world.placing(placePath(path, pointer, world));
}

type NamedItem = Pick<StoredSupplementaryItem, 'kind' | 'path'>;

async function nameItems(items: readonly NamedItem[], opened: Opened): Promise<NamedItem[]> {
  const named: NamedItem[] = [];
  for (const [at, { kind, path }] of items.entries())
    named.push({ kind, path: await placed(path, `/items/${at}/path`, opened) });
  return named;
}

/** A list of the named items without duplicates. Items that were in it before are kept. Throws `path_outside_roots`. */
function mergeItems(
  before: readonly StoredSupplementaryItem[],
  named: readonly NamedItem[],
  { opened, newItem }: { opened: Opened; newItem(place: NamedItem): StoredSupplementaryItem },
): StoredSupplementaryItem[] {
  const known = new Map(before.map((item) => [keyOf(item), item]));
  const after = new Map<string, StoredSupplementaryItem>();
  for (const [at, { kind, path }] of named.entries()) {
    const item = { kind, path: opened.names.real(path) };
    // Items of the list may stay, even if their root is no longer granted.
    if (!known.has(keyOf(item))) granted(path, `/items/${at}/path`, opened);
    after.set(keyOf(item), known.get(keyOf(item)) ?? newItem(item));
  }
  return [...after.values()];
}

/** Throws `path_outside_roots`. */
function granted(absolute: string, pointer: string, { world }: Workspace): string {
  if (isInRoots(absolute, world.reach.roots)) return absolute;
  throw refuseField('path_outside_roots', pointer, 'The path lies in no granted root.');
}

/** The files of the workspace that match a query. The code of the search is loaded when first needed. */
function createFileSearchVerb(core: EngineCore, index: FileIndex): SupplementaryVerbs['searchFiles'] {
  // Most daemons never search for files.
  const loadSearch = loadOnce(async (): Promise<ReturnType<typeof createFileSearch>> => {
    const module = await import('./file-search.ts');
    return module.createFileSearch({ clock: core.clock });
  });

  return async ({ mountedDirectory: asWritten, query, limit = 100 }) => {
    const { mountedDirectory, world } = await core.openWorkspace(asWritten);
    const listing = await index.look(mountedDirectory, world);
    const exclude = await loadFileExclusion(mountedDirectory, world, core.settings);
    const search = await loadSearch();
    const { matches, warnings } = await search.search(listing, query, {
      limit,
      isLeftOut: (relativePath) => exclude(joinPath(mountedDirectory, relativePath)) !== undefined,
    });
    const show = async ({ relativePath, score }: FileMatch): Promise<FoundFile> => {
      const path = joinPath(mountedDirectory, relativePath);
      return { path, relativePath, score, ...(await judgeUsability(path, 'file', world)) };
    };
    const files = await Promise.all(matches.map(show));
    return {
      files,
      warnings: [...listing.warnings, ...warnings, ...warningsOfLimits(world), ...world.reach.policies.warnings()],
    };
  };
}

/** The list of a workspace with the present state of each item. Reads only the list. */
async function showList(kept: readonly StoredSupplementaryItem[], opened: Opened): Promise<SupplementaryList> {
  return { items: await Promise.all(kept.map((item) => show(item, opened))), etag: etagOf(kept) };
}

async function show(item: StoredSupplementaryItem, opened: Opened): Promise<SupplementaryItem> {
  const { mountedDirectory, world, names } = opened;
  const path = names.shown(item.path);
  const usability = await judgeUsability(path, item.kind, world);
  return { ...item, path, relativePath: relativePath(mountedDirectory, path), ...usability };
}

function checkRoom(items: readonly StoredSupplementaryItem[]): void {
  const max = fixedLimits.supplementary.items;
  if (items.length >= max) throw new ContextdError('limit_exceeded', `A list holds at most ${max} items; remove some.`);
}

function checkVersion(items: readonly StoredSupplementaryItem[], expected: ExpectedVersion): void {
  if (!expected(etagOf(items)))
    throw new ContextdError('version_mismatch', 'The list has changed since it was read. Read it again.');
}

/** Depends only on the stored items and their order, not on the state of the files. */
function etagOf(items: readonly StoredSupplementaryItem[]): string {
  const text = JSON.stringify(items.map(({ id, kind, path }) => [id, kind, path]));
  return hash('sha256', text).slice(0, 32);
}
