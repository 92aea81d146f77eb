/** Snapshots of files and directories, and when two are the same. */
import { hash } from 'node:crypto';
import type { DirectoryEntry } from '../ports/ports.ts';
import { decodeText } from '../texts/decode-text.ts';
import type { FoundSecret } from '../texts/find-secrets.ts';
import { isNotebook, notebookText } from '../texts/notebook.ts';

/**
 * A file as it was read. While the file is unchanged, it is the same object, so identity stands for content. `bytes`:
 * the size of the whole file. `sha256`: of the bytes that were read. `text`: UTF-8 without a BOM, cut between
 * characters if `truncated`; of a notebook, its cells. `problem`: why there is no text. `maskedSecrets`: the secrets
 * that `***` replaced in the text; absent if nothing is masked.
 */
export type FileSnapshot = Readonly<{
  path: string;
  bytes: number;
  truncated: boolean;
  sha256: string;
  text?: string;
  problem?: 'binary' | 'invalid_utf8';
  maskedSecrets?: readonly FoundSecret[];
}>;

/** A directory as it was listed. While it is unchanged, it is the same object. */
export type DirectorySnapshot = Readonly<{ path: string; entries: readonly DirectoryEntry[]; truncated: boolean }>;

/** The text has at most `maxBytes`. `place`: the path without links. */
export function takeSnapshot(
  { path, place, maxBytes }: { path: string; place: string; maxBytes: number },
  { bytes, size, truncated }: { bytes: Uint8Array; size: number; truncated: boolean },
): FileSnapshot {
  const sha256 = hash('sha256', bytes);
  const shown = isNotebook(place) && !truncated ? cellsOf(bytes) : bytes;
  const isCut = truncated || shown.length > maxBytes;
  const decoded = decodeText(shown.subarray(0, maxBytes), isCut);
  return Object.freeze({ path, bytes: size, truncated: isCut, sha256, ...decoded });
}

/** The cells of a notebook, or the bytes themselves if they are none. */
function cellsOf(bytes: Uint8Array): Uint8Array {
  const decoded = decodeText(bytes, false);
  const cells = 'text' in decoded ? notebookText(decoded.text) : undefined;
  return cells === undefined ? bytes : Buffer.from(cells);
}

export function sameContent(before: FileSnapshot, after: FileSnapshot): boolean {
  return before.sha256 === after.sha256 && before.bytes === after.bytes && before.truncated === after.truncated;
}

export function sameEntries(before: DirectorySnapshot, entries: readonly DirectoryEntry[]): boolean {
  return (
    before.entries.length === entries.length &&
    entries.every((entry, index) => {
      const other = before.entries[index];
      return other?.name === entry.name && other.kind === entry.kind && other.undecodable === entry.undecodable;
    })
  );
}
