/** Writes a policy that the caller has seen, or one where there is none (AP-09). */
import { createHash } from 'node:crypto';
import { policyFileNames } from '../content-policy.ts';
import { refusalWords } from '../context/load-directory.ts';
import type { World } from '../context/world.ts';
import { ContextdError, type ErrorCode } from '../errors.ts';
import type { FileSnapshot } from '../gate.ts';
import { joinPath } from '../paths.ts';
import type { FileWriter, WriteRefusal } from '../ports.ts';
import { decideSensitive } from '../sensitive.ts';
import type { Policy } from './policy-file.ts';
import { changePolicyText } from './policy-text.ts';

/** Which version the caller has seen: that of an etag, or none at all. */
export type SeenVersion = { ifMatch?: string | undefined; ifNoneMatch?: string | undefined };

/** The version of a file: of its bytes, as far as they are read, and its size. */
export function policyEtag({ sha256, bytes }: Pick<FileSnapshot, 'sha256' | 'bytes'>): string {
  return `${sha256.slice(0, 32)}-${bytes}`;
}

/**
 * Writes into `directory`, which exists, and returns what was written and whether there was nothing. Throws
 * `invalid_request` without a version, `version_mismatch` for another, and what a disk that cannot be written becomes.
 */
export async function writePolicy(
  directory: string,
  wanted: Pick<Policy, 'aiContextPolicy' | 'exclude'>,
  context: { seen: SeenVersion; world: World; fileWriter: FileWriter },
): Promise<{ written: FileSnapshot; created: boolean }> {
  const { world, fileWriter } = context;
  const etag = expectedEtag(context.seen);
  const { roots } = world.reach;
  const maxBytes = world.limits.configBytes;
  // It could not be read again, and nothing that lies there is ever given away.
  if (decideSensitive(joinPath(directory, policyFileNames[0]))) throw refused({ code: 'sensitive' });
  const present: { path: string; snapshot: FileSnapshot }[] = [];
  for (const name of policyFileNames) {
    const path = directory === '/' ? `/${name}` : `${directory}/${name}`;
    const stat = await world.gate.stat(path);
    if (!stat.ok && stat.code === 'not_found') continue;
    const read = await world.gate.readSettings(path, { roots, followSymlinks: false, maxBytes });
    if (read.ok) present.push({ path, snapshot: read.snapshot });
    else if (read.code !== 'not_found') throw refused({ code: read.code as WriteRefusal['code'] });
  }
  const seen = etag === undefined ? undefined : present.find(({ snapshot }) => policyEtag(snapshot) === etag);
  if (etag === undefined ? present.length > 0 : seen === undefined) throw mismatch(etag, present.length > 0);
  const path = seen?.path ?? (directory === '/' ? `/${policyFileNames[0]}` : `${directory}/${policyFileNames[0]}`);
  const text = changePolicyText(seen?.snapshot.truncated ? undefined : seen?.snapshot.text, wanted);
  const bytes = new TextEncoder().encode(text);
  const answer = await fileWriter.replace(path, bytes, {
    roots,
    maxBytes,
    isExpected: (bytes) => (bytes === undefined ? undefined : digest(bytes)) === seen?.snapshot.sha256,
  });
  if (!answer.ok) throw answer.code === 'changed' ? mismatch(etag, true) : refused(answer);
  const written = { path, bytes: bytes.length, truncated: bytes.length > maxBytes, sha256: digest(bytes), text };
  return { written, created: seen === undefined };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Undefined where the caller expects nothing. */
function expectedEtag({ ifMatch, ifNoneMatch }: SeenVersion): string | undefined {
  const invalid = (message: string) => new ContextdError('invalid_request', message);
  if ((ifMatch === undefined) === (ifNoneMatch === undefined))
    throw invalid(
      'Say which version you have seen: "If-Match" with the etag of the policy, or "If-None-Match: *" where there is none.',
    );
  if (ifMatch === undefined) {
    if (ifNoneMatch?.trim() !== '*') throw invalid('"If-None-Match" must be "*".');
    return undefined;
  }
  const [, quoted, bare] = /^\s*(?:"([\w-]{1,200})"|([\w-]{1,200}))\s*$/u.exec(ifMatch) ?? [];
  const etag = quoted ?? bare;
  if (etag === undefined) throw invalid('"If-Match" must be the etag of one policy.');
  return etag;
}

function mismatch(etag: string | undefined, isThere: boolean): ContextdError {
  const message =
    etag === undefined
      ? 'There is a policy already. Read it, and send its etag as "If-Match".'
      : isThere
        ? 'The policy was changed since. Read it again.'
        : 'There is no policy any more.';
  return new ContextdError('version_mismatch', message);
}

const pointer = '/directory';
const refusalCodes: Partial<Record<string, ErrorCode>> = {
  outside_roots: 'path_outside_roots',
  not_found: 'not_found',
  not_directory: 'not_found',
  no_space: 'storage_full',
  io_error: 'unavailable',
};

function refused({ code }: { code: WriteRefusal['code'] | 'sensitive' }): ContextdError {
  const words: Readonly<Record<string, string>> = {
    ...refusalWords,
    no_space: 'there is no space left',
    read_only: 'the file system is read-only',
    changed: 'it changed',
    sensitive: 'whatever lies there is sensitive',
  };
  const why = words[code] ?? code;
  const message = `The policy is not written: ${why}.`;
  return new ContextdError(refusalCodes[code] ?? 'conflict', message, [{ pointer, message }]);
}
