/** Changes of policy files that this page made after a list was requested, so that the list does not have them yet. */
import { signal } from '@preact/signals';
import type { PolicyDocument, PolicyList } from '../../../policy/policy-requests.ts';

/** The file after the change. Undefined if it was removed. */
type Change = { document: PolicyDocument | undefined; atMs: number };
/** `askedAtMs`: on the clock of `performance.now()`. */
type AskedPolicies = Pick<PolicyList, 'policies'> & { askedAtMs: number };

/** By path. */
const changes = signal<ReadonlyMap<string, Change>>(new Map());

/** Notes the new file at `path`; `undefined` if it was removed. */
export function noteChange(path: string, document: PolicyDocument | undefined): void {
  changes.value = new Map(changes.peek()).set(path, { document, atMs: performance.now() });
}

/** Whether a change is newer than the list, so that the list must be requested again. */
export function isBehind({ askedAtMs }: AskedPolicies): boolean {
  return [...changes.value.values()].some(({ atMs }) => atMs > askedAtMs);
}

/** The policies of a list, with newer changes. */
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
