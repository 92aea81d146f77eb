/**
 * Compounds of a text: letters, marks and digits, with `-`, `_`, `.` or `/` between two of them. Most compounds of a
 * text are known already, so each is looked up in place, by a hash of its characters. Everything is in typed arrays.
 * Reading characters from strings, and keeping an object for each compound, takes twice the time.
 */
import { withRoom } from './with-room.ts';

const [unknown, apart, ofWord, joiner] = [0, 1, 2, 3];
const kinds = new Uint8Array(0x10000);
const wordCharacter = /^[\p{L}\p{M}\p{N}]$/u;

function kindOf(character: string): number {
  if (wordCharacter.test(character)) return ofWord;
  return '-_./'.includes(character) ? joiner : apart;
}

function kindAt(text: string, codes: Uint16Array, at: number): number {
  const code = codes[at] as number;
  const known = kinds[code] as number;
  if (known !== unknown) return known;
  // The kind of half a surrogate pair depends on the other half, so it is not kept.
  if (code >= 0xd800 && code <= 0xdfff) return kindOf(wholeAt(text, at));
  kinds[code] = kindOf(String.fromCharCode(code));
  return kinds[code] as number;
}

function wholeAt(text: string, at: number): string {
  const before =
    at > 0 && text.charCodeAt(at) >= 0xdc00 ? String.fromCodePoint(text.codePointAt(at - 1) as number) : '';
  return before.length === 2 ? before : String.fromCodePoint(text.codePointAt(at) as number);
}

/** Returns the UTF-16 code units of a text. The next call overwrites them. */
function createCodes(): (text: string) => Uint16Array {
  let codes = new Uint16Array(1_024);
  let bytes = Buffer.from(codes.buffer);
  return (text) => {
    if (codes.length < text.length) {
      codes = new Uint16Array(2 * text.length);
      bytes = Buffer.from(codes.buffer);
    }
    bytes.write(text, 'utf16le');
    return codes;
  };
}

const slots = 2 ** 18;
/** Max share of used slots, so that a look-up checks few of them. */
const maxKnown = 100_000;
/** Max slots to check. If somebody chooses compounds with equal hashes, they are only read again each time. */
const maxTried = 8;
/** Longer compounds, or compounds with more numbers, rarely occur twice, and would take the memory of many. */
const longestKnown = 32;
const maxNumbersKnown = 6;

/** Compounds and their numbers, in typed arrays. It starts again when it is full. */
function createTable() {
  /** 0, or 1 + the index of a compound. Created for the first text, like the next two. */
  let table = new Uint32Array(0);
  /** The ends of the characters and of the numbers of each compound. */
  let charactersEnd = new Uint32Array(0);
  let numbersEnd = new Uint32Array(0);
  let characters = new Uint16Array(1_024);
  let numbers = new Float64Array(1_024);
  let known = maxKnown;

  return {
    makeRoom(): void {
      if (known < maxKnown) return;
      known = 0;
      if (table.length > 0) table.fill(0);
      else {
        table = new Uint32Array(slots);
        charactersEnd = new Uint32Array(maxKnown + 1);
        numbersEnd = new Uint32Array(maxKnown + 1);
      }
    },
    /** The slot of a compound, or a free slot for it, or -1. */
    // biome-ignore lint/complexity/useMaxParams: runs for each compound of each text, where an object takes time
    slotOf(codes: Uint16Array, begin: number, end: number, hash: number): number {
      for (let tried = 0; tried < maxTried; tried += 1) {
        const slot = (hash + tried) & (slots - 1);
        const compound = table[slot] as number;
        if (compound === 0) return slot;
        const from = charactersEnd[compound - 1] as number;
        if ((charactersEnd[compound] as number) - from !== end - begin) continue;
        let at = begin;
        while (at < end && characters[from + at - begin] === codes[at]) at += 1;
        if (at === end) return slot;
      }
      return -1;
    },
    /** 0 if the slot is free. */
    compoundAt: (slot: number): number => table[slot] ?? 0,
    /** Copies the numbers of a compound to `to`, from `at` on. Returns the index after them. */
    copyNumbers(compound: number, to: Float64Array, at: number): number {
      const end = numbersEnd[compound] as number;
      let next = at;
      for (let number = numbersEnd[compound - 1] as number; number < end; number += 1)
        to[next++] = numbers[number] as number;
      return next;
    },
    keep(slot: number, codes: Uint16Array, given: readonly number[]): void {
      const charactersBegin = charactersEnd[known] as number;
      const numbersBegin = numbersEnd[known] as number;
      characters = withRoom(characters, charactersBegin + codes.length);
      numbers = withRoom(numbers, numbersBegin + given.length);
      for (let at = 0; at < codes.length; at += 1) characters[charactersBegin + at] = codes[at] as number;
      for (let at = 0; at < given.length; at += 1) numbers[numbersBegin + at] = given[at] as number;
      known += 1;
      charactersEnd[known] = charactersBegin + codes.length;
      numbersEnd[known] = numbersBegin + given.length;
      table[slot] = known;
    },
  };
}

/**
 * Returns a function that gives the numbers of all compounds of a text, in order. Its next call overwrites them. `read`
 * returns the numbers of one compound. Its result must always be the same.
 */
export function createKnownCompounds(read: (compound: string) => readonly number[]): (text: string) => Float64Array {
  const codesOf = createCodes();
  const table = createTable();
  let found = new Float64Array(1_024);

  return (text) => {
    const codes = codesOf(text);
    let count = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (kindAt(text, codes, at) !== ofWord) continue;
      const begin = at;
      let hash = 0;
      for (;;) {
        hash = Math.imul(hash ^ (codes[at] as number), 0x9e3779b1);
        at += 1;
        if (at === text.length) break;
        const kind = kindAt(text, codes, at);
        if (kind === ofWord) continue;
        if (kind !== joiner || at + 1 === text.length || kindAt(text, codes, at + 1) !== ofWord) break;
      }
      table.makeRoom();
      const slot = table.slotOf(codes, begin, at, hash ^ (hash >>> 15));
      const compound = table.compoundAt(slot);
      if (compound !== 0) {
        found = withRoom(found, count + maxNumbersKnown);
        count = table.copyNumbers(compound, found, count);
        continue;
      }
      const given = read(text.slice(begin, at));
      found = withRoom(found, count + given.length);
      for (const number of given) found[count++] = number;
      if (slot >= 0 && at - begin <= longestKnown && given.length <= maxNumbersKnown)
        table.keep(slot, codes.subarray(begin, at), given);
    }
    return found.subarray(0, count);
  };
}
