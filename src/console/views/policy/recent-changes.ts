/** What was done to policy files from here, over a list of them that was asked for before and cannot say so. */
import { signal } from '@preact/signals';
import type { PolicyDocument, PolicyList } from '../../../policy/policy-requests.ts';
import type { PolicyPlace } from './policy-place.ts';

/** What lies there since; undefined where it was removed. Lists that were asked for later know better. */
type Change = { document: PolicyDocument | undefined; atMs: number };

const changes = signal<ReadonlyMap<string, Change>>(new Map());

const keyOf = ({ mountedDirectory, path }: PolicyPlace) => `${mountedDirectory}\n${path}`;

function set(key: string, change: Change | undefined): void {
  const next = new Map(changes.peek());
  if (change === undefined) next.delete(key);
  else next.set(key, change);
  changes.value = next;
}

export function noteWritten(place: PolicyPlace, document: PolicyDocument): void {
  set(keyOf(place), { document, atMs: performance.now() });
}

/** From its beginning on, so that no list is seen that tells of the removal before its answer; throws what `removal` throws. */
export async function noteRemoval(place: PolicyPlace, removal: () => Promise<unknown>): Promise<void> {
  const key = keyOf(place);
  const before = changes.peek().get(key);
  set(key, { document: undefined, atMs: Number.POSITIVE_INFINITY });
  try {
    await removal();
  } catch (error) {
    set(key, before);
    throw error;
  }
  set(key, { document: undefined, atMs: performance.now() });
}

/** The policies of a list, with what was done since it was asked for. */
export function withRecentChanges(
  mountedDirectory: string,
  { policies, askedAtMs }: Pick<PolicyList, 'policies'> & { askedAtMs: number },
): readonly PolicyDocument[] {
  const now = new Map(policies.map((document) => [document.path, document]));
  for (const [key, { document, atMs }] of changes.value) {
    const path = key.slice(mountedDirectory.length + 1);
    if (keyOf({ mountedDirectory, path }) !== key || atMs <= askedAtMs) continue;
    if (document === undefined) now.delete(path);
    else now.set(path, document);
  }
  return [...now.values()];
}
