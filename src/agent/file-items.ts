/** Context files as items (AG-02, AG-03). */

import type { ContextFile } from '../context/context-file.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { type CatalogItem, createItem } from './catalog-item.ts';

/** A context file with its body, and the name it has among the items of an agent. */
export type NamedFile = { file: ContextFile; name: string; text: string };

/** `maxWeight` counts UTF-16 code units of text. The gate keeps most of these texts too. */
const keptItems = { maxWeight: 96 * 1024 * 1024, maxEntries: 20_000 };

/** Returns the item of a file. It stays the same object while nothing in it changes. */
export function createFileItems(): (named: NamedFile) => CatalogItem {
  const kept = createBoundedCache<{ version: string; item: CatalogItem }>(keptItems);
  return (named) => {
    const key = keyOf(named);
    const version = versionOf(named);
    const before = kept.get(key);
    // The same bytes can give another text, if the file is read in another way.
    if (before?.version === version && before.item.text === named.text) return before.item;
    const item = itemOfFile(named);
    kept.set(key, { version, item }, 1_024 + named.text.length);
    return item;
  };
}

function itemOfFile({ file, name, text }: NamedFile): CatalogItem {
  const { type, description, priority, path, relativePath, format } = file;
  const said = { type, name, include: includeOf(file), description, priority, text };
  return createItem({ ...said, source: 'file', path, relativePath, format, ...broughtBy(file) }, file);
}

/** The key of an item. It stays the same when the file changes, so that the new item replaces the old one. */
function keyOf({ file: { path, relativePath }, name }: NamedFile): string {
  return JSON.stringify([name, path, relativePath]);
}

/** Everything else in an item. The hash of the file stands for its text. */
function versionOf({ file }: NamedFile): string {
  const { sha256, type, format, description, instructions, priority } = file;
  return JSON.stringify([sha256, type, format, includeOf(file), description, instructions, priority, broughtBy(file)]);
}

/** The files that bring this one along by importing it (FM-07). A file that is always included needs none. */
function broughtBy({ trigger, reason, importedBy = [] }: ContextFile): Pick<CatalogItem, 'broughtBy'> {
  const isBrought = importedBy.length > 0 && trigger !== 'always' && reason.code !== 'outside_repository';
  return isBrought ? { broughtBy: importedBy.map(({ path }) => path) } : {};
}

/** Files that a configuration includes from outside of its repository are used only if requested by name. */
function includeOf({ trigger, reason }: ContextFile): ContextFile['trigger'] {
  return reason.code === 'outside_repository' ? 'manual' : trigger;
}
