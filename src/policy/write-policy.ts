/** Writes a policy that the caller has seen, or a new one (AP-09). */

import type { FileSnapshot } from '../access/gate.ts';
import { joinPath } from '../access/paths.ts';
import { type PolicyFileName, policyFileNames } from '../access/policy-file-names.ts';
import { realNamesOf } from '../access/reach.ts';
import {
  etagOf,
  failedChange,
  isSame,
  mismatch,
  presentFile,
  refusedChange,
  type SeenKind,
  snapshotOf,
} from '../access/seen-file.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { FileWriter } from '../ports/ports.ts';
import type { Policy } from './policy-file.ts';
import { changePolicyText } from './policy-text.ts';

const kind: SeenKind = { what: 'policy', pointer: '/directory' };

/** The settings of the policy, or its whole text. `name`: which of the two files. */
type WantedPolicy = (Pick<Policy, 'aiContextPolicy' | 'exclude'> | { text: string }) & {
  name?: PolicyFileName | undefined;
};

type Present = { path: string; snapshot: FileSnapshot };
type Context = { expected: ExpectedVersion; world: World; fileWriter: FileWriter };

/**
 * Writes into `directory`, which exists. Returns what was written, and whether the file is new. Throws
 * `version_mismatch` if the present version is not the expected one, and errors for a file that cannot be written.
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
  const seen = present.find(({ snapshot }) => expected(etagOf(snapshot)));
  if (seen === undefined && (present.length > 0 || !expected(undefined)))
    throw mismatch(kind, expected, present.length > 0);
  const path = seen?.path ?? joinPath(directory, name ?? policyFileNames[0]);
  const text =
    'text' in wanted
      ? wanted.text
      : changePolicyText(seen?.snapshot.truncated ? undefined : seen?.snapshot.text, wanted);
  const written = snapshotOf(path, text, maxBytes);
  const answer = await fileWriter.replace(path, new TextEncoder().encode(text), {
    roots,
    maxBytes,
    isExpected: isSame(seen?.snapshot),
  });
  if (!answer.ok) throw failedChange(kind, answer, expected);
  return { written, created: seen === undefined };
}

/**
 * Removes the policy of `directory` that the caller has seen, and returns its path. `name`: which of the two files.
 * Throws as `writePolicy` does.
 */
export async function removePolicy(
  { directory, name }: { directory: string; name: PolicyFileName | undefined },
  { expected, world, fileWriter }: Context,
): Promise<string> {
  const present = await presentPolicies(directory, world, name);
  const seen = present.find(({ snapshot }) => expected(etagOf(snapshot)));
  if (seen === undefined) throw mismatch(kind, expected, present.length > 0);
  const answer = await fileWriter.remove(seen.path, {
    roots: world.reach.roots,
    maxBytes: world.limits.configBytes,
    isExpected: isSame(seen.snapshot),
  });
  if (!answer.ok) throw failedChange(kind, answer, expected);
  return seen.path;
}

/** The policies of a directory, or only the one with this name. Throws if one could not be replaced. */
async function presentPolicies(directory: string, world: World, name?: PolicyFileName): Promise<Present[]> {
  // If the place is sensitive, contextd could not read the file again, and nothing there is ever delivered.
  const places = [directory, ...realNamesOf(directory, world.reach.roots)];
  const names = places.map((place) => joinPath(place, policyFileNames[0]));
  if (names.some(decideSensitive)) throw refusedChange(kind, { code: 'sensitive' });
  const present: Present[] = [];
  for (const each of name === undefined ? policyFileNames : [name]) {
    const path = joinPath(directory, each);
    const snapshot = await presentFile(path, world, kind);
    if (snapshot !== undefined) present.push({ path, snapshot });
  }
  return present;
}
