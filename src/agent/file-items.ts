/** Context files as items (AG-02, AG-03). */

import type { ContextFile } from '../context/context-file.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { type CatalogItem, createItem } from './catalog-item.ts';

/** A context file with its body, and the name it has among the items of an agent. */
export type NamedFile = { file: ContextFile; name: string; text: string };

/** `maxWeight` in UTF-16 code units of text, which the gate mostly keeps as well. */
const keptItems = { maxWeight: 96 * 1024 * 1024, maxEntries: 20_000 };

/** Gives the item of a file: the same object as long as the file says the same. */
export function createFileItems(): (named: NamedFile) => CatalogItem {
  const kept = createBoundedCache<{ version: string; item: CatalogItem }>(keptItems);
  return (named) => {
    const key = keyOf(named);
    const version = versionOf(named);
    const before = kept.get(key);
    // How a file is read may change while its bytes do not.
    if (before?.version === version && before.item.text === named.text) return before.item;
    const item = itemOfFile(named);
    kept.set(key, { version, item }, 1_024 + named.text.length);
    return item;
  };
}

function itemOfFile({ file, name, text }: NamedFile): CatalogItem {
  const { type, description, priority, path, relativePath, format } = file;
  const said = { type, name, include: includeOf(file), description, priority, text };
  const place = { path, relativePath, ...(format === undefined ? {} : { format }) };
  return createItem({ ...said, source: 'file', ...place, ...broughtBy(file) }, file);
}

/** The key of an item, which stays the same when the file changes, so that the new item replaces the old one. */
function keyOf({ file: { path, relativePath }, name }: NamedFile): string {
  return JSON.stringify([name, path, relativePath]);
}

/** Everything else that an item says; the body follows from the bytes, which the hash stands for. */
function versionOf({ file }: NamedFile): string {
  const { sha256, type, format, description, instructions, priority } = file;
  return JSON.stringify([sha256, type, format, includeOf(file), description, instructions, priority, broughtBy(file)]);
}

/** FM-07: files that are always included need no file that imports them. */
function broughtBy({ trigger, reason, importedBy = [] }: ContextFile): Pick<CatalogItem, 'broughtBy'> {
  const isBrought = importedBy.length > 0 && trigger !== 'always' && reason.code !== 'outside_repository';
  return isBrought ? { broughtBy: importedBy.map(({ path }) => path) } : {};
}

/** Files that a configuration includes from outside of its repository are used only if requested by name. */
function includeOf({ trigger, reason }: ContextFile): ContextFile['trigger'] {
  return reason.code === 'outside_repository' ? 'manual' : trigger;
}
