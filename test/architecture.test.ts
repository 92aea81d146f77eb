/** Holds the laws of the layout: which folder may import which, and which folder is the home of which library. */
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Import, importsIn, root, rowOf, sourceFiles, table, violationOf } from './support/layout.ts';

const files = ['src', 'routes', 'openapi'].flatMap(sourceFiles);
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const imports = files.flatMap((file) => importsIn(file, textOf(file)));
const isConsole = (file: string): boolean => file.startsWith('src/console/');
const spoken = ({ file, specifier }: Import): string => `${file} imports ${specifier}`;

/** What nobody may write, one of each law. Each is judged as if it stood in the file that it names. */
const forbidden: readonly [file: string, line: string][] = [
  ['src/globs/globs.ts', "import { createGate } from '../access/gate.ts';"],
  ['src/texts/decode-text.ts', "import type { World } from '../access/world.ts';"],
  ['src/ports/ports.ts', "import { createGate } from '../access/gate.ts';"],
  ['src/access/gate.ts', "import { resolve } from '../context/resolve.ts';"],
  ['src/context/resolve.ts', "import type { Policies } from '../policy/policies.ts';"],
  ['src/policy/policies.ts', "const { search } = await import('../search/search.ts');"],
  ['src/search/search.ts', "export { createAgentVerbs } from '../agent/agent-verbs.ts';"],
  ['src/agent/agent.ts', "import { Session } from '../session/session.ts';"],
  ['src/retrieval/retrieve.ts', "import { createMcpVerbs } from '../mcp/mcp-verbs.ts';"],
  ['src/mcp/approvals.ts', "import { createLauncher } from '../adapters/mcp/launcher.ts';"],
  ['src/mcp-server/tools.ts', "import { parseInput } from '../../routes/http/operation.ts';"],
  ['src/session/session.ts', "import { createEngine } from '../engine.ts';"],
  ['src/settings.ts', "import { createTurns } from './pace/turns.ts';"],
  ['src/engine.ts', "import { serve } from './bin/daemon/serve.ts';"],
  ['src/engine.ts', "import { createApp } from '../routes/app.ts';"],
  ['src/adapters/mcp/fetch.ts', "import { openDatabase } from '../sqlite/database.ts';"],
  ['src/adapters/sqlite/store.ts', "import { createNodeFiles } from '../files/node-files.ts';"],
  ['src/adapters/log/pino-logger.ts', "import { resolve } from '../../context/resolve.ts';"],
  ['src/bin/render/page.ts', "import { serve } from '../daemon/serve.ts';"],
  ['src/bin/state/package-info.ts', "import { connect } from '../client/client.ts';"],
  ['src/console/api.ts', "import { createGate } from '../access/gate.ts';"],
  ['src/context/resolve.ts', "import { App } from '../console/main.tsx';"],
  ['routes/http/guard.ts', "import { agentRoutes } from '../agents.ts';"],
  ['routes/agents.ts', "import { createStore } from '../src/adapters/sqlite/store.ts';"],
  ['src/context/resolve.ts', "import { readFileSync } from 'node:fs';"],
  ['src/search/search.ts', "import { join } from 'node:path';"],
  ['src/engine.ts', "const { Worker } = await import('node:worker_threads');"],
  ['routes/agents.ts', "import { DatabaseSync } from 'node:sqlite';"],
  ['src/session/session.ts', "import type { FastifyRequest } from 'fastify';"],
  ['src/context/resolve.ts', "import chokidar from 'chokidar';"],
  ['src/adapters/files/node-files.ts', "import { parseSync } from 'oxc-parser';"],
  ['src/agent/agent.ts', "import { pipeline } from '@xenova/transformers';"],
  ['src/policy/policy-file.ts', "const { parse } = await import('yaml');"],
  ['src/loose.ts', "import { z } from 'zod';"],
];

