/** Vectors that are kept so that no text is embedded twice (SS-04). */

/** `key` names the text and how it was cut; `vector` is what one model made of it. */
export type StoredVector = { key: string; vector: Float32Array };

/** The model that vectors are of, and when they were of use, in milliseconds since 1970. A fraction does not count. */
type VectorUse = { identity: string; usedAt: number };

export interface VectorStore {
  /** Those of the keys that are there. A vector that does not match its checksum is deleted and left out (S-72). */
  get(identity: string, keys: readonly string[]): Promise<StoredVector[]>;
  /** All or none of them. */
  add(vectors: readonly StoredVector[], use: VectorUse): Promise<void>;
  /** Says that vectors were of use; noted once a day. */
  touch(keys: readonly string[], use: VectorUse): Promise<void>;
  /** Deletes what was last of use before then, and of the rest what was of use longest ago until `max` are left. */
  collect(bounds: { max: number; usedBefore: number }): Promise<void>;
  /** Vectors of one model. */
  count(identity: string): Promise<number>;
}
