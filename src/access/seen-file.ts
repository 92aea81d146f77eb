/** Files of a project that are replaced only in the version that the caller has seen (AP-09, FM-14). */
import { hash } from 'node:crypto';
import { ContextdError, type ErrorCode, refuseField } from '../errors.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { WriteRefusal } from '../ports/ports.ts';
import { withoutMark } from '../texts/decode-text.ts';
import type { FileSnapshot } from './gate.ts';
import { refusalWords } from './refusal-words.ts';

/** The version of a file: of its bytes, as far as they are read, and its size. */
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

/** Whether the bytes that a writer finds are those that were seen, or still none. */
export const isSame = (seen: Pick<FileSnapshot, 'sha256'> | undefined) => (bytes: Uint8Array | undefined) =>
  (bytes === undefined ? undefined : hash('sha256', bytes)) === seen?.sha256;

/** `what` the file is: "policy". */
export function mismatch(what: string, expected: ExpectedVersion, isThere: boolean): ContextdError {
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

/** Why a file cannot be replaced; `pointer` is what named it in the request. */
export function refusedChange(
  what: string,
  pointer: string,
  { code }: { code: WriteRefusal['code'] | 'sensitive' },
): ContextdError {
  const words: Readonly<Record<string, string>> = {
    ...refusalWords,
    no_space: 'there is no space left',
    read_only: 'the file system is read-only',
    changed: 'it changed',
    sensitive: 'every file at this place counts as sensitive',
  };
  const message = `The ${what} cannot be changed: ${words[code] ?? code}.`;
  return refuseField(refusalCodes[code] ?? 'conflict', pointer, message);
}
