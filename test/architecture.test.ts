/** Holds the import rules of the layout: who may import whom, and which file is the home of which library. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

type Import = { file: string; specifier: string; target: string; typeOnly: boolean };

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name) && entry.name !== 'vite.config.ts')
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const files = ['src', 'routes', 'openapi'].flatMap(sourceFiles);

/** Static and dynamic imports and re-exports; `target` is a path from the root for relative ones. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//gu, '');
  const pattern =
    /^\s*(?:import|export)\s(type\s)?(?:[^'";]*?\sfrom\s)?\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*[`'"](\.[^`'"]+)[`'"],\s*import\.meta\.url/gmu;
  return [...text.matchAll(pattern)].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4] ?? '';
    const target = specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier;
    return { file, specifier, target, typeOnly: match[1] !== undefined };
  });
}

const imports = files.flatMap(importsOf);
const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/');
const engineFiles = ['src/engine.ts', 'src/engine-core.ts'];
const isRootFile = (path: string): boolean => folderOf(path) === 'src' && !engineFiles.includes(path);

/** Folders inside a domain folder belong to it. */
const domainOf = (folder: string): string => domainFolders.find((domain) => folder.startsWith(`${domain}/`)) ?? folder;

/** Domain folders in the order of the pipeline: each may import those to its left. */
const domainFolders = [
  'src/context',
  'src/policy',
  'src/events',
  'src/validation',
  'src/supplementary',
  'src/search',
  'src/retrieval',
  'src/agent',
  'src/mcp',
];

/** What runs in a browser: built by itself, over the public API. It shares types, and these pure functions. */
const isConsole = (path: string): boolean => path.startsWith('src/console/');
const sharedWithConsole = [
  'src/visible-text.ts',
  'src/context/reason-words.ts',
  'src/agent/model-messages.ts',
  'src/agent/reply-text.ts',
  'src/mcp/danger-words.ts',
  'src/embedding-model.ts',
  'src/search/rank.ts',
];

function mayImport({ file, target, typeOnly }: Import): boolean {
  if (isConsole(file)) return isConsole(target) || typeOnly || sharedWithConsole.includes(target);
  if (isConsole(target)) return false;
  const from = domainOf(folderOf(file));
  const to = domainOf(folderOf(target));
  if (from === 'src/bin') return true;
  if (to === 'src/bin') return false;
  if (isRootFile(file)) return isRootFile(target);
  if (target === 'src/engine-core.ts') return typeOnly && (file === 'src/engine.ts' || domainFolders.includes(from));
  if (file === 'src/engine-core.ts') return typeOnly && (isRootFile(target) || domainFolders.includes(to));
  if (file === 'src/engine.ts') return isRootFile(target) || domainFolders.includes(to);
  if (domainFolders.includes(from)) {
    const isLeft = domainFolders.includes(to) && domainFolders.indexOf(to) <= domainFolders.indexOf(from);
    return isRootFile(target) || isLeft;
  }
  if (from === 'src/adapters')
    return (
      isRootFile(target) ||
      (domainFolders.includes(to) && (typeOnly || isWorker(file))) ||
      (to === from && (isWorker(target) || isWorker(file) || isShared(file)))
    );
  if (from === 'routes') {
    const isSchema = domainFolders.includes(to);
    return (
      to === 'routes' || to === 'openapi' || isRootFile(target) || isSchema || (typeOnly && target === 'src/engine.ts')
    );
  }
  if (from === 'openapi')
    return to === 'openapi' || to === 'routes' || isRootFile(target) || domainFolders.includes(to) || typeOnly;
  return false;
}

/** What runs in a thread or process of its own: the other half of the adapter that starts it, composed by itself. */
const isWorker = (path: string): boolean => /-(?:worker|process)(?:\.|$)/u.test(path);

/** One database, a file for each subject; one parser, a file for each matter or language; one protocol, a file for each side; one log. */
const isShared = (file: string): boolean => /^src\/adapters\/(?:sqlite|oxc|tree-sitter|mcp|pino)-/u.test(file);

const homes: Record<string, (file: string) => boolean> = {
  fastify: (file) => folderOf(file) === 'routes' || folderOf(file) === 'openapi',
  '@fastify/swagger': (file) => folderOf(file) === 'routes' || folderOf(file) === 'openapi',
  'fastify-type-provider-zod': (file) => folderOf(file) === 'routes' || folderOf(file) === 'openapi',
  'gpt-tokenizer': (file) => file === 'src/adapters/token-worker.ts',
  pino: (file) => folderOf(file) === 'src/adapters' || folderOf(file) === 'src/bin',
  commander: (file) => folderOf(file) === 'src/bin' || folderOf(file) === 'src/bin/commands',
  chokidar: (file) => folderOf(file) === 'src/adapters',
  '@xenova/transformers': (file) => folderOf(file) === 'src/adapters',
  '@modelcontextprotocol/client': (file) => folderOf(file) === 'src/adapters',
  'oxc-parser': (file) => folderOf(file) === 'src/adapters',
  '@vscode/tree-sitter-wasm': (file) => folderOf(file) === 'src/adapters',
  fuzzysort: (file) => folderOf(file) === 'src/supplementary',
  stemmer: (file) => folderOf(file) === 'src/search',
  'node:sqlite': (file) => folderOf(file) === 'src/adapters',
  'node:fs': (file) => isEdge(file),
  'node:fs/promises': (file) => isEdge(file),
};

