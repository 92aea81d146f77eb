import { defineConfig } from 'vitest/config';

/** They hold a time that a busy machine misses, so that nothing runs beside them: after the others, one at a time. */
const timed = ['test/hostile/{trees,policies,mcp-floods}.test.ts', 'test/e2e/{held-load,load,overload}.test.ts'];
// Those need a browser: `npm run test:browser`.
const browser = 'test/browser/**';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [browser, ...timed],
          // Many wait for processes that they have started: one for each processor, not one less.
          maxWorkers: '100%',
        },
      },
      { extends: true, test: { name: 'alone', include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
