/** What is wrong with the state directory is said where the data lies elsewhere, too. */
import { describe, expect, it } from 'vitest';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import type { Warning } from '../../../src/warnings.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../../support/shared-postgres.ts';
import { openStore } from './support.ts';

describe.skipIf(!hasPostgres)(`a shared store ${onPostgres}`, () => {
  it('S-71 warns of the full disk of the state directory', async () => {
    const full: Warning = { code: 'storage_full', message: 'The disk of /state is full.' };
    const local = { ...createSqliteStore(':memory:'), warnings: async () => [full] };
    const store = await openStore(await createTestDatabase(), { local });
    expect(await store.warnings()).toEqual([full]);
    await store.close();
  });
});
