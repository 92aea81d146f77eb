/** A piece of the torture passes only for what really ran. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { pieces } from './pieces.ts';
import { isPassed, readTests } from './report.ts';

let directory: string;
let path: string;
beforeAll(() => {
  directory = temporaryDirectory();
  path = join(directory, 'report.json');
});

const files = ['test/a.test.ts', 'test/b.test.ts'];
/** Reads a report of these files, whose tests ended so. */
function read(outcomes: Record<string, string[]>) {
  const testResults = Object.entries(outcomes).map(([file, statuses]) => ({
    name: join('/root', file),
    message: '',
    assertionResults: statuses.map((status) => ({ fullName: 'S-1 works', status, failureMessages: [] })),
  }));
  writeFileSync(path, JSON.stringify({ testResults }));
  return readTests(path, { root: '/root', files });
}

it('passes when every file ran, though some tests were skipped', () => {
  const tests = read({ 'test/a.test.ts': ['passed', 'pending'], 'test/b.test.ts': ['passed'] });
  expect(tests.map(({ file }) => file)).toEqual(['test/a.test.ts', 'test/a.test.ts', 'test/b.test.ts']);
  expect([isPassed(0, tests), isPassed(1, tests), isPassed(null, tests)]).toEqual([true, false, false]);
});

it('tells what a test says that it has measured', () => {
  const assertionResults = [{ fullName: 'works', status: 'passed', failureMessages: [], meta: { measured: '5 ms' } }];
  writeFileSync(path, JSON.stringify({ testResults: [{ name: '/root/a', message: '', assertionResults }] }));
  expect(readTests(path, { root: '/root', files: ['a'] })).toMatchObject([{ result: 'passed', measured: '5 ms' }]);
});

it.each([
  ['a file is missing', { 'test/a.test.ts': ['passed'] }],
  ['a file has no test', { 'test/a.test.ts': ['passed'], 'test/b.test.ts': [] }],
  ['a test failed', { 'test/a.test.ts': ['passed'], 'test/b.test.ts': ['failed'] }],
  ['all are skipped', { 'test/a.test.ts': ['skipped'], 'test/b.test.ts': ['todo'] }],
])('fails when %s', (_, outcomes) => {
  expect(isPassed(0, read(outcomes))).toBe(false);
});

it('fails when there is no report', () => {
  const tests = readTests(join(directory, 'none.json'), { root: '/root', files });
  expect(tests.map(({ file, result }) => [file, result])).toEqual(files.map((file) => [file, 'failed']));
  expect(isPassed(0, tests)).toBe(false);
});

it.each(['x', '0', '1.5'])('refuses the size %s', (size) => {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), 'globs', `--size=${size}`]);
  expect([run.status, String(run.stderr)]).toEqual([64, '--size takes a number above 0, at most 1.\n']);
});

it('has only pieces whose files are there', () => {
  const names = Object.values(pieces).flatMap((piece) => piece.files);
  const missing = names.filter((name) => !existsSync(join(import.meta.dirname, '..', `${name}.test.ts`)));
  expect(missing).toEqual([]);
});
