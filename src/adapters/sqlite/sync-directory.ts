import { closeSync, constants, fsyncSync, openSync } from 'node:fs';

/** Makes a rename survive a power failure, if the system can sync a directory. */
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
