/** What a user adds to the context of a workspace (SU-01 … SU-03), and the search that finds what to add. */

import { createHash, randomBytes } from 'node:crypto';
import { isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { loadFileExclusion } from '../context/file-exclusion.ts';
import { absolutePath, placePath } from '../context/normalize-request.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { once } from '../pace/deferred-verbs.ts';
import { anyVersion, type ExpectedVersion } from '../ports/expected-version.ts';
import type { StoredSupplementaryItem } from '../ports/store/supplementary.ts';
import { fixedLimits } from '../settings.ts';
import type { FileIndex } from './file-index.ts';
import type { createFileSearch, FileMatch } from './file-search.ts';
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
  /** In the order of the user; whether each can be used is found out now. Throws like `openWorkspace`. */
  list(mountedDirectory: string): Promise<SupplementaryList>;
  /**
   * At the end of the list; what is in it already is returned as it is, with `created` false. Throws like `openWorkspace`,
   * `path_outside_roots`, `limit_exceeded`.
   */
  add(addition: SupplementaryAddition): Promise<{ item: SupplementaryItem; created: boolean }>;
  /**
   * The whole list; there always is one, which may be empty. Throws like `openWorkspace`, `path_outside_roots`,
   * `version_mismatch`.
   */
  replace(replacement: SupplementaryReplacement, expected?: ExpectedVersion): Promise<SupplementaryList>;
  /** Throws `not_found`. */
  remove(id: string): Promise<void>;
  /** Whatever has become of the directory. Throws `invalid_request` and `version_mismatch`. */
  clear(mountedDirectory: string, expected?: ExpectedVersion): Promise<void>;
  /** The files of the workspace that fit a query, best first, as they are now. Throws like `openWorkspace`. */
  searchFiles(request: FileSearchRequest): Promise<FileSearchResult>;
}>;

/** `remember`: listeners are told of policies that hold in these directories. */
type SupplementaryParts = {
  index: FileIndex;
  remember?(mountedDirectory: string, directories: readonly string[], askedAtMs: number): void;
};

export function createSupplementaryVerbs(
  core: EngineCore,
  { index, remember }: SupplementaryParts,
): SupplementaryVerbs {
  const { clock, homeDirectory } = core;
  const store = core.store.supplementary;
  const changed = (mountedDirectory: string) => core.publish('supplementary-changed', { mountedDirectory });
  const newItem = (place: Pick<StoredSupplementaryItem, 'kind' | 'path'>): StoredSupplementaryItem => ({
    id: randomBytes(16).toString('hex'),
    ...place,
    addedAt: new Date(clock.now()).toISOString(),
  });

  return Object.freeze({
    async list(asWritten) {
      const askedAtMs = clock.now();
      const workspace = await core.openWorkspace(asWritten);
      const { mountedDirectory } = workspace;
      const list = await showList(await store.list(mountedDirectory), workspace);
      const inside = list.items.filter(({ path }) => isInside(mountedDirectory, path));
      const directories = new Set([mountedDirectory, ...inside.map(({ path }) => parentPath(path))]);
      remember?.(mountedDirectory, [...directories].slice(0, mostRemembered), askedAtMs);
      return list;
    },
    async add({ mountedDirectory: asWritten, kind, path }) {
      const workspace = await core.openWorkspace(asWritten);
      const { mountedDirectory } = workspace;
      const added = granted(await placed(path, '/path', workspace), '/path', workspace);
      const fresh = newItem({ kind, path: added });
      const item = await store.write(async (writer) => {
        const items = await writer.list(mountedDirectory);
        const known = items.find((item) => item.kind === kind && item.path === added);
        if (known) return known;
        checkRoom(items);
        await writer.append(mountedDirectory, fresh);
        return fresh;
      });
      const created = item === fresh;
      if (created) changed(mountedDirectory);
      return { item: await show(item, workspace), created };
    },
    async replace({ mountedDirectory: asWritten, items }, expected = anyVersion) {
      const workspace = await core.openWorkspace(asWritten);
      const { mountedDirectory } = workspace;
      const paths: string[] = [];
      for (const [at, { path }] of items.entries()) paths.push(await placed(path, `/items/${at}/path`, workspace));
      const written = await store.write(async (writer) => {
        const before = await writer.list(mountedDirectory);
        const known = new Map(before.map((item) => [keyOf(item), item]));
        const named = items.map(({ kind, path }, at) => {
          // What is in the list may stay there, also when its root is not granted any more.
          const isKnown = known.has(keyOf({ kind, path }));
          return { kind, path: isKnown ? path : granted(paths[at] as string, `/items/${at}/path`, workspace) };
        });
        checkVersion(before, expected);
        const after = new Map(named.map((item) => [keyOf(item), known.get(keyOf(item)) ?? newItem(item)]));
        const list = [...after.values()];
        await writer.replace(mountedDirectory, list);
        return list;
      });
      changed(mountedDirectory);
      return showList(written, workspace);
    },
    async remove(id) {
      const mountedDirectory = await store.remove(id);
      if (mountedDirectory === undefined) throw new ContextdError('not_found', 'There is no such item.');
      changed(mountedDirectory);
    },
    async clear(asWritten, expected = anyVersion) {
      const mountedDirectory = absolutePath(asWritten, '/mountedDirectory', homeDirectory);
      await store.write(async (writer) => {
        checkVersion(await writer.list(mountedDirectory), expected);
        await writer.replace(mountedDirectory, []);
      });
      changed(mountedDirectory);
    },
    searchFiles: createFileSearchVerb(core, index),
  } satisfies SupplementaryVerbs);
}

