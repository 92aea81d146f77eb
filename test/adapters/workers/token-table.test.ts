import { describe, expect, it } from 'vitest';
import { createTokenTable, noRank, packTokens } from '../../../src/adapters/workers/token-table.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('token table', () => {
  it('finds each token by its bytes, and nothing else', () => {
    const tokens = ['a', 'é漢', [0xff, 0x00]];
    // The ranks between are not in use.
    for (let at = 0; at < 5_000; at += 1) tokens[at + 10] = `token ${at}`;
    const table = createTokenTable(packTokens(tokens));
    const rankOf = (bytes: Uint8Array) => table.rankOf(bytes, 0, bytes.length);
    expect(['a', 'é漢', 'token 0', 'token 4999'].map((text) => rankOf(bytesOf(text)))).toEqual([0, 1, 10, 5_009]);
    expect(rankOf(Uint8Array.of(0xff, 0x00))).toBe(2);
    expect(['b', 'é', 'token 5000', ''].map((text) => rankOf(bytesOf(text)))).toEqual(Array(4).fill(noRank));
  });

  it('reads a part of the bytes that it is given', () => {
    const table = createTokenTable(packTokens(['cd']));
    expect([table.rankOf(bytesOf('abcdef'), 2, 4), table.rankOf(bytesOf('abcdef'), 2, 5)]).toEqual([0, noRank]);
  });
});
