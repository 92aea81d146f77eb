import { defineConfig } from 'vite';

/**
 * Builds the console into `dist/console/`: `index.html` and `console/*`, which the daemon serves (S-12). Nothing is
 * inlined, because the content security policy allows no inline script and no `data:` address (S-11).
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    assetsDir: 'console',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: false,
  },
});
