/** The secret key of the daemon, for hashes of values that others must not find by trying (S-26). */
import { randomBytes } from 'node:crypto';
import { constants, readFileSync, type Stats } from 'node:fs';
import { useFile } from './use-file.ts';
import { writePrivateFile } from './write-private-file.ts';

const keyBytes = 32;

/**
 * Reads the key. Creates one (0600) if there is none, or if others may know it. After the loss of a key, only servers
 * have to be approved again.
 */
export function readSecretKey(path: string): Uint8Array {
  return readKey(path) ?? writeSecretKey(path, randomBytes(keyBytes));
}

/** Writes a key, and replaces the present one. */
export function writeSecretKey(path: string, key: Uint8Array): Uint8Array {
  writePrivateFile(path, key);
  return key;
}

function readKey(path: string): Uint8Array | undefined {
  const isSafe = (stat: Stats): boolean => stat.isFile() && (stat.mode & 0o077) === 0 && stat.size === keyBytes;
  const read = (descriptor: number, stat: Stats) => (isSafe(stat) ? readFileSync(descriptor) : undefined);
  try {
    return useFile(path, read, constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
