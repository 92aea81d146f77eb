/** The layout of the source as a table, and what judges an import by it. */
import { readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** `target` is a path from the root for a file of the project, else the specifier. */
export type Import = { file: string; specifier: string; target: string; typeOnly: boolean };

/** What every file may import. These import nothing but each other. */
const words = ['src/errors.ts', 'src/warnings.ts', 'src/reason-codes.ts', 'src/warning-codes.ts', 'src/settings.ts'];

/** Verbs name the type of what all of them share, which names types of theirs: the one circle, of types. */
const shared = 'src/engine-core.ts';

/**
 * What lies where: a folder (with the folders in it that have no row) or a file, and what it may import. A row names only rows
 * above it, so that there are no circles.
 */
export const table: Readonly<Record<string, readonly string[]>> = {
  'src/errors.ts': [],
  'src/reason-codes.ts': [],
  'src/warning-codes.ts': [],
  'src/warnings.ts': [],
  'src/settings.ts': [],
  'src/pace': [],
  'src/globs': [],
  'src/ports': [],
  'src/texts': ['src/pace'],
  'src/budget': ['src/pace', 'src/ports'],
  'src/tokens': ['src/pace', 'src/ports'],
  'src/sign-in': ['src/ports', 'src/tokens'],
  'src/access': ['src/pace', 'src/globs', 'src/ports', 'src/texts'],
  'src/ignore': ['src/pace', 'src/globs', 'src/ports', 'src/texts', 'src/access'],
  'src/context': ['src/pace', 'src/globs', 'src/ports', 'src/texts', 'src/budget', 'src/access', 'src/ignore'],
  'src/policy': ['src/pace', 'src/globs', 'src/ports', 'src/texts', 'src/access', 'src/context', 'src/ignore'],
  'src/events': ['src/ports', 'src/texts', 'src/tokens', 'src/access', 'src/context', 'src/ignore'],
  'src/search': ['src/pace', 'src/ports', 'src/texts', 'src/context', 'src/events'],
  'src/supplementary': ['src/pace', 'src/ports', 'src/texts', 'src/access', 'src/context', 'src/ignore'],
  'src/agent': ['src/pace', 'src/ports', 'src/texts', 'src/access', 'src/context', 'src/search'],
  'src/retrieval': [
    'src/pace',
    'src/globs',
    'src/ports',
    'src/texts',
    'src/budget',
    'src/access',
    'src/context',
    'src/search',
    'src/supplementary',
  ],
  'src/prompt': [
    'src/pace',
    'src/ports',
    'src/texts',
    'src/budget',
    'src/access',
    'src/ignore',
    'src/context',
    'src/agent',
    'src/retrieval',
    'src/supplementary',
  ],
  'src/session': [
    'src/ports',
    'src/texts',
    'src/budget',
    'src/access',
    'src/context',
    'src/search',
    'src/agent',
    'src/prompt',
  ],
  'src/mcp': [
    'src/pace',
    'src/ports',
    'src/texts',
    'src/access',
    'src/context',
    'src/events',
    'src/agent',
    'src/session',
  ],
  'src/validation': ['src/pace', 'src/globs', 'src/texts', 'src/access', 'src/ignore', 'src/context', 'src/policy'],
  'src/engine-core.ts': [
    'src/ports',
    'src/texts',
    'src/budget',
    'src/access',
    'src/context',
    'src/policy',
    'src/events',
  ],
  'src/engine-groups.ts': [
    'src/engine-core.ts',
    'src/pace',
    'src/ports',
    'src/access',
    'src/context',
    'src/policy',
    'src/events',
    'src/search',
    'src/supplementary',
    'src/session',
    'src/mcp',
    'src/retrieval',
    'src/prompt',
  ],
  'src/engine.ts': [
    'src/engine-groups.ts',
    'src/pace',
    'src/ports',
    'src/texts',
    'src/budget',
    'src/tokens',
    'src/access',
    'src/context',
    'src/ignore',
    'src/policy',
    'src/events',
    'src/search',
    'src/supplementary',
    'src/agent',
    'src/session',
    'src/mcp',
    'src/retrieval',
    'src/prompt',
    'src/validation',
  ],
  'src/mcp-server': [
    'src/pace',
    'src/texts',
    'src/access',
    'src/context',
    'src/policy',
    'src/events',
    'src/agent',
    'src/retrieval',
    'src/prompt',
    'src/engine.ts',
  ],
  'routes/http': ['src/pace', 'src/ports', 'src/texts', 'src/tokens'],
  openapi: ['src/ports', 'src/context', 'src/validation', 'routes/http'],
  routes: [
    'src/pace',
    'src/ports',
    'src/texts',
    'src/tokens',
    'src/sign-in',
    'src/access',
    'src/context',
    'src/policy',
    'src/events',
    'src/search',
    'src/supplementary',
    'src/agent',
    'src/session',
    'src/mcp',
    'src/retrieval',
    'src/prompt',
    'src/validation',
    'src/engine.ts',
    'src/mcp-server',
    'routes/http',
    'openapi',
  ],
  'openapi/write.ts': ['src/sign-in', 'src/validation', 'src/engine.ts', 'routes', 'openapi'],
  'src/adapters/clock': ['src/ports'],
  'src/adapters/embedding': ['src/ports', 'src/texts'],
  'src/adapters/files': ['src/pace', 'src/ports', 'src/texts', 'src/tokens', 'src/sign-in', 'src/access'],
  'src/adapters/git': ['src/pace', 'src/ports', 'src/texts'],
  'src/adapters/log': [],
  'src/adapters/mcp': ['src/ports', 'src/texts'],
  'src/adapters/source': ['src/ports', 'src/texts'],
  'src/adapters/postgres': ['src/pace', 'src/ports', 'src/texts'],
  'src/adapters/sqlite': ['src/pace', 'src/ports', 'src/texts'],
  'src/adapters/workers': ['src/pace', 'src/ports'],
  'src/bin/exit-codes.ts': [],
  'src/bin/render': [
    'src/texts',
    'src/access',
    'src/context',
    'src/policy',
    'src/events',
    'src/agent',
    'src/session',
    'src/mcp',
    'src/retrieval',
    'src/validation',
    'routes',
  ],
  'src/bin/state': ['src/ports', 'src/adapters/postgres', 'src/bin/exit-codes.ts'],
  'src/bin/client': [
    'src/texts',
    'src/budget',
    'src/access',
    'src/events',
    'src/mcp-server',
    'routes',
    'src/adapters/workers',
    'src/bin/exit-codes.ts',
    'src/bin/state',
  ],
  'src/bin/in-process': [
    'src/ports',
    'src/texts',
    'src/access',
    'src/context',
    'src/policy',
    'src/validation',
    'src/engine.ts',
    'src/adapters/clock',
    'src/adapters/files',
    'src/adapters/git',
    'src/adapters/source',
    'src/adapters/sqlite',
    'src/adapters/workers',
    'src/bin/state',
    'src/bin/client',
  ],
  'src/bin/hooks': [
    'src/pace',
    'src/ports',
    'src/texts',
    'src/access',
    'src/context',
    'src/ignore',
    'src/policy',
    'src/prompt',
    'src/engine.ts',
    'routes',
    'src/bin/exit-codes.ts',
    'src/bin/state',
    'src/bin/client',
    'src/bin/in-process',
  ],
  'src/bin/daemon': [
    'src/pace',
    'src/ports',
    'src/texts',
    'src/sign-in',
    'src/access',
    'src/context',
    'src/ignore',
    'src/engine.ts',
    'src/mcp-server',
    'routes/http',
    'routes',
    'src/adapters/clock',
    'src/adapters/embedding',
    'src/adapters/files',
    'src/adapters/log',
    'src/adapters/mcp',
    'src/adapters/sqlite',
    'src/adapters/workers',
    'src/bin/exit-codes.ts',
    'src/bin/render',
    'src/bin/state',
    'src/bin/client',
    'src/bin/in-process',
    'src/bin/hooks',
  ],
  'src/bin/transfer': [
    'src/ports',
    'src/access',
    'src/agent',
    'src/session',
    'src/adapters/files',
    'src/adapters/postgres',
    'src/adapters/sqlite',
    'src/bin/exit-codes.ts',
    'src/bin/render',
    'src/bin/state',
    'src/bin/client',
  ],
  'src/bin/lsp': [
    'src/texts',
    'src/access',
    'src/context',
    'src/policy',
    'src/events',
    'src/prompt',
    'src/validation',
    'src/bin/exit-codes.ts',
    'src/bin/state',
    'src/bin/client',
    'src/bin/in-process',
    'src/bin/daemon',
  ],
  'src/bin/commands': [
    'src/texts',
    'src/access',
    'src/context',
    'src/ignore',
    'src/policy',
    'src/events',
    'src/search',
    'src/supplementary',
    'src/agent',
    'src/session',
    'src/mcp',
    'src/retrieval',
    'src/validation',
    'routes',
    'src/bin/exit-codes.ts',
    'src/bin/render',
    'src/bin/state',
    'src/bin/client',
    'src/bin/in-process',
    'src/bin/daemon',
    'src/bin/hooks',
    'src/bin/lsp',
    'src/bin/transfer',
  ],
  'src/bin/program.ts': [
    'src/texts',
    'src/bin/exit-codes.ts',
    'src/bin/render',
    'src/bin/state',
    'src/bin/client',
    'src/bin/commands',
  ],
  'src/bin/contextd.ts': [
    'src/bin/state',
    'src/bin/in-process',
    'src/bin/daemon',
    'src/bin/hooks',
    'src/bin/program.ts',
  ],
  'src/console': [
    'src/ports',
    'src/texts',
    'src/access',
    'src/context',
    'src/policy',
    'src/events',
    'src/search',
    'src/supplementary',
    'src/agent',
    'src/session',
    'src/mcp',
    'src/retrieval',
    'src/validation',
    'routes',
  ],
};

/** Pure functions and words that the console shows too. Of all others it knows the types. */
const sharedWithConsole = [
  'src/access/paths.ts',
  'src/texts/compare-text.ts',
  'src/texts/is-record.ts',
  'src/texts/longest-query.ts',
  'src/texts/short-paths.ts',
  'src/texts/visible-text.ts',
  'src/context/reason-words.ts',
  'src/events/event-words.ts',
  'src/session/model-messages.ts',
  'src/session/reply-text.ts',
  'src/mcp/danger-words.ts',
  'src/ports/embedding-model.ts',
  'src/search/rank.ts',
];

/** Where a library may be imported: these places and what lies in them. */
const homes: Readonly<Record<string, readonly string[]>> = {
  fastify: ['routes', 'openapi'],
  '@fastify/swagger': ['routes', 'openapi'],
  '@fastify/swagger-ui': ['routes/docs-assets.ts'],
  'fastify-type-provider-zod': ['routes', 'openapi'],
  '@modelcontextprotocol/server': ['src/mcp-server', 'routes/mcp-endpoint.ts', 'src/bin/daemon'],
  '@modelcontextprotocol/node': ['routes'],
  '@modelcontextprotocol/client': ['src/adapters/mcp', 'src/adapters/workers/schema-check-worker.ts'],
  'gpt-tokenizer': ['src/adapters/workers'],
  pino: ['src/adapters/log', 'src/bin/daemon'],
  commander: ['src/bin'],
  chokidar: ['src/adapters/files'],
  '@xenova/transformers': ['src/adapters/embedding'],
  'oxc-parser': ['src/adapters/source'],
  '@vscode/tree-sitter-wasm': ['src/adapters/source'],
  'node:sqlite': ['src/adapters/sqlite', 'src/adapters/files/lock-file.ts'],
  pg: ['src/adapters/postgres'],
  fuzzysort: ['src/supplementary'],
  stemmer: ['src/search'],
  diff: ['src/prompt', 'src/console'],
  yaml: ['src/texts', 'src/agent/agent-document.ts', 'src/policy/policy-text.ts'],
  'smol-toml': ['src/texts'],
  'jsonc-parser': ['src/texts', 'src/bin/hooks'],
};

/** Where Node's own modules may be imported. The others get along with `node:crypto`. */
const withBuiltIns = ['src/adapters', 'src/bin', 'openapi/write.ts', 'routes', 'src/mcp-server'];
/** Of these the file system is the matter of few. */
const withFiles = ['src/adapters', 'src/bin', 'openapi/write.ts', 'routes/docs-assets.ts', 'routes/console-assets.ts'];

const liesIn = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`);

/** The row of a file: its own, or that of the nearest folder that has one. */
export function rowOf(file: string): string | undefined {
  for (let place = file; place !== '.'; place = dirname(place)) if (place in table) return place;
  return undefined;
}

export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name) && entry.name !== 'vite.config.ts')
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Static and dynamic imports, re-exports, and what threads and processes are started from. */
export function importsIn(file: string, text: string): Import[] {
  const pattern =
    /^\s*(?:import|export)\s(type\s)?(?:[^'";]*?\sfrom\s)?\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*[`'"](\.[^`'"]+)[`'"],\s*import\.meta\.url/gmu;
  return [...text.replaceAll(/\/\*[\s\S]*?\*\//gu, '').matchAll(pattern)].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4] ?? '';
    const target = specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier;
    return { file, specifier, target, typeOnly: match[1] !== undefined };
  });
}

