/** The file with the address and the token of the daemon, for clients (S-08, S-74). */
import { constants, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CommandFailure, wrongSetup } from '../exit-codes.ts';
import { useFile } from './use-file.ts';
import { writePrivateFile } from './write-private-file.ts';

export type Discovery = {
  url: string;
  /** Absolute path of the Unix socket, if there is one. */
  socket?: string;
  /** Absolute path of the file itself, if there is no socket. */
  discoveryFile?: string;
  /** The bearer token, 32 random bytes in base64url. */
  token: string;
  pid: number;
  version: string;
  protocolVersion?: number;
  capabilities?: readonly string[];
  /** The start of this run; ISO 8601 UTC in the file. */
  startedAt: string;
  instanceId: string;
};

/** Writes the file (0600) atomically. */
export function writeDiscoveryFile(path: string, discovery: Omit<Discovery, 'startedAt'> & { startedAt: Date }): void {
  writePrivateFile(path, `${JSON.stringify(discovery, null, 2)}\n`);
}

/**
 * Reads the file. `undefined` if there is none, or if its content is wrong. Throws `CommandFailure` 78 for a link, and
 * for a file that belongs to another user or that others may read: someone may have planted it.
 */
export function readDiscoveryFile(path: string): Discovery | undefined {
  const read = (descriptor: number, stat: Stats): Discovery | undefined => {
    const ours = process.getuid === undefined || stat.uid === process.getuid();
    if (!stat.isFile() || !ours || (stat.mode & 0o077) !== 0)
      throw refusal(path, { why: 'it must be a file of yours with mode 0600.', isRemovable: ours });
    return parseDiscovery(readFileSync(descriptor, 'utf8'));
  };
  try {
    return useFile(path, read, constants.O_NOFOLLOW);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error instanceof CommandFailure
      ? error
      : refusal(path, { why: `${message}.`, isRemovable: code === 'ELOOP' });
  }
}

/**
 * The file of which this one is a copy, because the whole state directory was copied while its daemon runs. A daemon
 * that starts in the copy may have removed it since it was read.
 */
export function originalOf(path: string, { socket, discoveryFile, instanceId }: Discovery): string | undefined {
  const original = socket === undefined ? discoveryFile : join(dirname(socket), basename(path));
  if (original === undefined) return undefined;
  try {
    const own = statSync(path, { throwIfNoEntry: false });
    const other = statSync(original);
    if (own?.ino === other.ino && own.dev === other.dev) return undefined;
    return parseDiscovery(readFileSync(original, 'utf8'))?.instanceId === instanceId ? original : undefined;
  } catch {
    // A container may know the directory by another name only.
    return undefined;
  }
}

/** Someone who runs a command as another user must not be told to remove the file of a running daemon. */
function refusal(path: string, { why, isRemovable }: { why: string; isRemovable: boolean }): CommandFailure {
  const mend = isRemovable ? 'Remove it, then: contextd start' : 'Name a directory of your own: --state-dir <dir>';
  return wrongSetup(`${path} cannot be trusted: ${why} ${mend}`);
}

function parseDiscovery(text: string): Discovery | undefined {
  try {
    const value = JSON.parse(text) as Discovery;
    const usable = typeof value.token === 'string' && new URL(value.url).protocol === 'http:';
    return usable ? value : undefined;
  } catch {
    return undefined;
  }
}
