/** Makes changes of files survive a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFile(path: string): void {
  sync(path, 'r+');
}

/** After a rename, if the system can sync a directory. */
export function syncDirectory(path: string): void {
  try {
    sync(path, 'r');
  } catch {
    // Some file systems refuse.
  }
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
