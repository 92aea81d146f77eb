/** Vectors that are kept so that no text is embedded twice (SS-04). */

/** `key` names the text and how it was cut; `vector` is what one model made of it. */
export type StoredVector = { key: string; vector: Float32Array };

export interface VectorStore {
  /** Those of the keys that are there. A vector that does not match its checksum is deleted and left out (S-72). */
  get(identity: string, keys: readonly string[]): Promise<StoredVector[]>;
  /** All or none of them. `usedAt` is in milliseconds since 1970, of which a fraction does not count. */
  add(identity: string, vectors: readonly StoredVector[], usedAt: number): Promise<void>;
  /** Says that vectors were of use; noted once a day. */
  touch(identity: string, keys: readonly string[], usedAt: number): Promise<void>;
  /** Deletes what was last of use before then, and of the rest what was of use longest ago until `max` are left. */
  collect(bounds: { max: number; usedBefore: number }): Promise<void>;
  /** Vectors of one model. */
  count(identity: string): Promise<number>;
}