/** Directories of one list whose policies listeners are told of. */
const mostRemembered = 32;

type Workspace = { mountedDirectory: string; world: World };

function placed(path: string, pointer: string, { world }: Workspace): Promise<string> {
  return world.placing(placePath(path, pointer, world));
}

/** Throws `path_outside_roots`. */
function granted(absolute: string, pointer: string, { world }: Workspace): string {
  if (isInRoots(absolute, world.reach.roots)) return absolute;
  const message = 'The path lies in no granted root.';
  throw new ContextdError('path_outside_roots', message, [{ pointer, message }]);
}

/** The files of the workspace that fit a query; what searches is loaded when it is first needed. */
function createFileSearchVerb(core: EngineCore, index: FileIndex): SupplementaryVerbs['searchFiles'] {
  // Most daemons never search for files.
  const loadSearch = once(async (): Promise<ReturnType<typeof createFileSearch>> => {
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

/** The list of a workspace with what becomes of each item now. Nothing but the list is read. */
async function showList(stored: readonly StoredSupplementaryItem[], workspace: Workspace): Promise<SupplementaryList> {
  return { items: await Promise.all(stored.map((item) => show(item, workspace))), etag: etagOf(stored) };
}

async function show(item: StoredSupplementaryItem, { mountedDirectory, world }: Workspace): Promise<SupplementaryItem> {
  const usability = await judgeUsability(item.path, item.kind, world);
  return { ...item, relativePath: relativePath(mountedDirectory, item.path), ...usability };
}

function keyOf({ kind, path }: { kind: string; path: string }): string {
  return `${kind}:${path}`;
}

function checkRoom(items: readonly StoredSupplementaryItem[]): void {
  const most = fixedLimits.supplementary.items;
  if (items.length >= most)
    throw new ContextdError('limit_exceeded', `A list holds at most ${most} items; remove some.`);
}

function checkVersion(items: readonly StoredSupplementaryItem[], expected: ExpectedVersion): void {
  if (!expected(etagOf(items)))
    throw new ContextdError('version_mismatch', 'The list has changed since it was read. Read it again.');
}

/** What is stored, in its order; what becomes of the files does not count. */
function etagOf(items: readonly StoredSupplementaryItem[]): string {
  const text = JSON.stringify(items.map(({ id, kind, path }) => [id, kind, path]));
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
