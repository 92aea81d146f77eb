/** Hashes of rows. Databases hold them, so that they must never change. */
import { expect, it } from 'vitest';
import { rowHash, type StoredValue } from '../../../src/ports/store/row-hash.ts';

it.each<[StoredValue[], string]>([
  [[], 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [['a', 1, null], '5737095544c3f5cc4f6d523eb07a2e3d3cc4d56f290637d4a6e046486008179f'],
  [['a', 'b'], '33c23ee098103d583c271ea87c39983113024d5eaed9976f28bda1f12996c91d'],
  [['ab', ''], 'c06a4715a0ef7d56a6bdf53596b41523fced59564b4df63b6b0a92cc47fd8bce'],
  [['5', 5, 5n, null, 'null'], 'de36b797191500ec5832e6350dd8b09ac93941014a696cd4e5ffa9325d887d9f'],
  [['é 🧑‍🚀', 'x\ud83d', '\ude00y'], 'db872e20a05a83afbcf7eab631caaaf9880e96ff3dd1b4effdd2e65569df39df'],
  [['k', new Uint8Array([0, 255, 58]), 0.5], 'dbe8c2cb2678003a8d0da0d0ef7404031b000dad404cc4b2c1d891d91e6d6450'],
])('S-72 %# is hashed as in every database before', (values, digest) => {
  expect(rowHash(...values)).toBe(digest);
});
