/** A process that writes to the database at its first argument until it is killed, and says what it was promised. */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';

// Nothing is kept when it is killed.
flushCompileCache();
const [path = '', from = '0'] = process.argv.slice(2);
const store = createSqliteStore(path, { heal: true });
for (let n = Number(from); ; n += 1) {
  const id = n.toString(16).padStart(32, '0');
  await store.supplementary.append('/p', { id, kind: 'file', path: `/p/${n}`, addedAt: '2026-01-01T00:00:00.000Z' });
  // Said at once, or it could be lost with the process.
  writeSync(1, `${n}\n`);
}
