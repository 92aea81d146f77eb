/**
 * `npm run build`: the program as few files, which start in less time than many. What runs in a thread or a process of its own
 * is an entry; all entries and what they share lie beside each other, and so does what is no JavaScript: grammars, the parser,
 * the page of the documentation. Only the runtime of the embedding model is a package of its own.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { InputOptions, OutputOptions, Plugin } from 'rolldown';
import { grammarFiles } from './src/adapters/source/grammar-files.ts';
import { packTokens } from './src/adapters/workers/token-table.ts';

const require = createRequire(import.meta.url);

/** Files that the program reads when it runs, by their names beside it. */
export function assetFiles(): string[] {
  const bindings = readdirSync(join(import.meta.dirname, 'node_modules/@oxc-parser')).flatMap((name) => {
    const directory = join(import.meta.dirname, 'node_modules/@oxc-parser', name);
    return readdirSync(directory).flatMap((file) => (file.endsWith('.node') ? [join(directory, file)] : []));
  });
  return [
    ...['@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm', ...grammarFiles].map((file) => require.resolve(file)),
    ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => require.resolve(`@fastify/swagger-ui/static/${name}`)),
    ...bindings,
  ];
}

const emitAssets: Plugin = {
  name: 'assets',
  generateBundle() {
    const grammars = new Set(grammarFiles.map((file) => require.resolve(file)));
    for (const path of assetFiles()) {
      // Grammars are large tables, of which a tenth is left when they are compressed.
      const isGrammar = grammars.has(path);
      const content = readFileSync(path);
      const [fileName, source] = isGrammar ? [`${basename(path)}.gz`, gzipSync(content)] : [basename(path), content];
      this.emitFile({ type: 'asset', fileName, source });
    }
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

/** Its tables are packed: compiling them takes longer than all else that counting needs at first. */
const packedTables: Plugin = {
  name: 'packed-tables',
  load: {
    filter: { id: /gpt-tokenizer\/esm\/bpeRanks\/\w+\.js$/ },
    async handler(id) {
      const fileName = basename(id).replace(/\.js$/u, '.tokens');
      const { default: table } = await import(id);
      this.emitFile({ type: 'asset', fileName, source: packTokens(table) });
      return `import { readFileSync } from 'node:fs';
        export default readFileSync(new URL('./${fileName}', import.meta.url));`;
    },
  },
};

/** The library for models wants another one for images, for which it has no use here. */
const noImages: Plugin = {
  name: 'no-images',
  resolveId: (id) => (id === 'sharp' ? '\0sharp' : undefined),
  load: (id) => (id === '\0sharp' ? 'export default () => { throw new Error("no images") };' : undefined),
};

/**
 * Parts of the program, each with all that it imports and that no part before it has. `quick` asks a daemon, or is a thread or a
 * process of its own; `commands` is what only commands have. These two are not one file each, because each command needs little of
 * them. The others are one file each: what reads rules without an engine, the engine, and what only a daemon has.
 */
const parts = {
  quick: [
    'bin/contextd.ts',
    'bin/program.ts',
    'bin/client/*.ts',
    'bin/state/*.ts',
    'bin/hooks/call-hook.ts',
    'bin/hooks/run-hook.ts',
    'bin/hooks/tools.ts',
    'bin/commands/open.ts',
    'bin/commands/status.ts',
    'bin/commands/start.ts',
    'bin/commands/stop.ts',
    'bin/commands/mcp-stdio.ts',
    'bin/daemon/compile-cache.ts',
    'adapters/embedding/*.ts',
    'adapters/source/*.ts',
    'adapters/workers/*.ts',
  ],
  context: ['bin/in-process/check-directory.ts', 'bin/hooks/judge-files.ts'],
  engine: [
    'bin/in-process/compose-engine.ts',
    'adapters/sqlite/store.ts',
    'prompt/context-result.ts',
    'agent/item-search.ts',
  ],
  commands: [
    'bin/*.ts',
    'bin/commands/**/*.ts',
    'bin/hooks/*.ts',
    'bin/lsp/*.ts',
    'bin/render/*.ts',
    'bin/transfer/*.ts',
    'bin/daemon/doctor.ts',
    'bin/daemon/mcp-stdio.ts',
    'session/agent-group.ts',
    'search/index-verbs.ts',
  ],
  daemon: ['bin/daemon/serve.ts', '../routes/app.ts', 'adapters/log/*.ts', 'adapters/files/chokidar-watcher.ts'],
};
type Part = keyof typeof parts;
const partOf = new Map<string, Part>();

const findParts: Plugin = {
  name: 'parts',
  buildEnd() {
    partOf.clear();
    const all = new Set(this.getModuleIds());
    for (const part of Object.keys(parts) as Part[]) {
      const met = parts[part].flatMap((pattern) => {
        const named = globSync(join(import.meta.dirname, 'src', pattern));
        if (named.length === 0) this.error(`The part "${part}" names no file: src/${pattern}`);
        return named.filter((id) => all.has(id));
      });
      for (let id = met.pop(); id !== undefined; id = met.pop()) {
        if (partOf.has(id)) continue;
        partOf.set(id, part);
        met.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
    }
  },
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
    findParts,
    noImages,
    packedTables,
    // It takes the runtime that it is given, but looks for another one all the same.
    mend(/transformers\.node\.mjs$/, { from: 'requireFromHere("onnxruntime-node")', to: 'undefined' }),
    // What it loads later is bundled like everything else.
    mend(/oxc-parser\/src-js\/visit\/index\.js$/, { from: 'const require = createRequire(import.meta.url);', to: '' }),
    // It asks where it lies, and then for its parts by their places.
    mend(/tree-sitter\.js$/, { from: "typeof __filename !== 'undefined'", to: "typeof document === 'undefined'" }),
    mend(/tree-sitter\.js$/, { from: "require('url').pathToFileURL(__filename).href", to: "'file:///'" }),
  ],
  checks: {
    // The grammars' runtime has two, for what none of these grammars asks for.
    eval: false,
    // A daemon loads its parts at once, and some of them import each other.
    ineffectiveDynamicImport: false,
  },
  preserveEntrySignatures: 'allow-extension',
  // Some packages have other modules for bundlers, and `main` asks for files by names that are made when it runs.
  resolve: { mainFields: ['module', 'main'] },
};

export const output: OutputOptions = {
  dir: 'dist',
  cleanDir: true,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // One file for each set of modules that the same entries share would be many: a daemon starts in four fifths of that time.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: (['context', 'engine', 'daemon'] as const).map((name) => ({ name, test: (id) => partOf.get(id) === name })),
  },
  // Names stay, so that an error says where it comes from.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
};

export default { ...input, output };