/** Why this import may not be; undefined when it may. */
export function violationOf({ file, specifier, target, typeOnly }: Import): string | undefined {
  if (specifier.endsWith('.json')) return undefined;
  const from = rowOf(file);
  if (from === undefined) return `no row of the table has ${file}`;
  if (!specifier.startsWith('.')) return violationOfLibrary(file, specifier);
  const to = rowOf(target);
  if (to === undefined) return `no row of the table has ${target}`;
  if (from === to || words.includes(target)) return undefined;
  if (target === shared && typeOnly) return undefined;
  if (from === 'src/console' && !typeOnly && !sharedWithConsole.includes(target))
    return 'the console shares types only';
  return table[from]?.includes(to) === true ? undefined : `the row of ${from} does not name ${to}`;
}

function violationOfLibrary(file: string, specifier: string): string | undefined {
  if (file.startsWith('src/console/')) return undefined;
  const library = Object.keys(homes).find((name) => specifier === name || specifier.startsWith(`${name}/`));
  if (library !== undefined)
    return homes[library]?.some((place) => liesIn(file, place)) === true
      ? undefined
      : `${library} is at home elsewhere`;
  if (!specifier.startsWith('node:') || specifier === 'node:crypto') return undefined;
  const places = /^node:fs(?:\/|$)/u.test(specifier) ? withFiles : withBuiltIns;
  return places.some((place) => liesIn(file, place)) ? undefined : 'effects belong into adapters and bin';
}
