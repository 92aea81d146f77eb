import { expect, it } from 'vitest';
import { formatNames, targetNames } from '../../../src/context/formats/format-names.ts';
import { ruleFormats } from '../../../src/context/formats/formats.ts';

it('FM-01 the names of formats are those of the formats, and targets are those that say how they are written', () => {
  expect(formatNames).toEqual(ruleFormats.map(({ name }) => name));
  const written = ruleFormats.flatMap(({ name, write }) => (write ? [name] : []));
  expect(targetNames).toEqual(['context', ...written].sort());
});
