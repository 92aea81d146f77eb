import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import type { Files } from '../../src/ports/ports.ts';
import { createMemoryFiles } from './memory-files.ts';
import { temporaryDirectory } from './temporary-files.ts';

/** A file system and the means to change it. Paths are absolute. */
export type Disk = {
  files: Files;
  /** An empty directory of its own. */
  base: string;
  /** False for the superuser, whom modes do not bind. */
  enforcesModes: boolean;
  write(path: string, content: string | Uint8Array): void;
  makeDirectory(path: string): void;
  symlink(path: string, target: string): void;
  fifo(path: string): void;
  setMode(path: string, mode: number): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
};

/** A temporary directory of this machine. */
export function createRealDisk(): Disk {
  const base = temporaryDirectory();
  const makeDirectory = (path: string) => void mkdirSync(path, { recursive: true });
  return {
    files: createNodeFiles(),
    base,
    enforcesModes: process.getuid?.() !== 0,
    write(path, content) {
      makeDirectory(dirname(path));
      writeFileSync(path, content);
    },
    makeDirectory,
    symlink: (path, target) => symlinkSync(target, path),
    fifo: (path) => void execFileSync('mkfifo', [path]),
    setMode: chmodSync,
    rename: renameSync,
    remove: (path) => rmSync(path, { recursive: true }),
  };
}

/** The real one as an operating system sees it whose kernel does not name opened files. */
export function createForeignDisk(): Disk {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  const disk = createRealDisk();
  Object.defineProperty(process, 'platform', { value: platform });
  return disk;
}

/** An in-memory one. */
export function createMemoryDisk(): Disk {
  const files = createMemoryFiles({ '/base/': '' });
  return { ...files, files, base: '/base', enforcesModes: true };
}
