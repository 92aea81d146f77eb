/** Hashes that only this daemon can make, of what could otherwise be found by trying (S-26). */
import { createHmac } from 'node:crypto';

/** 64 hexadecimal digits. */
export type KeyedHash = (text: string) => string;

export function createKeyedHash(key: Uint8Array): KeyedHash {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
