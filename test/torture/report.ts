/** What vitest tells of the files that it was given. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** `measured` is what the test says that it has seen, beside its result. */
export type Test = {
  title: string;
  file: string;
  result: string;
  durationMs: number;
  measured?: string;
  failure?: string;
};

/** What vitest writes, as far as it is used. */
type Report = {
  testResults: {
    name: string;
    message: string;
    assertionResults: {
      fullName: string;
      status: string;
      duration?: number;
      failureMessages: string[];
      meta?: { measured?: string };
    }[];
  }[];
};

const failedFile = (title: string, file: string, failure: string): Test[] => [
  { title, file, result: 'failed', durationMs: 0, failure: failure.slice(0, 2_000) },
];

/**
 * Every test in the report at `path`; `files` are those that were to run, relative to `root`. One that is not in the report,
 * or a report that is not there, counts as failed.
 */
export function readTests(path: string, { root, files }: { root: string; files: readonly string[] }): Test[] {
  let testResults: Report['testResults'] = [];
  let failure = 'vitest did not run it';
  try {
    ({ testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report);
  } catch (error) {
    failure = `vitest left no report: ${error}`;
  }
  const missing = files.filter((file) => !testResults.some(({ name }) => name === join(root, file)));
  return [
    ...testResults.flatMap((result) => testsOf(result, relative(root, result.name))),
    ...missing.flatMap((file) => failedFile('the file was not run', file, failure)),
  ];
}

/** A title says how much was tried. */
function testsOf({ message, assertionResults }: Report['testResults'][number], file: string): Test[] {
  if (assertionResults.length === 0) return failedFile('the file as a whole', file, message || 'It has no test.');
  return assertionResults.map(({ fullName, status, duration = 0, failureMessages: [failure], meta }) => ({
    title: fullName,
    file,
    result: status,
    durationMs: Math.round(duration),
    ...(meta?.measured === undefined ? {} : { measured: meta.measured }),
    ...(failure === undefined ? {} : { failure: failure.slice(0, 2_000) }),
  }));
}

/** How many passed, and how many were left out. */
export function countTests(tests: readonly { result: string }[]): { passed: number; skipped: number } {
  const passed = tests.filter(({ result }) => result === 'passed').length;
  const skipped = tests.filter(({ result }) => ['skipped', 'pending', 'todo', 'disabled'].includes(result)).length;
  return { passed, skipped };
}

/** Passed is what ended well, with nothing failed and something passed. */
export function isPassed(exitCode: number | null, tests: readonly { result: string }[]): boolean {
  const { passed, skipped } = countTests(tests);
  return exitCode === 0 && passed > 0 && passed + skipped === tests.length;
}
