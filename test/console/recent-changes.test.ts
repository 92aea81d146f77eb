/** What was done to policies from the console shows at once, and never longer than until a later list says what is there. */
import { expect, it } from 'vitest';
import { isBehind, noteChange, withRecentChanges } from '../../src/console/views/policy/recent-changes.ts';
import type { PolicyDocument } from '../../src/policy/policy-requests.ts';

const documentAt = (directory: string, etag = '1'): PolicyDocument => ({
  path: `${directory}/.ai-context-policy.yaml`,
  directory,
  etag,
  text: '',
  aiContextPolicy: 'allow',
  exclude: [],
  version: 1,
  valid: true,
});
const etagsOf = (mountedDirectory: string, askedAtMs: number, policies: PolicyDocument[]) =>
  withRecentChanges(mountedDirectory, { askedAtMs, policies }).map(({ directory, etag }) => `${directory} ${etag}`);

it('SY-03 shows what was written and removed over the lists that were asked for before, and over no other', async () => {
  const before = performance.now() - 1;
  const [kept, changed, removed] = ['/a', '/a/b', '/a/c'].map((directory) => documentAt(directory)) as [
    PolicyDocument,
    PolicyDocument,
    PolicyDocument,
  ];
  const list = [kept, changed, removed];
  expect(isBehind({ askedAtMs: before, policies: list })).toBe(false);
  noteChange(changed.path, documentAt('/a/b', '2'));
  noteChange(removed.path, undefined);
  noteChange('/ab/.ai-context-policy.yaml', documentAt('/ab'));
  expect(etagsOf('/a', before, list)).toEqual(['/a 1', '/a/b 2']);
  // Removed below another mounted directory it is removed here, too; what lies elsewhere is not shown.
  expect(etagsOf('/a/c', before, [removed])).toEqual([]);
  expect(etagsOf('/', before, [])).toEqual(['/a/b 2', '/ab 1']);
  expect(isBehind({ askedAtMs: before, policies: list })).toBe(true);
  // Written again by somebody else, byte for byte the same.
  const later = performance.now() + 1;
  expect(etagsOf('/a', later, list)).toEqual(['/a 1', '/a/b 1', '/a/c 1']);
  expect(isBehind({ askedAtMs: later, policies: list })).toBe(false);
  // Of two changes the last counts.
  noteChange(removed.path, documentAt('/a/c', '3'));
  expect(etagsOf('/a', before, [])).toEqual(['/a/b 2', '/a/c 3']);
});
