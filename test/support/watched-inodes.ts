import { readdirSync, readFileSync } from 'node:fs';

/** What inotify watches for a process; the kernel prints inode numbers in hexadecimal. */
export function watchedInodes(pid: number | 'self' = 'self'): number[] {
  const inodes: number[] = [];
  for (const descriptor of readdirSync(`/proc/${pid}/fdinfo`)) {
    try {
      const text = readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8');
      for (const [, inode] of text.matchAll(/^inotify .*?ino:([0-9a-f]+)/gmu))
        inodes.push(Number.parseInt(inode ?? '', 16));
    } catch {
      // The descriptor of the listing itself, or one that was closed.
    }
  }
  return inodes;
}
