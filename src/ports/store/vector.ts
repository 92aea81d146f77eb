/** Stored vectors, so that no text is embedded twice (SS-04). */

/** `key` identifies the text and how it was cut. `vector` is from one model. */
export type StoredVector = { key: string; vector: Float32Array };

/** The model of the vectors, and when they were used, in milliseconds since 1970. Fractions are ignored. */
type VectorUse = { identity: string; usedAt: number };

export interface VectorStore {
  /** The vectors of those keys that are stored. Damaged vectors are deleted and left out (S-72). */
  get(identity: string, keys: readonly string[]): Promise<StoredVector[]>;
  /** All or none of them. */
  add(vectors: readonly StoredVector[], use: VectorUse): Promise<void>;
  /** Records that vectors were used, at most once a day. */
  touch(keys: readonly string[], use: VectorUse): Promise<void>;
  /** Deletes vectors that were last used before `usedBefore`, then the least recently used until `max` are left. */
  collect(bounds: { max: number; usedBefore: number }): Promise<void>;
  /** The number of vectors of one model. */
  count(identity: string): Promise<number>;
}
