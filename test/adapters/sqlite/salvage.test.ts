import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { quarantine, quarantineWarnings } from '../../../src/adapters/sqlite/health.ts';
import { salvage } from '../../../src/adapters/sqlite/salvage.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

it('S-72 takes over agents with all of their rules, and none of which only some can be read', async () => {
  const directory = temporaryDirectory();
  const [damaged, healed] = [join(directory, 'damaged.db'), join(directory, 'healed.db')];
  const at = '2026-01-01T00:00:00.000Z';
  const items = ['a', 'b'].map((name, index) => {
    const json = `{"name":"${name}","text":"T."}`;
    return { kind: 'rules' as const, name, position: index + 1, json, bytes: json.length };
  });
  const before = createSqliteStore(damaged);
  for (const id of ['whole', 'partial', 'plain'])
    await before.agents.put({
      id,
      summary: '{"name":"A"}',
      document: '{"name":"A"}',
      createdAt: at,
      updatedAt: at,
      items: id === 'plain' ? [] : items,
    });
  await before.close();
  const database = new DatabaseSync(damaged);
  database.exec("UPDATE agent_items SET item = '{}' WHERE agent_id = 'partial' AND name = 'b'");
  database.close();
  const into = openDatabase(healed);
  salvage(damaged, into);
  into.close();
  const after = createSqliteStore(healed);
  expect((await after.agents.list()).map(({ id }) => id)).toEqual(['plain', 'whole']);
  expect((await after.agents.get('whole'))?.items).toEqual(items);
  expect(await after.warnings()).toEqual([]);
  await after.close();
});

it('S-72 takes over agents of a damaged database that is older than rows of their rules', async () => {
  const directory = temporaryDirectory();
  const [damaged, healed] = [join(directory, 'damaged.db'), join(directory, 'healed.db')];
  const at = '2026-01-01T00:00:00.000Z';
  const before = createSqliteStore(damaged);
  const agent = { id: 'a', summary: '{"name":"A"}', document: '{"name":"A"}', createdAt: at, updatedAt: at };
  await before.agents.put({ ...agent, items: [] });
  await before.close();
  const database = new DatabaseSync(damaged);
  database.exec('ALTER TABLE agents DROP COLUMN items; DROP TABLE agent_items');
  database.close();
  const into = openDatabase(healed);
  salvage(damaged, into);
  into.close();
  const after = createSqliteStore(healed);
  expect(await after.agents.get('a')).toMatchObject({ document: '{"name":"A"}', items: [] });
  await after.close();
});

it('S-72 removes each file of its copy, even if another cannot be removed', () => {
  const directory = temporaryDirectory();
  const damaged = join(directory, 'damaged.db');
  openDatabase(damaged).close();
  mkdirSync(`${damaged}.reading`);
  for (const suffix of ['-wal', '-shm', '-journal']) writeFileSync(`${damaged}.reading${suffix}`, '');
  const into = openDatabase(join(directory, 'healed.db'));
  salvage(damaged, into);
  into.close();
  expect(readdirSync(directory).filter((name) => name.startsWith('damaged'))).toEqual([
    'damaged.db',
    'damaged.db.reading',
  ]);
});

it('S-72 keeps the journal of a damaged database beside it, when a killed process had not set it aside', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'state.db');
  const before = createSqliteStore(path);
  await before.roots.add({ path: '/home/ada', grantedAt: '2026-01-01T00:00:00.000Z' });
  await before.close();
  renameSync(path, `${path}.salvaged`);
  for (const suffix of ['.corrupt-20260101T000000Z', '-wal']) writeFileSync(path + suffix, 'x'.repeat(4_096));
  const after = createSqliteStore(path, { heal: true });
  expect(await after.roots.list()).toHaveLength(1);
  await after.close();
  const corrupt = 'state.db.corrupt-20260101T000000Z';
  expect(readdirSync(directory).sort()).toEqual(['state.db', corrupt, `${corrupt}-wal`, 'state.db.reserve']);
});

it('S-72 names the database that was set aside, even if a copy of it was left behind', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'state.db');
  openDatabase(path).close();
  const aside = quarantine(path);
  writeFileSync(`${aside}.reading`, '');
  const [warning] = quarantineWarnings(path);
  expect(warning?.path).toBe(aside);
  expect(warning?.message).not.toContain('Earlier ones');
});
