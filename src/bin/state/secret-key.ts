/** The secret key of the daemon, for hashes of values that others must not find by trying (S-26). */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, linkSync, openSync, readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { useFile } from './use-file.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
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
  rmSync(path, { force: true });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(descriptor, key);
    linkSync(temporary, path);
  } finally {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
  }
  return key;
}

function readKey(path: string): Uint8Array | undefined {
  const isSafe = (stat: Stats): boolean => stat.isFile() && (stat.mode & 0o077) === 0 && stat.size === keyBytes;
  const read = (descriptor: number, stat: Stats) => (isSafe(stat) ? readFileSync(descriptor) : undefined);
  try {
    return useFile(path, read, O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
