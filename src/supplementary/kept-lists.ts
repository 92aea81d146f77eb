/**
 * The lists of what users added. They are stored by the real path of the mounted directory: one list for all its names
 * (AN-03). If a directory became a link, a list may also exist by the name in the request. That list is read, too, and
 * stays where it is, because the name may mean another directory on another machine, or later.
 */

import { isInside, joinPath, relativePath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import { realPlaceOf } from '../access/real-place.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { Files, Root } from '../ports/ports.ts';
import type {
  StoredSupplementaryItem,
  SupplementaryVerbs as StoreVerbs,
  SupplementaryStore,
} from '../ports/store/supplementary.ts';
import { fixedLimits } from '../settings.ts';

type Items = readonly StoredSupplementaryItem[];

/** Changes a list in one transaction. */
type ListWriter = Readonly<{
  append(item: StoredSupplementaryItem): Promise<void>;
  /** Each item stays in the list where it is stored. Resolves to the new list. */
  replace(items: Items): Promise<Items>;
}>;

/** The list of a directory. `place`: its real path, which is also used in the paths of items below it. */
export type KeptList = Readonly<{
  place: string;
  read(): Promise<Items>;
  /** `work` may run more than once, so it must have no effect except through `writer`. */
  change<Result>(work: (items: Items, writer: ListWriter) => Promise<Result>): Promise<Result>;
}>;

export type KeptLists = Readonly<{
  /** `mountedDirectory` is absolute and normalised, and need not exist. Its name is remembered. */
  open(mountedDirectory: string): Promise<KeptList>;
  /** Resolves to the name of the list with the item, or to `undefined` if there is no such item. */
  remove(id: string): Promise<string | undefined>;
  /** The name of a list and the names by which it was recently requested, if they are in a granted root. */
  namesOf(name: string, roots: readonly Root[]): readonly string[];
}>;

const { listPlaces, listNames } = fixedLimits.supplementary;

export function createKeptLists({
  store,
  realPath,
}: {
  store: SupplementaryStore;
  realPath: Files['realPath'];
}): KeptLists {
  const asked = createBoundedCache<readonly string[]>({ maxWeight: listPlaces * listNames, maxEntries: listPlaces });
  const remember = (place: string, name: string): void => {
    const known = asked.get(place) ?? [];
    const names = [...known.filter((each) => each !== name), name].slice(-listNames);
    asked.set(place, names, names.length);
  };

  return Object.freeze({
    async open(mountedDirectory) {
      const place = (await realPlaceOf(mountedDirectory, realPath)) ?? mountedDirectory;
      remember(place, mountedDirectory);
      return openList({ place, name: mountedDirectory }, store);
    },
    remove: (id) => store.remove(id),
    namesOf(name, roots) {
      const names = [...new Set([name, ...(asked.get(name) ?? [])])];
      // A link into a root may be anywhere.
      return isInRoots(name, roots) ? names : names.filter((each) => isInRoots(each, roots));
    },
  } satisfies KeptLists);
}

/** The real path of a directory, and its name in the request. */
type Named = { place: string; name: string };

function openList(named: Named, store: SupplementaryStore): KeptList {
  const { place, name } = named;
  const readBoth = async (reader: Pick<StoreVerbs, 'list'>): Promise<{ own: Items; other: Items }> => ({
    own: await reader.list(place),
    other: name === place ? [] : await reader.list(name),
  });
  return {
    place,
    read: async () => join(named, await readBoth(store)),
    change: (work) =>
      store.write(async (writer) => {
        const before = await readBoth(writer);
        return work(join(named, before), {
          append: (item) => writer.append(place, item),
          async replace(items) {
            const after = divide(named, { items, other: before.other });
            if (before.other.length > 0) await writer.replace(name, after.other);
            await writer.replace(place, after.own);
            return join(named, after);
          },
        });
      }),
  };
}

/** Joins both lists. Of an item in both, the one in the list of the real path is used. */
function join(named: Named, { own, other }: { own: Items; other: Items }): Items {
  const joined = new Map<string, StoredSupplementaryItem>();
  for (const item of [...own, ...other]) {
    const here = byRealName(named, item);
    if (!joined.has(keyOf(here))) joined.set(keyOf(here), here);
  }
  return [...joined.values()];
}

/** Divides a new list for storing: items that were stored by the other name stay there. */
function divide(named: Named, { items, other }: { items: Items; other: Items }): { own: Items; other: Items } {
  const order = new Map(items.map((item, at) => [keyOf(item), at]));
  const placeIn = (item: StoredSupplementaryItem): number => order.get(keyOf(byRealName(named, item))) ?? -1;
  const kept = other.filter((item) => placeIn(item) >= 0).toSorted((a, b) => placeIn(a) - placeIn(b));
  const ids = new Set(kept.map(({ id }) => id));
  return { own: items.filter(({ id }) => !ids.has(id)), other: kept };
}

function byRealName({ place, name }: Named, item: StoredSupplementaryItem): StoredSupplementaryItem {
  return isInside(name, item.path) ? { ...item, path: joinPath(place, relativePath(name, item.path)) } : item;
}

/** Equal for items of which a list may have only one. */
export function keyOf({ kind, path }: { kind: string; path: string }): string {
  return `${kind}:${path}`;
}
