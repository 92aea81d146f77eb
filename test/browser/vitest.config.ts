import { defineConfig } from 'vitest/config';

/** `npm run test:browser`: the built console in a real browser, against the real daemon. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/build-console.ts', 'test/support/build-program.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // Each has a browser and a daemon, which take a core each at times.
    maxWorkers: 2,
  },
});
