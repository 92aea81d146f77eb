/** Lists the policies of a tree, with their text (AP-09). */

import { baseName, joinPath, parentPath } from '../access/paths.ts';
import { isPolicyFile, policyFileNames } from '../access/policy-file-names.ts';
import type { Read } from '../access/read-place.ts';
import { realPathOf } from '../access/real-place.ts';
import { etagOf } from '../access/seen-file.ts';
import { unlistedWarnings, walkTree } from '../access/walk.ts';
import type { World } from '../access/world.ts';
import { turnToParse } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { type LoadedPolicy, takePolicy } from './load-policy.ts';
import { policyWarnings } from './policies.ts';
import type { PolicyDocument } from './policy-requests.ts';

/** Does not enter `.git`, nor directories with the name of a policy. */
export async function listPolicies(
  directory: string,
  world: World,
): Promise<{ policies: PolicyDocument[]; warnings: Warning[] }> {
  const misplaced: string[] = [];
  const walk = await walkTree(directory, world, {
    enter(path) {
      if (isPolicyFile(path)) misplaced.push(path);
      return baseName(path) !== '.git' && !isPolicyFile(path);
    },
    accept: isPolicyFile,
  });
  const found = walk.found.map(({ path }) => path).filter(isPolicyFile);
  const paths = [...found, ...misplaced].sort();
  const loaded: LoadedPolicy[] = [];
  const policies: PolicyDocument[] = [];
  let bytesLeft = world.limits.answerBytes;
  for (const path of paths) {
    if (bytesLeft <= 0 || policies.length === fixedLimits.policies.listed || world.isLate()) break;
    const read = await readPolicyDocument(path, world);
    loaded.push(read.policy);
    policies.push(read.document);
    bytesLeft -= read.document.text?.length ?? 0;
  }
  const warnings = [...unlistedWarnings(walk), ...policyWarnings(loaded)];
  if (policies.length < paths.length) {
    const message = `Only ${policies.length} of ${paths.length} policies are shown.`;
    warnings.push({ code: 'limit_policies', message, path: directory });
  }
  return { policies, warnings };
}

/** The policy at a path where one exists, readable or not. */
async function readPolicyDocument(path: string, world: World) {
  const read = await readPolicyAt(path, world);
  if (read.ok) await turnToParse(read.snapshot.text);
  return showPolicy(path, read, world.limits.configBytes);
}

/** Follows links to the directory if the world follows links, but never a policy file that is a link. */
export async function readPolicyAt(path: string, { gate, reach, limits }: World): Promise<Read> {
  const { roots, followSymlinks } = reach;
  const real = followSymlinks ? await realPathOf(parentPath(path), gate.realPath) : undefined;
  const place = real === undefined ? path : joinPath(real, baseName(path));
  return gate.readSettings(place, { roots, followSymlinks: false, maxBytes: limits.configBytes });
}

/** The policies in a directory, readable or not. */
export async function loadPoliciesIn(directory: string, world: World): Promise<LoadedPolicy[]> {
  const paths = policyFileNames.map((name) => joinPath(directory, name));
  const stats = await Promise.all(paths.map((path) => world.gate.stat(path)));
  const present = paths.filter((_, index) => {
    const stat = stats[index];
    return stat?.ok === true || stat?.code !== 'not_found';
  });
  return Promise.all(present.map(async (path) => (await readPolicyDocument(path, world)).policy));
}

/** A policy for answers. It may have been read or refused. */
export function showPolicy(
  path: string,
  read: Parameters<typeof takePolicy>[1],
  configBytes: number,
): { document: PolicyDocument; policy: LoadedPolicy } {
  const policy = takePolicy(path, read, configBytes);
  const { directory, valid } = policy;
  const text = read.ok && !read.snapshot.truncated ? read.snapshot.text : undefined;
  const document = {
    path,
    directory,
    ...policy.value,
    valid,
    etag: read.ok ? etagOf(read.snapshot) : undefined,
    text,
  };
  return { document, policy };
}
