/** Finds server lists of other tools, in place (FM-11). */
import type { FileSnapshot } from '../../access/gate.ts';
import { joinPath } from '../../access/paths.ts';
import { liesInRoots } from '../../access/reach.ts';
import type { World } from '../../access/world.ts';
import { turnToParse } from '../../pace/turns.ts';
import type { ContextDirectory } from '../directories.ts';
import { notRead, tooLarge } from '../load-directory.ts';
import { parseServerList, type ServerList } from '../server-lists/server-list.ts';
import type { LookedAt } from './rule-places.ts';
import type { Found } from './source.ts';

/** Policies apply to it: unlike our own configurations, it is at a place where a project has other things too. */
export function readServerList(
  path: string,
  { gate, reach, limits }: World,
): ReturnType<World['gate']['readSettings']> {
  return gate.readSettings(path, { ...reach, maxBytes: limits.configBytes }, reach.policies);
}

/** The content of a list. Cached by snapshot. */
export async function parseListSnapshot(snapshot: FileSnapshot, list: ServerList) {
  const before = parsed.get(snapshot);
  if (before !== undefined) return before;
  const { path, text = '' } = snapshot;
  const turn = turnToParse(text);
  if (turn) await turn;
  const made = await parseServerList(text, list, path);
  parsed.set(snapshot, made);
  return made;
}

const parsed = new WeakMap<FileSnapshot, Awaited<ReturnType<typeof parseServerList>>>();

/** Nothing reveals whether a file outside the granted roots exists. */
async function isThere(path: string, { gate, reach }: World, evidence: unknown[]): Promise<boolean> {
  const real = await gate.realPath(path);
  const isThere = real.ok && liesInRoots(real.realPath, reach.roots);
  evidence.push(`${path}:${isThere}`);
  return isThere;
}

export async function takeServerList(
  list: ServerList,
  {
    directory: { owner, scope },
    kindOf,
    world,
    result,
  }: LookedAt & { directory: ContextDirectory; world: World; result: Required<Found> },
): Promise<void> {
  const { warnings, evidence, serverLists } = result;
  for (const place of list.firstOf) {
    const kind = await kindOf(place);
    const path = joinPath(owner, place);
    const isFollowed = kind === 'symlink' && world.reach.followSymlinks;
    if (kind === undefined || (kind === 'behind_link' && !(await isThere(path, world, evidence)))) continue;
    if (kind !== 'file' && !isFollowed) {
      const isLink = kind === 'symlink' || kind === 'behind_link';
      warnings.push(notRead(path, isLink ? 'symlink' : 'not_regular_file'));
      return;
    }
    const read = await readServerList(path, world);
    evidence.push(read.ok ? read.snapshot : `${path}:${read.code}`);
    if (!read.ok) {
      warnings.push(notRead(path, read.code));
      return;
    }
    const { snapshot } = read;
    if (snapshot.text === undefined) warnings.push(notRead(path, snapshot.problem ?? 'binary'));
    else if (snapshot.truncated) warnings.push(tooLarge(path, world.limits.configBytes));
    else {
      const { text } = snapshot;
      const { value, warnings: found } = await parseListSnapshot(snapshot, list);
      warnings.push(...found);
      serverLists.push({ path, owner, scope, text, value, list });
    }
    return;
  }
}
