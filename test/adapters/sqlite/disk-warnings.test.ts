import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { diskWarnings } from '../../../src/adapters/sqlite/health.ts';

// Other systems have no /proc.
it.skipIf(!existsSync('/proc/self'))('S-71 takes a disk of unknown size for no full one', () => {
  expect(diskWarnings('/proc')).toEqual([]);
});
