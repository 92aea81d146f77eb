/** Writes a policy that the caller has seen, or one where there is none (AP-09). */

import { createHash } from 'node:crypto';
import type { FileSnapshot } from '../access/gate.ts';
import { joinPath } from '../access/paths.ts';
import { type PolicyFileName, policyFileNames } from '../access/policy-file-names.ts';
import { realNamesOf } from '../access/reach.ts';
import { refusalWords } from '../access/refusal-words.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import { ContextdError, type ErrorCode } from '../errors.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { FileWriter, WriteRefusal } from '../ports/ports.ts';
import { withoutMark } from '../texts/decode-text.ts';
import type { Policy } from './policy-file.ts';
import { changePolicyText } from './policy-text.ts';

/** The version of a file: of its bytes, as far as they are read, and its size. */
export function policyEtag({ sha256, bytes }: Pick<FileSnapshot, 'sha256' | 'bytes'>): string {
  return `${sha256.slice(0, 32)}-${bytes}`;
}

/** What a policy is to say, or the whole file as it is to be; `name` says which of two files it is. */
type WantedPolicy = (Pick<Policy, 'aiContextPolicy' | 'exclude'> | { text: string }) & {
  name?: PolicyFileName | undefined;
};

type Present = { path: string; snapshot: FileSnapshot };
type Context = { expected: ExpectedVersion; world: World; fileWriter: FileWriter };

/**
 * Writes into `directory`, which exists, and returns what was written and whether there was nothing. Throws
 * `version_mismatch` where that is not what the caller expects, and what a disk that cannot be written becomes.
 */
export async function writePolicy(
  directory: string,
  wanted: WantedPolicy,
  context: Context,
): Promise<{ written: FileSnapshot; created: boolean }> {
  const { world, fileWriter, expected } = context;
  const { roots } = world.reach;
  const maxBytes = world.limits.configBytes;
  const { name } = wanted;
  const present = await presentPolicies(directory, world, name);
  const seen = present.find(({ snapshot }) => expected(policyEtag(snapshot)));
  if (seen === undefined && (present.length > 0 || !expected(undefined))) throw mismatch(expected, present.length > 0);
  const path = seen?.path ?? joinPath(directory, name ?? policyFileNames[0]);
  const text =
    'text' in wanted
      ? wanted.text
      : changePolicyText(seen?.snapshot.truncated ? undefined : seen?.snapshot.text, wanted);
  const written = snapshotOf(path, text, maxBytes);
  const answer = await fileWriter.replace(path, new TextEncoder().encode(text), {
    roots,
    maxBytes,
    isExpected: isSame(seen),
  });
  if (!answer.ok) throw answer.code === 'changed' ? mismatch(expected, true) : refused(answer);
  return { written, created: seen === undefined };
}

/**
 * Removes the policy of `directory` that the caller has seen, the one of this `name` if it is told, and returns its path.
 * Throws as `writePolicy` does.
 */
export async function removePolicy(
  { directory, name }: { directory: string; name: PolicyFileName | undefined },
  { expected, world, fileWriter }: Context,
): Promise<string> {
  const present = await presentPolicies(directory, world, name);
  const seen = present.find(({ snapshot }) => expected(policyEtag(snapshot)));
  if (seen === undefined) throw mismatch(expected, present.length > 0);
  const answer = await fileWriter.remove(seen.path, {
    ...{ roots: world.reach.roots, maxBytes: world.limits.configBytes, isExpected: isSame(seen) },
  });
  if (!answer.ok) throw answer.code === 'changed' ? mismatch(expected, true) : refused(answer);
  return seen.path;
}

/** A file with this text, as the gate would read it. */
export function snapshotOf(path: string, text: string, maxBytes: number): FileSnapshot & { text: string } {
  const bytes = new TextEncoder().encode(text);
  return {
    path,
    bytes: bytes.length,
    truncated: bytes.length > maxBytes,
    sha256: digest(bytes),
    text: withoutMark(text),
  };
}

/** The policies of a directory, or the one of this name. Throws for one that could not be replaced. */
async function presentPolicies(directory: string, world: World, name?: PolicyFileName): Promise<Present[]> {
  // It could not be read again, and nothing that lies there is ever given away.
  const { roots } = world.reach;
  const names = [directory, ...realNamesOf(directory, roots)].map((name) => joinPath(name, policyFileNames[0]));
  if (names.some(decideSensitive)) throw refused({ code: 'sensitive' });
  const present: Present[] = [];
  for (const each of name === undefined ? policyFileNames : [name]) {
    const path = joinPath(directory, each);
    const stat = await world.gate.stat(path);
    if (!stat.ok && stat.code === 'not_found') continue;
    const options = { roots, followSymlinks: false, maxBytes: world.limits.configBytes };
    const read = await world.gate.readSettings(path, options);
    if (read.ok) present.push({ path, snapshot: read.snapshot });
    else if (read.code !== 'not_found') throw refused({ code: read.code as WriteRefusal['code'] });
  }
  return present;
}

const isSame = (seen: Present | undefined) => (bytes: Uint8Array | undefined) =>
  (bytes === undefined ? undefined : digest(bytes)) === seen?.snapshot.sha256;

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function mismatch(expected: ExpectedVersion, isThere: boolean): ContextdError {
  const changed = expected(undefined)
    ? 'There is a policy already. Read it first.'
    : 'The policy was changed since. Read it again.';
  const message = isThere ? changed : 'There is no policy any more.';
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
  const message = `The policy cannot be changed: ${why}.`;
  return new ContextdError(refusalCodes[code] ?? 'conflict', message, [{ pointer, message }]);
}
