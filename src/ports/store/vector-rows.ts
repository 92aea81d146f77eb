/** The rows of vectors, the same in all stores: floats in the byte order of x86 and ARM. */
import { rowHash, type StoredValue } from './row-hash.ts';
import type { StoredVector } from './vector.ts';

/** The use of a vector is recorded at most once in this time. */
export const touchedEachMs = 86_400_000;

/** The bytes to store, and the hash of the row. Throws for anything but a vector. */
export function vectorValues(identity: string, { key, vector }: StoredVector): { bytes: Uint8Array; hash: string } {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return { bytes, hash: rowHash(identity, key, bytes) };
}

/** Undefined if the row is damaged. */
export function readVector(
  identity: string,
  key: string,
  { vector, hash }: Record<string, StoredValue>,
): StoredVector | undefined {
  const bytes = vector as Uint8Array;
  if (rowHash(identity, key, bytes) !== hash || bytes.length % 4 !== 0) return undefined;
  // A copy, because floats must begin at a multiple of four bytes.
  return { key, vector: new Float32Array(new Uint8Array(bytes).buffer) };
}
