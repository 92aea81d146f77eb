import { expect, it } from 'vitest';
import { onPolicyChanges } from '../../src/console/views/policy/policy-events.ts';

it('SY-03 the policies of a directory are asked for again where only a change of a folder is told', () => {
  const { events, concerns } = onPolicyChanges('/shop');
  const data = { mountedDirectories: ['/shop'], changes: [{ path: '/shop/docs', change: 'changed' }] };
  expect(events).toContain('context-changed');
  expect(concerns({ data })).toBe(true);
  expect(concerns({ data: { ...data, mountedDirectories: ['/other'] } })).toBe(false);
});
