import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { daemonEnvironment } from './src/bin/daemon/node-options.ts';

// Tests start thousands of processes. That takes the longer the more memory the worker has, so it gives back what it has freed.
Object.assign(process.env, { ...daemonEnvironment, ...process.env });

/** They hold a time that a busy machine misses, so that nothing runs beside them: after the others, one at a time. */
const timed = ['test/hostile/{patterns,trees}.test.ts', 'test/e2e/{held-load,load,overload}.test.ts'];

/** In the folders of the unit tests, but too slow to be run after every change. */
const slow = [
  // Thousands of generated cases.
  'test/**/*{hostile,picomatch,properties,property,weight}.test.ts',
  'test/{access/sensitive,agent/agent-document,mcp/trust,policy/policy-text,spec/{convert-round-trips,never-stale},validation/json-schemas}.test.ts',
  'test/texts/{find-secrets,suspicious-unicode}.test.ts',
  // Texts of megabytes, a hundred thousand names, vectors or documents.
  'test/{console/parity,context/leaving-value,mcp/tool-lists,policy/levels,spec/several-directories,supplementary/file-search}.test.ts',
  'test/validation/many-names.test.ts',
  'test/search/{compounds,key-rows,keyword-index,relevance,semantic-index,terms,vector-block,vector-room}.test.ts',
  // A real clock, or threads.
  'test/{events/watching,mcp/followed,spec/lasting}.test.ts',
];
/** What needs no process, no socket and no sleep: `npm run test:unit`. */
const unit = globSync(
  'test/{access,agent,budget,console,context,contracts,events,globs,mcp,mcp-server,pace,policy,retrieval,search,session,sign-in,spec,supplementary,texts,tokens,validation}/**/*.test.ts',
  // That one asks for another umask, which is the whole process's.
  { cwd: import.meta.dirname, exclude: [...slow, 'test/contracts/file-writer.test.ts'] },
);
/** They count memory, of which other files leave some behind, or the descriptors of the process. */
const measuring = [
  'test/adapters/files/**/*.test.ts',
  'test/globs/globs-{hostile,weight}.test.ts',
  'test/hostile/mcp-floods.test.ts',
  'test/search/{compounds,key-rows,keyword-index}.test.ts',
];
/** They put something in the place of a module, which others have loaded already. */
const mocking = [
  'test/adapters/{mcp-rebinding,embedding/transformers-embedder,workers/schema-checker-threads}.test.ts',
  'test/bin/daemon/watchdogs.test.ts',
];
/** It leaves a bundler and its memory behind, with which the starts of other files would take longer. */
const leaving = ['test/e2e/package.test.ts'];
/** They ask an app or a part of it in their own process, and leave nothing there that another file sees. */
const inProcess = globSync(
  [
    'test/{bin/render,routes}/**/*.test.ts',
    'test/adapters/sqlite/{group-commit,import,row-hash,session-purge}.test.ts',
    ...slow,
  ],
  { cwd: import.meta.dirname, exclude: [...unit, ...measuring] },
);
/** They start the program as it is installed, and some a PostgreSQL. */
const globalSetup = ['test/support/build-program.ts', 'test/support/shared-postgres.ts'];
/** The built console in a real browser: `npm run test:browser`. */
const browser = 'test/browser/**/*.test.ts';

const processors = availableParallelism();
/** They wait for nobody, so more at once would only load the same modules once more. */
const busy = { maxWorkers: processors, sequence: { groupOrder: 0 } };
/** Many wait for processes that they have started. */
const waiting = { maxWorkers: processors + 3, sequence: { groupOrder: 1 } };
const alone = { maxWorkers: 1, sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    setupFiles: ['test/support/remove-temporary-directories.ts', 'test/support/watch-answers.ts'],
    // Parsers are large functions of WebAssembly. Optimising them takes longer than it saves here.
    execArgv: ['--liftoff-only'],
    projects: [
      // One after the other in the same process: each would spend half its time on imports otherwise.
      { extends: true, test: { name: 'unit', include: unit, isolate: false, ...busy } },
      { extends: true, test: { name: 'in-process', include: inProcess, isolate: false, ...busy } },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [browser, ...timed, ...unit, ...inProcess, ...measuring, ...mocking, ...leaving],
          isolate: false,
          globalSetup,
          ...waiting,
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: [...measuring, ...mocking, ...leaving], globalSetup, ...waiting },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browser],
          globalSetup: ['test/browser/build-console.ts', 'test/support/build-program.ts'],
          ...waiting,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: timed, globalSetup, ...alone },
      },
    ],
  },
});
