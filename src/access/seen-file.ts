/** Replaces files of a project only if the caller has seen their present version (AP-09, FM-14). */
import { hash } from 'node:crypto';
import { ContextdError, type ErrorCode, refuseField } from '../errors.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { WriteRefusal } from '../ports/ports.ts';
import { withoutMark } from '../texts/decode-text.ts';
import type { FileSnapshot } from './gate.ts';
import { refusalWords } from './refusal-words.ts';
import type { World } from './world.ts';

/** The version of a file: the hash of the bytes that were read, and the size. */
export function etagOf({ sha256, bytes }: Pick<FileSnapshot, 'sha256' | 'bytes'>): string {
  return `${sha256.slice(0, 32)}-${bytes}`;
}

/** A file with this text, as the gate would read it. */
export function snapshotOf(path: string, text: string, maxBytes: number): FileSnapshot & { text: string } {
  const bytes = new TextEncoder().encode(text);
  return {
    path,
    bytes: bytes.length,
    truncated: bytes.length > maxBytes,
    sha256: hash('sha256', bytes),
    text: withoutMark(text),
  };
}

/** The file that would be replaced. Undefined if there is none. Throws if it cannot be replaced. */
export async function presentFile(
  path: string,
  { gate, reach, limits }: World,
  kind: SeenKind,
): Promise<FileSnapshot | undefined> {
  const stat = await gate.stat(path);
  if (!stat.ok && stat.code === 'not_found') return undefined;
  const options = { roots: reach.roots, followSymlinks: false, maxBytes: limits.configBytes };
  const read = await gate.readSettings(path, options);
  if (read.ok) return read.snapshot;
  if (read.code === 'not_found') return undefined;
  throw refusedChange(kind, { code: read.code as WriteRefusal['code'] });
}

/** Whether the bytes on disk are the bytes that the caller saw. Also true if there was no file and still is none. */
export const isSame = (seen: Pick<FileSnapshot, 'sha256'> | undefined) => (bytes: Uint8Array | undefined) =>
  (bytes === undefined ? undefined : hash('sha256', bytes)) === seen?.sha256;

/** A kind of file. `what`: its name for people. `pointer`: the field of the request that names the file. */
export type SeenKind = Readonly<{ what: string; pointer: string }>;

export function mismatch({ what }: SeenKind, expected: ExpectedVersion, isThere: boolean): ContextdError {
  const changed = expected(undefined)
    ? `There is a ${what} already. Read it first.`
    : `The ${what} has changed since you read it. Read it again.`;
  const message = isThere ? changed : `There is no ${what} any more.`;
  return new ContextdError('version_mismatch', message);
}

const refusalCodes: Partial<Record<string, ErrorCode>> = {
  outside_roots: 'path_outside_roots',
  not_found: 'not_found',
  not_directory: 'not_found',
  no_space: 'storage_full',
  io_error: 'unavailable',
};

const changeWords: Readonly<Record<string, string>> = {
  ...refusalWords,
  no_space: 'there is no space left',
  read_only: 'the file system is read-only',
  changed: 'it changed',
  sensitive: 'every file at this place counts as sensitive',
};

/** The error for a file that cannot be replaced. */
export function refusedChange(
  { what, pointer }: SeenKind,
  { code }: { code: WriteRefusal['code'] | 'sensitive' },
): ContextdError {
  const message = `The ${what} cannot be changed: ${changeWords[code] ?? code}.`;
  return refuseField(refusalCodes[code] ?? 'conflict', pointer, message);
}

/** The error for a change that the disk refused, perhaps because the file has changed since it was seen. */
export function failedChange(kind: SeenKind, refusal: WriteRefusal, expected: ExpectedVersion): ContextdError {
  return refusal.code === 'changed' ? mismatch(kind, expected, true) : refusedChange(kind, refusal);
}
