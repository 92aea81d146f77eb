import { existsSync } from 'node:fs';

/**
 * Whether the kernel names the files that a process has opened (`/proc/self/fd/N`), as Linux does. Elsewhere, for
 * example on macOS, a path is resolved again and compared by device and inode.
 */
export function isByKernel(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}
