/**
 * What users added, by where a mounted directory really lies: one list for all its names (AN-03). What is stored by the very
 * name of a request is read with it, as where a directory has become a link; it stays there, since on another machine, or
 * one day, that name may be another directory.
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

/** What changes a list, in one transaction. */
type ListWriter = Readonly<{
  append(item: StoredSupplementaryItem): Promise<void>;
  /** Each item stays where it is stored. Resolves to the list as it is read from now on. */
  replace(items: Items): Promise<Items>;
}>;

/** The list of a directory, `place` by its real name. Paths below it are by that name too. */
export type KeptList = Readonly<{
  place: string;
  read(): Promise<Items>;
  /** `work` may run more than once, so that it must have no effect but by `writer`. */
  change<Result>(work: (items: Items, writer: ListWriter) => Promise<Result>): Promise<Result>;
}>;

export type KeptLists = Readonly<{
  /** `mountedDirectory` is absolute and normalised, and need not be there. Its name is remembered. */
  open(mountedDirectory: string): Promise<KeptList>;
  /** Resolves to the name by which the item was stored; undefined when there is no such item. */
  remove(id: string): Promise<string | undefined>;
  /** By which what is stored by this name was asked for of late, and this name: those that lie in a granted root. */
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
      // A link that leads into a root may lie anywhere.
      return isInRoots(name, roots) ? names : names.filter((each) => isInRoots(each, roots));
    },
  } satisfies KeptLists);
}

/** Where a directory really lies, and what the request calls it. */
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

/** Both lists as one; what is in both is in it once, as it is stored by the real name. */
function join(named: Named, { own, other }: { own: Items; other: Items }): Items {
  const joined = new Map<string, StoredSupplementaryItem>();
  for (const item of [...own, ...other]) {
    const here = byRealName(named, item);
    if (!joined.has(keyOf(here))) joined.set(keyOf(here), here);
  }
  return [...joined.values()];
}

/** A new list as it is stored: what was stored by the other name stays there as far as it is in the list. */
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

/** Equal where a list may have only one of two items. */
export function keyOf({ kind, path }: { kind: string; path: string }): string {
  return `${kind}:${path}`;
}
