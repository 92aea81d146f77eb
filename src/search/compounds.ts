/**
 * Compounds of a text: letters, marks and digits, with `-`, `_`, `.` or `/` between two of them. Most compounds of a
 * text are known already, so each is looked up in place, by a hash of its characters. Cutting them out with a regular
 * expression and looking them up in a `Map` takes three times as long.
 */

const [unknown, apart, ofWord, joiner] = [0, 1, 2, 3];
const kinds = new Uint8Array(0x10000);
const wordCharacter = /^[\p{L}\p{M}\p{N}]$/u;

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const known = kinds[code] as number;
  if (known !== unknown) return known;
  // Half of a character says nothing alone, so that nothing is kept of it.
  if (code >= 0xd800 && code <= 0xdfff) return kindOf(wholeAt(text, at));
  kinds[code] = kindOf(String.fromCharCode(code));
  return kinds[code] as number;
}

function kindOf(character: string): number {
  if (wordCharacter.test(character)) return ofWord;
  return '-_./'.includes(character) ? joiner : apart;
}

function wholeAt(text: string, at: number): string {
  const before =
    at > 0 && text.charCodeAt(at) >= 0xdc00 ? String.fromCodePoint(text.codePointAt(at - 1) as number) : '';
  return before.length === 2 ? before : String.fromCodePoint(text.codePointAt(at) as number);
}

type KnownCompounds<Given> = {
  /** Calls `see` with the value of each compound of a text, in order. */
  each(text: string, see: (given: Given) => void): void;
  /** The value of one compound. */
  of(compound: string): Given;
};

const slots = 2 ** 17;
/** Max share of used slots, so that a look-up checks few of them. */
const maxKnown = 50_000;
/** Compounds with the same hash on purpose are read again, and cost no more than that. */
const maxTried = 8;

/**
 * `read` returns the value of a compound, and whether it is worth keeping. It may ask for other compounds. Its result
 * must always be the same.
 */
export function createKnownCompounds<Given>(
  read: (compound: string) => { given: Given; isKept: boolean },
): KnownCompounds<Given> {
  let table: { hashes: Int32Array; compounds: string[]; givens: Given[] } | undefined;
  let count = 0;
  const known = () => {
    if (table === undefined || count >= maxKnown) {
      table = { hashes: new Int32Array(slots), compounds: new Array(slots), givens: new Array(slots) };
      count = 0;
    }
    return table;
  };

  const lookUp = (text: string, begin: number, end: number, hash: number): Given => {
    const { hashes, compounds, givens } = known();
    for (let tried = 0; tried < maxTried; tried += 1) {
      const slot = (hash + tried) & (slots - 1);
      const compound = compounds[slot];
      if (compound === undefined) break;
      if (hashes[slot] === hash && compound.length === end - begin && text.startsWith(compound, begin))
        return givens[slot] as Given;
    }
    return readNew(text.slice(begin, end), hash);
  };

  const readNew = (compound: string, hash: number): Given => {
    const { given, isKept } = read(compound);
    if (!isKept) return given;
    // What was read for it may have taken its slot, or have filled the table.
    const { hashes, compounds, givens } = known();
    for (let tried = 0; tried < maxTried; tried += 1) {
      const slot = (hash + tried) & (slots - 1);
      if (compounds[slot] !== undefined) continue;
      hashes[slot] = hash;
      compounds[slot] = copyOf(compound);
      givens[slot] = given;
      count += 1;
      break;
    }
    return given;
  };

  const each = (text: string, see: (given: Given) => void): void => {
    for (let at = 0; at < text.length; at += 1) {
      if (kindAt(text, at) !== ofWord) continue;
      const begin = at;
      let hash = 0;
      for (;;) {
        hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
        at += 1;
        if (at === text.length) break;
        const kind = kindAt(text, at);
        const goesOn = kind === ofWord || (kind === joiner && at + 1 < text.length && kindAt(text, at + 1) === ofWord);
        if (!goesOn) break;
      }
      see(lookUp(text, begin, at, hash ^ (hash >>> 15)));
    }
  };

  const of = (compound: string): Given => {
    let hash = 0;
    for (let at = 0; at < compound.length; at += 1) hash = Math.imul(hash ^ compound.charCodeAt(at), 0x9e3779b1);
    return lookUp(compound, 0, compound.length, hash ^ (hash >>> 15));
  };

  return { each, of };
}

/** A slice keeps its whole text in memory. V8 copies shorter ones itself. */
export function copyOf(part: string): string {
  return part.length < 13 ? part : Buffer.from(part).toString();
}
