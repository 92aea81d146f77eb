import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Those need a browser: `npm run test:browser`.
    exclude: ['test/browser/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
