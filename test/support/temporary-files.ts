/** Directories and files on the disk of this machine, for as long as the tests of a file run. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const made: string[] = [];

/** A new directory below that of the system, with all links resolved. It is removed after the last test of the file. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'contextd-')));
  made.push(directory);
  return directory;
}

/** `remove-temporary-directories.ts` calls it after each file. */
export function removeTemporaryDirectories(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Writes files by their paths below `directory`, and makes the directories that lead to them. */
export function writeTree(directory: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}
