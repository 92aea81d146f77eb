/** Rows by key, in flat memory. A `Map` with strings would take three times as much memory. */
import { randomInt } from 'node:crypto';

type KeyRows = {
  /** Rows in use: 0 to `size` - 1. */
  readonly size: number;
  /** Undefined when the key is not there. */
  rowOf(key: string): number | undefined;
  keyOf(row: number): string;
  /** Gives the next row to a key that is not there. Throws a `RangeError` when it is longer than `keyCharacters`. */
  add(key: string): void;
  /** Moves the last key to `row`. */
  remove(row: number): void;
  clear(): void;
  /** Frees memory if it is far more than the keys need. */
  fit(): void;
};

/** Characters of a key, all of them ASCII; a shorter one is filled with spaces. */
export const keyCharacters = 22;
/** A secret seed, so that authors of texts cannot choose the slots of their keys. */
const seed = randomInt(2 ** 32);

export function createKeyRows(): KeyRows {
  let size = 0;
  let capacity = 0;
  /** One key for each row, and after the last one the key of the current look-up. */
  let keys = Buffer.from(new ArrayBuffer(0));
  /** Open addressing: 0 or 1 + row. The size is a power of two, and at most half of the slots are used. */
  let slots = new Int32Array(0);

  const next = (slot: number): number => (slot + 1) & (slots.length - 1);
  /** Where the search for the key of a row begins. */
  const homeOf = (row: number): number => {
    let hash = seed;
    for (let at = row * keyCharacters; at < (row + 1) * keyCharacters; at += 1)
      hash = Math.imul(hash ^ (keys[at] as number), 0x9e3779b1);
    return (hash ^ (hash >>> 15)) & (slots.length - 1);
  };
  const slotOf = (row: number): number => {
    let slot = homeOf(row);
    while (slots[slot] !== row + 1) slot = next(slot);
    return slot;
  };
  const isSame = (row: number, other: number): boolean => {
    for (let at = 0; at < keyCharacters; at += 1)
      if (keys[row * keyCharacters + at] !== keys[other * keyCharacters + at]) return false;
    return true;
  };
  /** The slot of a key, or the empty one where it would be. */
  const find = (key: string): number => {
    keys.write(key.padEnd(keyCharacters), size * keyCharacters, 'latin1');
    let slot = homeOf(size);
    while (slots[slot] !== 0 && !isSame((slots[slot] as number) - 1, size)) slot = next(slot);
    return slot;
  };
  const resize = (): void => {
    // Allocates the new memory first. If there is none, nothing has changed yet.
    const fitting = size + (size >> 4) + 16;
    const length = 2 ** Math.ceil(Math.log2(2 * fitting));
    const fresh = length === slots.length ? undefined : new Int32Array(length);
    keys = Buffer.from(keys.buffer.transfer((fitting + 1) * keyCharacters));
    capacity = fitting;
    if (fresh === undefined) return;
    slots = fresh;
    for (let row = 0; row < size; row += 1) {
      let slot = homeOf(row);
      while (slots[slot] !== 0) slot = next(slot);
      slots[slot] = row + 1;
    }
  };
  resize();
  return {
    get size() {
      return size;
    },
    rowOf(key) {
      const found = key.length > keyCharacters ? 0 : (slots[find(key)] as number);
      return found === 0 ? undefined : found - 1;
    },
    keyOf: (row) => keys.toString('latin1', row * keyCharacters, (row + 1) * keyCharacters).trimEnd(),
    add(key) {
      if (key.length > keyCharacters)
        throw new RangeError(`A key has ${key.length} characters, more than ${keyCharacters}.`);
      if (size === capacity) resize();
      slots[find(key)] = size + 1;
      size += 1;
    },
    remove(row) {
      let free = slotOf(row);
      for (let slot = next(free); slots[slot] !== 0; slot = next(slot)) {
        const home = homeOf((slots[slot] as number) - 1);
        const mask = slots.length - 1;
        // This entry is found even if the free slot before it stays empty.
        if (((slot - home) & mask) < ((slot - free) & mask)) continue;
        slots[free] = slots[slot] as number;
        free = slot;
      }
      slots[free] = 0;
      size -= 1;
      if (row !== size) {
        slots[slotOf(size)] = row + 1;
        keys.copyWithin(row * keyCharacters, size * keyCharacters, (size + 1) * keyCharacters);
      }
    },
    clear() {
      size = 0;
      slots.fill(0);
      resize();
    },
    fit() {
      if (2 * size + 64 < capacity) resize();
    },
  };
}
