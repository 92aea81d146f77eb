import { closeSync, constants, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

// As the client, which loads this file, without web cryptography.
const { randomBytes } = process.getBuiltinModule('node:crypto');
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Writes a file (0600) atomically. It replaces what is at `path`, even a link. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(descriptor, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
