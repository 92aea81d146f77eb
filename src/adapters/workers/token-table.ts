/**
 * The tokens of an encoding, by their bytes. They are in a few arrays of numbers, because creating a map with texts as
 * keys, like in gpt-tokenizer, takes several times as long.
 */

/** There is no such token. Higher than all ranks. */
export const noRank = Number.POSITIVE_INFINITY;

export type TokenTable = {
  /**
   * The rank of the token with the `bytes` from `start` to `end` (exclusive), or `noRank`. Low ranks are merged first.
   */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
};

/**
 * The tokens in one array: their number in four bytes, then the length of each in one byte, then their bytes. An unused
 * token has the length 0.
 */
export function packTokens(tokens: readonly (string | readonly number[])[]): Uint8Array {
  const encoder = new TextEncoder();
  const longest = tokens.reduce((sum, { length }) => sum + length * 3, 0);
  const packed = new Uint8Array(4 + tokens.length + longest);
  new DataView(packed.buffer).setUint32(0, tokens.length, true);
  let end = 4 + tokens.length;
  tokens.forEach((token, rank) => {
    const start = end;
    if (typeof token === 'string') end += encoder.encodeInto(token, packed.subarray(start)).written;
    else {
      packed.set(token, start);
      end += token.length;
    }
    packed[4 + rank] = end - start;
  });
  return packed.subarray(0, end);
}

export function createTokenTable(packed: Uint8Array): TokenTable {
  const count = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
  const lengths = packed.subarray(4, 4 + count);
  /** Where each token begins in `packed`. */
  const starts = new Uint32Array(count);
  // At most half of the slots are used, so that a free one is near.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 2)));
  const mask = slots.length - 1;
  let next = 4 + count;
  for (let rank = 0; rank < count; rank += 1) {
    const start = next;
    starts[rank] = start;
    next += lengths[rank] as number;
    if (next === start) continue;
    let slot = hashOf(packed, start, next) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = rank + 1;
  }
  return {
    rankOf(bytes, start, end) {
      let slot = hashOf(bytes, start, end) & mask;
      for (let taken = slots[slot] as number; taken !== 0; taken = slots[slot] as number) {
        const rank = taken - 1;
        if (lengths[rank] === end - start && isAt(rank, bytes, start)) return rank;
        slot = (slot + 1) & mask;
      }
      return noRank;
    },
  };

  /** Whether the bytes from `start` are those of the token. */
  function isAt(rank: number, bytes: Uint8Array, start: number): boolean {
    const first = starts[rank] as number;
    const length = lengths[rank] as number;
    for (let at = 0; at < length; at += 1) if (bytes[start + at] !== packed[first + at]) return false;
    return true;
  }
}

/** FNV-1a, with its upper bits folded into the lower ones. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
