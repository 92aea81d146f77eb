import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { createGroupCommit } from '../../../src/adapters/sqlite/group-commit.ts';

let database: DatabaseSync;
let executed: string[];
let failAt: string | undefined;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE numbers (number INTEGER)');
  executed = [];
  failAt = undefined;
  const exec = database.exec.bind(database);
  database.exec = (sql: string) => {
    executed.push(sql);
    if (sql === failAt) throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    exec(sql);
  };
});
const insert = (number: number) => (): number => {
  database.prepare('INSERT INTO numbers VALUES (?)').run(number);
  return number;
};
const stored = () =>
  database
    .prepare('SELECT number FROM numbers ORDER BY rowid')
    .all()
    .map(({ number }) => number);
const commits = () => executed.filter((sql) => sql === 'COMMIT').length;

it('S-69 commits what comes together once, in order, and answers after the commit', async () => {
  const { write: commit } = createGroupCommit(database, 1_000);
  const answers: number[] = [];
  const writes = [1, 2, 3].map((number) => commit(insert(number)).then((answer) => answers.push(answer)));
  expect([answers, commits()]).toEqual([[], 0]);
  await Promise.all(writes);
  expect([answers, commits(), stored()]).toEqual([[1, 2, 3], 1, [1, 2, 3]]);
  await commit(insert(4));
  expect(commits()).toBe(2);
});

it('S-69 lets other work go on between large groups', async () => {
  const { write: commit } = createGroupCommit(database, 1_000);
  const writes = Array.from({ length: 450 }, (_, number) => commit(insert(number)));
  let turns = 0;
  const counting = (async () => {
    for (; commits() < 3; turns += 1) await nextTurn();
  })();
  await Promise.all(writes);
  await counting;
  expect(commits()).toBe(3);
  expect(turns).toBeGreaterThanOrEqual(2);
  expect(stored()).toEqual(Array.from({ length: 450 }, (_, number) => number));
});

it('S-68 refuses all when the commit fails, and goes on', async () => {
  const { write: commit } = createGroupCommit(database, 1_000);
  failAt = 'COMMIT';
  const outcomes = await Promise.allSettled([commit(insert(1)), commit(insert(2))]);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual(
    Array(2).fill('unavailable'),
  );
  failAt = undefined;
  expect(await commit(insert(3))).toBe(3);
  expect(stored()).toEqual([3]);
});

it('S-71 refuses what was in a transaction that SQLite gives up in the middle, and goes on with the rest', async () => {
  const { write: commit } = createGroupCommit(database, 1_000);
  const giveUp = (): never => {
    database.exec('ROLLBACK');
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  };
  const outcomes = await Promise.allSettled([commit(insert(1)), commit(giveUp), commit(insert(2))]);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual([
    ...['storage_full', 'storage_full'],
    false,
  ]);
  expect(await commit(insert(3))).toBe(3);
  expect(stored()).toEqual([2, 3]);
});

it('S-67 undoes alone what throws alone', async () => {
  const { write: commit } = createGroupCommit(database, 1_000);
  const throwing = (): never => {
    insert(2)();
    throw new Error('no');
  };
  const outcomes = await Promise.allSettled([commit(insert(1)), commit(throwing), commit(insert(3))]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(stored()).toEqual([1, 3]);
});

it('S-68 refuses all when no transaction can begin, and goes on', async () => {
  const { write: commit } = createGroupCommit(database, 1_000);
  failAt = 'BEGIN IMMEDIATE';
  const outcomes = await Promise.allSettled([commit(insert(1)), commit(insert(2))]);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual(
    Array(2).fill('unavailable'),
  );
  failAt = undefined;
  expect(await commit(insert(3))).toBe(3);
  expect(stored()).toEqual([3]);
});

it('S-69 goes on, job by job, when each transaction takes long to begin', async () => {
  const { write: commit } = createGroupCommit(database, 1_000);
  const { exec } = database;
  database.exec = (sql: string) => {
    for (const end = performance.now() + 60; sql === 'BEGIN IMMEDIATE' && performance.now() < end; );
    exec(sql);
  };
  expect(await Promise.all([1, 2, 3].map((number) => commit(insert(number))))).toEqual([1, 2, 3]);
  expect(stored()).toEqual([1, 2, 3]);
});
