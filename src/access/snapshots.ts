/** What was read of files and directories, and when it is still the same. */
import { hash } from 'node:crypto';
import type { DirectoryEntry } from '../ports/ports.ts';
import { decodeText } from '../texts/decode-text.ts';
import type { FoundSecret } from '../texts/find-secrets.ts';

/**
 * A file as it was read: the same object as long as the file is unchanged, so that identity can stand for content.
 * `bytes` is the size of the whole file; `sha256` is over the bytes that were read; `text` is UTF-8 without a BOM, cut at a
 * character when `truncated`; `problem` says why there is no text. `maskedSecrets` are those whose place in the text `***`
 * has taken; absent where nothing is masked.
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

/** A directory as it was listed: the same object as long as it is unchanged. */
export type DirectorySnapshot = Readonly<{ path: string; entries: readonly DirectoryEntry[]; truncated: boolean }>;

export function takeSnapshot(
  path: string,
  content: { bytes: Uint8Array; size: number; truncated: boolean },
): FileSnapshot {
  const sha256 = hash('sha256', content.bytes);
  const decoded = decodeText(content.bytes, content.truncated);
  return Object.freeze({ path, bytes: content.size, truncated: content.truncated, sha256, ...decoded });
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
