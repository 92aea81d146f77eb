/**
 * What `npm run mutation` runs for each mutant: the tests of the folders that it changes, but those that take long. Another
 * part than all of them: `npm run mutation -- --mutate src/globs/automaton.ts`.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{access,globs,ignore,policy,context,spec}/**/*.test.ts'],
    exclude: [
      'test/**/*{hostile,picomatch,properties,property,weight}.test.ts',
      'test/{access/sensitive,policy/levels,spec/lasting,spec/never-stale,spec/several-directories}.test.ts',
    ],
    testTimeout: 60_000,
    env: { CONTEXTD_UNTIMED: '1' },
  },
});
