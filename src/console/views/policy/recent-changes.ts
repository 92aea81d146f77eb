/** What was done to policy files from here, over a list of them that was asked for before and may not say so. */
import { signal } from '@preact/signals';
import type { PolicyDocument, PolicyList } from '../../../policy/policy-requests.ts';

/** What lies there since; undefined where it was removed. */
type Change = { document: PolicyDocument | undefined; atMs: number };
/** `askedAtMs` as `performance.now()` says it. */
export type AskedPolicies = Pick<PolicyList, 'policies'> & { askedAtMs: number };

/** By path. */
const changes = signal<ReadonlyMap<string, Change>>(new Map());

/** Says what lies at `path` from now on: `undefined` for nothing. */
export function noteChange(path: string, document: PolicyDocument | undefined): void {
  changes.value = new Map(changes.peek()).set(path, { document, atMs: performance.now() });
}

/** Whether something was done since the list was asked for, so that it is to be asked for again. */
export function isBehind({ askedAtMs }: AskedPolicies): boolean {
  return [...changes.value.values()].some(({ atMs }) => atMs > askedAtMs);
}

/** The policies of a list, with what was done since it was asked for. */
export function withRecentChanges(
  mountedDirectory: string,
  { policies, askedAtMs }: AskedPolicies,
): readonly PolicyDocument[] {
  const start = mountedDirectory === '/' ? '/' : `${mountedDirectory}/`;
  const now = new Map(policies.map((document) => [document.path, document]));
  for (const [path, { document, atMs }] of changes.value) {
    if (atMs <= askedAtMs) continue;
    if (document === undefined) now.delete(path);
    else if (path.startsWith(start)) now.set(path, document);
  }
  return [...now.values()];
}
