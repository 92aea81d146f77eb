/** Lists an opened directory (S-44). */
import { isUtf8 } from 'node:buffer';
import { opendir } from 'node:fs/promises';
import type { DirectoryEntry } from '../../ports/ports.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Entries, OpenFile } from './open-file.ts';
import { kindOf } from './stat-path.ts';

/** At most `limit` entries of a directory, in the order of the file system. */
async function readEntries(path: string, limit: number, encoding: 'utf8' | 'buffer'): Promise<Entries> {
  const entries: Entries = [];
  // The declared types do not know 'buffer', which works.
  const directory = await opendir(path, { encoding: encoding as 'utf8', bufferSize: 1024 });
  try {
    for (let entry = await directory.read(); entry !== null; entry = await directory.read()) {
      if (entries.push(entry) === limit) break;
    }
  } finally {
    await directory.close();
  }
  return entries;
}

/**
 * A name that is not UTF-8 comes with U+FFFD in it. Only its bytes tell whether the name really has that character
 * (S-44). A name that really has it sorts before names that only look the same.
 */
export async function listEntries(file: OpenFile, path: string, limit: number | undefined): Promise<DirectoryEntry[]> {
  const read = (encoding: 'utf8' | 'buffer') =>
    limit === undefined ? file.list(path, encoding) : readEntries(path, limit, encoding);
  let dirents = await read('utf8');
  if (dirents.some(({ name }) => name.includes('\uFFFD'))) dirents = await read('buffer');
  return dirents
    .map((dirent): DirectoryEntry => {
      const entry = { name: dirent.name.toString(), kind: kindOf(dirent) };
      return typeof dirent.name === 'string' || isUtf8(dirent.name) ? entry : { ...entry, undecodable: true };
    })
    .sort((a, b) => compareText(a.name, b.name) || Number(a.undecodable ?? 0) - Number(b.undecodable ?? 0));
}
