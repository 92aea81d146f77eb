import { expect, it } from 'vitest';
import { freezeWhole, isFrozenWhole } from '../../src/pace/frozen.ts';

it('freezes a value with all its parts, and remembers nothing of the parts', () => {
  const part = { deep: ['a'] };
  const value = freezeWhole({ parts: [part] });
  expect([value, value.parts, part, part.deep].every(Object.isFrozen)).toBe(true);
  expect(isFrozenWhole(value)).toBe(true);
  expect([value.parts, part, part.deep].some(isFrozenWhole)).toBe(false);
  expect(isFrozenWhole(Object.freeze({ parts: [] }))).toBe(false);
  for (const each of ['a', 1, null, undefined]) expect(freezeWhole(each)).toBe(each);
});
