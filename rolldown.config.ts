/**
 * `npm run build`: the program as few files, which start in less time than many. What runs in a thread or a process of its own
 * is an entry; all entries and what they share lie beside each other. Left out is what has parts that are no JavaScript.
 */
import type { InputOptions, OutputOptions } from 'rolldown';

export const input: InputOptions = {
  cwd: import.meta.dirname,
  platform: 'node',
  input: {
    contextd: 'src/bin/contextd.ts',
    'embedder-process': 'src/adapters/embedding/embedder-process.ts',
    'schema-check-worker': 'src/adapters/workers/schema-check-worker.ts',
    'source-parser-process': 'src/adapters/source/source-parser-process.ts',
    'token-worker': 'src/adapters/workers/token-worker.ts',
  },
  external: [/^oxc-parser/, /^@vscode\/tree-sitter-wasm/, /^@xenova\/transformers/, /^@fastify\/swagger-ui/],
  // Some packages have other modules for bundlers, and `main` asks for files by names that are made when it runs.
  resolve: { mainFields: ['module', 'main'] },
};

export const output: OutputOptions = {
  dir: 'dist',
  cleanDir: true,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
};

export default { ...input, output };
