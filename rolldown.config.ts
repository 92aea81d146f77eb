/**
 * `npm run build`: the program as few files, which start in less time than many. What runs in a thread or a process of its own
 * is an entry; all entries and what they share lie beside each other, and so does what is no JavaScript: grammars, the parser,
 * the page of the documentation. Only the runtime of the embedding model is a package of its own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { InputOptions, OutputOptions, Plugin } from 'rolldown';

const require = createRequire(import.meta.url);
const grammars = ['cpp', 'go', 'java', 'python', 'ruby', 'rust'].map((name) => `tree-sitter-${name}`);

/** Files that the program reads when it runs, by their names beside it. */
export function assetFiles(): string[] {
  const bindings = readdirSync(join(import.meta.dirname, 'node_modules/@oxc-parser')).flatMap((name) => {
    const directory = join(import.meta.dirname, 'node_modules/@oxc-parser', name);
    return readdirSync(directory).flatMap((file) => (file.endsWith('.node') ? [join(directory, file)] : []));
  });
  return [
    ...['tree-sitter', ...grammars].map((name) => require.resolve(`@vscode/tree-sitter-wasm/wasm/${name}.wasm`)),
    ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => require.resolve(`@fastify/swagger-ui/static/${name}`)),
    ...bindings,
  ];
}

const emitAssets: Plugin = {
  name: 'assets',
  generateBundle() {
    for (const path of assetFiles())
      this.emitFile({ type: 'asset', fileName: basename(path), source: readFileSync(path) });
  },
};

/** Replaces what cannot work in one of few files; fails when the library is not what it was. */
function mend(file: RegExp, { from, to }: { from: string; to: string }): Plugin {
  return {
    name: `mend ${file}`,
    transform: {
      filter: { id: file },
      handler(code) {
        if (!code.includes(from)) this.error(`It has no ${from} any more.`);
        return { code: code.replace(from, to), map: null };
      },
    },
  };
}

/** The library for models wants another one for images, for which it has no use here. */
const noImages: Plugin = {
  name: 'no-images',
  resolveId: (id) => (id === 'sharp' ? '\0sharp' : undefined),
  load: (id) => (id === '\0sharp' ? 'export default () => { throw new Error("no images") };' : undefined),
};

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
  plugins: [
    emitAssets,
    noImages,
    // It takes the runtime that it is given, but looks for another one all the same.
    mend(/transformers\.node\.mjs$/, { from: 'requireFromHere("onnxruntime-node")', to: 'undefined' }),
    // What it loads later is bundled like everything else.
    mend(/oxc-parser\/src-js\/visit\/index\.js$/, { from: 'const require = createRequire(import.meta.url);', to: '' }),
    // It asks where it lies, and then for its parts by their places.
    mend(/tree-sitter\.js$/, { from: "typeof __filename !== 'undefined'", to: "typeof document === 'undefined'" }),
    mend(/tree-sitter\.js$/, { from: "require('url').pathToFileURL(__filename).href", to: "'file:///'" }),
  ],
  // The grammars' runtime has two, for what none of these grammars asks for.
  checks: { eval: false },
  // Some packages have other modules for bundlers, and `main` asks for files by names that are made when it runs.
  resolve: { mainFields: ['module', 'main'] },
};

export const output: OutputOptions = {
  dir: 'dist',
  cleanDir: true,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Names stay, so that an error says where it comes from.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
};

export default { ...input, output };