/** What one place says for all. Clients of the daemon, which are in `bin` and in the console, lie apart from it. */
const words: readonly { what: string; pattern: RegExp; home?: string; apart: RegExp; example: string }[] = [
  {
    what: 'preconditions of HTTP',
    pattern: /\bif-(?:none-)?match\b/iu,
    apart: /^(?:routes|openapi|src\/bin|src\/console)\//u,
    example: "const wanted = request.headers['if-match'];",
  },
  {
    what: 'masks of secrets',
    // The literal, alone or with what it stands before: sentences about it begin otherwise.
    pattern: /(['"])\*\*\*(?:\1|@)/u,
    home: 'src/texts/mask.ts',
    apart: /^src\/console\//u,
    example: "const hidden = text.replaceAll(secret, '***');",
  },
];

/** A text without its comments, which may tell what other places do. */
const code = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/^\s*\/\/.*$/gmu, '');

describe('architecture', () => {
  it('lets every folder import only what its row of the table names', () => {
    expect(imports.length).toBeGreaterThan(1000);
    const violations = imports.flatMap((each) => {
      const violation = violationOf(each);
      return violation === undefined ? [] : [`${spoken(each)}: ${violation}`];
    });
    expect(violations).toEqual([]);
  });

  it.each(forbidden)('refuses in %s: %s', (file, line) => {
    const [found] = importsIn(file, `${line}\n`);
    expect(found).toBeDefined();
    expect(violationOf(found as Import)).toBeDefined();
  });

  it('has a row for every file, and names nothing that nobody needs', () => {
    expect(files.filter((file) => rowOf(file) === undefined)).toEqual([]);
    const needed = new Map<string, Set<string | undefined>>(Object.keys(table).map((row) => [row, new Set()]));
    for (const { file, target } of imports) needed.get(rowOf(file) ?? '')?.add(rowOf(target));
    const unneeded = Object.entries(table).flatMap(([row, may]) =>
      may.filter((each) => needed.get(row)?.has(each) !== true).map((each) => `${row} → ${each}`),
    );
    expect(unneeded).toEqual([]);
    expect(Object.keys(table).filter((row) => !files.some((file) => rowOf(file) === row))).toEqual([]);
  });

  it('has no circles between folders: a row names only rows above it', () => {
    const rows = Object.keys(table);
    const below = Object.entries(table).flatMap(([row, may]) =>
      may.filter((each) => !rows.slice(0, rows.indexOf(row)).includes(each)).map((each) => `${row} → ${each}`),
    );
    expect(below).toEqual([]);
  });

  it('has no circles between files', () => {
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

  it('imports only what package.json names, and Node built-ins by their prefix', () => {
    const manifest = JSON.parse(textOf('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const strays = imports.filter(({ file, specifier, typeOnly }) => {
      if (specifier.startsWith('.')) return false;
      if (specifier.startsWith('node:'))
        return !builtinModules.includes(specifier.slice(5)) && !builtinModules.includes(specifier);
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
      // The console is bundled, and runs where there is no Node.
      if (isConsole(file) && (typeOnly || name in manifest.devDependencies)) return false;
      return !(name in manifest.dependencies);
    });
    expect(strays.map(spoken)).toEqual([]);
  });

  it('AP-06 reads past the policies only what is settings', () => {
    const texts = files.map((file) => ({ file, text: textOf(file) }));
    const readers = texts.filter(({ file, text }) => text.includes('readSettings') && file !== 'src/access/gate.ts');
    // Configurations, what MCP servers these define, what settings of other tools name; policies; ignored files; imports;
    // excerpts of both for "check".
    expect(readers.map(({ file }) => file).sort()).toEqual([
      'src/access/seen-file.ts',
      'src/bin/in-process/check-directory.ts',
      'src/context/load-directory.ts',
      'src/context/sources/named-files.ts',
      'src/context/sources/server-lists.ts',
      'src/ignore/load-ignore-file.ts',
      'src/mcp/definitions.ts',
      'src/mcp/entry-files.ts',
      'src/policy/list-policies.ts',
      'src/retrieval/lookup.ts',
      'src/supplementary/file-index.ts',
    ]);
    // Policies above the granted roots are read for what they decide, and for nothing else.
    const above = texts.filter(({ file, text }) => text.includes('gate.readPolicy') && file !== 'src/access/gate.ts');
    expect(above.map(({ file }) => file)).toEqual(['src/policy/nearest-policies.ts']);
    // Nobody but the gate opens files to give them away; what ends a call, or writes down its questions, passes them on.
    const openers = texts.filter(
      ({ file, text }) => /\bfiles\.read\(/u.test(text) && !file.startsWith('src/adapters/'),
    );
    expect(openers.map(({ file }) => file)).toEqual([
      'src/access/ending-files.ts',
      'src/access/looks.ts',
      'src/access/read-place.ts',
    ]);
  });

  it('reads process.env only in settings and bin', () => {
    const readers = files.filter((file) => /process\.env\b/u.test(textOf(file)));
    expect(readers.filter((file) => !file.startsWith('src/bin/') && file !== 'src/settings.ts')).toEqual([]);
  });

  it.each(words)('writes what belongs to one place only there: $what', ({ pattern, home, apart, example }) => {
    const found = files.filter((file) => !apart.test(file) && pattern.test(code(textOf(file))));
    expect(found).toEqual(home === undefined ? [] : [home]);
    expect(pattern.test(code(example))).toBe(true);
  });

  it('decides by codes and never by sentences for people', () => {
    const compared =
      /\.(?:message|detail|title)\)?\s*(?:[!=]==|\??\.(?:includes|startsWith|endsWith|match|search)\()\s*['"`/]|\.test\([\w.]*(?:message|detail)\)/u;
    for (const example of ["error.message === 'Gone.'", "said.detail?.includes('x')", '/^The/u.test(message)'])
      expect(compared.test(example)).toBe(true);
    // What the library of JSON Schema finds is known by its words only.
    const found = files.filter((file) => compared.test(code(textOf(file))));
    expect(found).toEqual(['src/adapters/workers/schema-check-worker.ts']);
  });

  it('has no default exports, and files that stay readable', () => {
    expect(files.filter((file) => /^export default/mu.test(textOf(file)))).toEqual([]);
    const lengths = files.map((file) => ({ file, lines: textOf(file).split('\n').length }));
    const tooLong = lengths.filter(
      ({ file, lines }) => lines > 250 && !/long/iu.test(textOf(file).split('\n', 1)[0] ?? ''),
    );
    expect(tooLong).toEqual([]);
    const median = lengths.map(({ lines }) => lines).sort((a, b) => a - b)[Math.floor(lengths.length / 2)];
    expect(median).toBeLessThanOrEqual(120);
  });
});