/** Where effects are allowed: adapters, the composition root, the document writer, and the fixed maps of the pages. */
const isEdge = (file: string): boolean =>
  folderOf(file) === 'src/adapters' ||
  folderOf(file).startsWith('src/bin') ||
  file === 'openapi/write.ts' ||
  ['routes/docs-assets.ts', 'routes/console-assets.ts'].includes(file);

describe('architecture', () => {
  it('finds the imports it judges', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.some(({ file, target }) => file === 'src/engine.ts' && target === 'src/roots.ts')).toBe(true);
  });

  it('lets every folder import only what lies to its left', () => {
    const inProject = imports.filter(({ specifier }) => specifier.startsWith('.') && !specifier.endsWith('.json'));
    const forbidden = inProject.filter((each) => !mayImport({ ...each, file: normalise(each.file) }));
    expect(forbidden.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  it('has no circles', () => {
    const graph = new Map<string, string[]>();
    for (const { file, target, typeOnly, specifier } of imports)
      if (specifier.startsWith('.') && !typeOnly) graph.set(file, [...(graph.get(file) ?? []), target]);
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
      if (done.has(file) || way.includes(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...way, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('gives every library one home', () => {
    const strays = imports.filter(({ file, specifier }) => {
      const library = Object.keys(homes).find((name) => specifier === name || specifier.startsWith(`${name}/`));
      return library !== undefined && !(homes[library] as (file: string) => boolean)(file);
    });
    expect(strays.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  it('imports only what package.json names, and Node built-ins by their prefix', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    const strays = imports.filter(({ file, specifier, typeOnly }) => {
      if (specifier.startsWith('.')) return false;
      if (specifier.startsWith('node:'))
        return !builtinModules.includes(specifier.slice(5)) && !builtinModules.includes(specifier);
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
      // The console is bundled, and runs where there is no Node.
      if (isConsole(file)) return !(typeOnly || name in manifest.devDependencies);
      return !(name in manifest.dependencies);
    });
    expect(strays.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  it('AP-06 reads past the policies only what is settings', () => {
    const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
    const readers = texts.filter(({ file, text }) => text.includes('readSettings') && file !== 'src/gate.ts');
    // Configurations, and what MCP servers these define; policies; rules about what is ignored; what resolves imports;
    // excerpts of both for "check".
    expect(readers.map(({ file }) => file).sort()).toEqual([
      'src/bin/check-directory.ts',
      'src/context/load-directory.ts',
      'src/mcp/definitions.ts',
      'src/mcp/entry-files.ts',
      'src/policy/list-policies.ts',
      'src/policy/write-policy.ts',
      'src/retrieval/lookup.ts',
      'src/supplementary/file-index.ts',
      'src/validation/read-tree.ts',
    ]);
    // Policies above the granted roots are read for what they decide, and for nothing else.
    const above = texts.filter(({ file, text }) => text.includes('gate.readPolicy') && file !== 'src/gate.ts');
    expect(above.map(({ file }) => file)).toEqual(['src/policy/policies.ts']);
    // Nobody but the gate opens files to give them away.
    const openers = texts.filter(
      ({ file, text }) => /\bfiles\.read\(/u.test(text) && !file.startsWith('src/adapters/'),
    );
    expect(openers.map(({ file }) => file)).toEqual(['src/gate.ts']);
  });

  it('reads process.env only in settings and bin', () => {
    const strays = files.filter(
      (file) =>
        /process\.env\b/u.test(readFileSync(join(root, file), 'utf8')) &&
        !folderOf(file).startsWith('src/bin') &&
        file !== 'src/settings.ts',
    );
    expect(strays).toEqual([]);
  });

  it('has no default exports, and files that stay readable', () => {
    const defaults = files.filter((file) => /^export default/mu.test(readFileSync(join(root, file), 'utf8')));
    expect(defaults).toEqual([]);
    const lengths = files.map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }));
    const tooLong = lengths.filter(
      ({ file, lines }) =>
        lines > 250 && !/long/iu.test(readFileSync(join(root, file), 'utf8').split('\n', 1)[0] ?? ''),
    );
    expect(tooLong).toEqual([]);
    const median = lengths.map(({ lines }) => lines).sort((a, b) => a - b)[Math.floor(lengths.length / 2)];
    expect(median).toBeLessThanOrEqual(120);
  });
});

/** Commands are part of `bin`. */
function normalise(file: string): string {
  return file.replace(/^src\/bin\/commands\//u, 'src/bin/');
}
