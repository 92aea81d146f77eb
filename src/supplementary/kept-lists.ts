/**
 * What users added, by where a mounted directory really lies: one list for all its names (AN-03). Lists that were stored by
 * other names before belong to it: they are read with it, and become part of it when it is changed.
 */

import { isInside, joinPath, relativePath } from '../access/paths.ts';
import { realPlaceOf } from '../access/real-place.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { once } from '../pace/deferred-verbs.ts';
import type { Files } from '../ports/ports.ts';
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
  replace(items: Items): Promise<void>;
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
  /** Resolves to the real name of the directory in whose list the item was; undefined when there is no such item. */
  remove(id: string): Promise<string | undefined>;
  /** The names by which the list of a place was asked for of late, and its own. */
  namesOf(place: string): readonly string[];
}>;

const { listPlaces, listNames, placesMs } = fixedLimits.supplementary;

export function createKeptLists({
  store,
  realPath,
}: {
  store: SupplementaryStore;
  realPath: Files['realPath'];
}): KeptLists {
  const placeOf = async (name: string): Promise<string> => (await realPlaceOf(name, realPath)) ?? name;
  /** By other names than their own; nothing is stored by such a name any more. */
  const otherNames = once(async (): Promise<Map<string, string>> => {
    const names = await store.directories();
    const places = await Promise.all(names.map((name) => within(placesMs, placeOf(name))));
    return new Map(names.flatMap((name, at) => ((places[at] ?? name) === name ? [] : [[name, places[at] as string]])));
  });
  const asked = createBoundedCache<readonly string[]>({ maxWeight: listPlaces * listNames, maxEntries: listPlaces });
  const remember = (place: string, name: string): void => {
    const known = asked.get(place) ?? [];
    const names = [...known.filter((each) => each !== name), name].slice(-listNames);
    asked.set(place, names, names.length);
  };
  const listAt = (place: string, name = place): KeptList => {
    const namesHere = async (): Promise<string[]> => {
      const others = [...(await otherNames())].flatMap(([other, itsPlace]) => (itsPlace === place ? [other] : []));
      return [...new Set([place, ...others, name])];
    };
    const readAll = (names: readonly string[], reader: Pick<StoreVerbs, 'list'>): Promise<Items[]> =>
      Promise.all(names.map((each) => reader.list(each)));
    return {
      place,
      async read() {
        const names = await namesHere();
        return join(names, await readAll(names, store));
      },
      async change(work) {
        const names = await namesHere();
        const result = await store.write(async (writer) => {
          const lists = await readAll(names, writer);
          const items = join(names, lists);
          const emptied = names.filter((_, at) => at > 0 && lists[at]?.length !== 0);
          for (const each of emptied) await writer.replace(each, []);
          if (emptied.length > 0) await writer.replace(place, items);
          return work(items, {
            append: (item) => writer.append(place, item),
            replace: (after) => writer.replace(place, after),
          });
        });
        for (const each of names) (await otherNames()).delete(each);
        return result;
      },
    };
  };

  return Object.freeze({
    async open(mountedDirectory) {
      const place = await placeOf(mountedDirectory);
      remember(place, mountedDirectory);
      return listAt(place, mountedDirectory);
    },
    async remove(id) {
      // What two lists of one place have is one item, which must not be left in the other.
      for (const place of new Set((await otherNames()).values())) await listAt(place).change(async () => {});
      const name = await store.remove(id);
      return name === undefined ? undefined : placeOf(name);
    },
    namesOf: (place) => [...new Set([place, ...(asked.get(place) ?? [])])],
  } satisfies KeptLists);
}

/** Lists of one place, the first by its real name, as one: what is in several is in it once. */
function join(names: readonly string[], lists: readonly Items[]): Items {
  const place = names[0] as string;
  const joined = new Map<string, StoredSupplementaryItem>();
  for (const [at, items] of lists.entries()) {
    const name = names[at] as string;
    for (const item of items) {
      const path = isInside(name, item.path) ? joinPath(place, relativePath(name, item.path)) : item.path;
      const key = `${item.kind}:${path}`;
      if (!joined.has(key)) joined.set(key, { ...item, path });
    }
  }
  return [...joined.values()];
}

/** Undefined where it takes longer, as on a mount whose server is gone. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
