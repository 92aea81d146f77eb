import { closeSync, constants, fsyncSync, openSync } from 'node:fs';

/** Makes a rename outlast a power cut, where the system lets a directory be synced. */
export function syncDirectory(path: string): void {
  try {
    const descriptor = openSync(path, constants.O_RDONLY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Windows and some file systems refuse.
  }
}
