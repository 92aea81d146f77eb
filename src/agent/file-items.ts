/** Context files as items (AG-02, AG-03). */

import type { World } from '../access/world.ts';
import type { ContextFile } from '../context/context-file.ts';
import type { ParsedFiles } from '../context/parsed-file.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { type CatalogItem, createItem } from './catalog-item.ts';

/** A context file and the name it has among the items of an agent. */
export type NamedFile = { file: ContextFile; name: string };

type FileItems = {
  /**
   * The items, in the same order; `undefined` for a file that is not as it was resolved: changed since, or gone. A file
   * that gave an item before is not read again.
   */
  load(files: readonly NamedFile[], openWorld: () => Promise<World>): Promise<(CatalogItem | undefined)[]>;
};

/** `maxWeight` in UTF-16 code units of text. */
const keptItems = { maxWeight: 48 * 1024 * 1024, maxEntries: 20_000 };
const parallelReads = 32;

export function createFileItems(parsedFiles: ParsedFiles): FileItems {
  const kept = createBoundedCache<{ version: string; item: CatalogItem }>(keptItems);

  return {
    async load(files, openWorld) {
      const items = files.map((named) => {
        const before = kept.get(keyOf(named));
        return before?.version === versionOf(named) ? before.item : undefined;
      });
      const missing = items.flatMap((item, index) => (item === undefined ? [index] : []));
      if (missing.length === 0) return items;
      const world = await openWorld();
      for (let at = 0; at < missing.length; at += parallelReads) {
        const batch = missing.slice(at, at + parallelReads).map(async (index) => {
          const named = files[index] as NamedFile;
          const text = await readBody(named.file, { parsedFiles, world });
          if (text === undefined) return;
          const item = itemOfFile(named, text);
          items[index] = item;
          kept.set(keyOf(named), { version: versionOf(named), item }, 1_024 + text.length);
        });
        await Promise.all(batch);
      }
      return items;
    },
  };
}

async function readBody(
  { path, sha256 }: ContextFile,
  { parsedFiles, world }: { parsedFiles: ParsedFiles; world: World },
): Promise<string | undefined> {
  const read = await world.gate.read(path, { ...world.reach, maxBytes: world.limits.fileBytes });
  if (!read.ok || read.snapshot.sha256 !== sha256 || read.snapshot.text === undefined) return undefined;
  return parsedFiles.parse(read.snapshot).source.body;
}

function itemOfFile({ file, name }: NamedFile, text: string): CatalogItem {
  const { type, description, priority, path, relativePath } = file;
  return createItem({
    type,
    name,
    include: includeOf(file),
    description,
    priority,
    source: 'file',
    path,
    relativePath,
    text,
  });
}

/** What stays when the file changes, so that an item takes the place of the one before it. */
function keyOf({ file: { path, relativePath }, name }: NamedFile): string {
  return JSON.stringify([name, path, relativePath]);
}

/** Everything else that an item says; the body follows from the bytes, which the hash stands for. */
function versionOf({ file }: NamedFile): string {
  const { sha256, type, description, priority } = file;
  return JSON.stringify([sha256, type, includeOf(file), description, priority]);
}

/** What a configuration includes from outside its repository comes in only where somebody asks for it by name. */
function includeOf({ trigger, reason }: ContextFile): ContextFile['trigger'] {
  return reason.code === 'outside_repository' ? 'manual' : trigger;
}
