/** Generated context trees, configurations and requests: no throw, a valid answer, nothing outside the granted roots. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside } from '../../src/access/paths.ts';
import { ResolveRequest } from '../../src/context/resolve-request.ts';
import { ResolveResult } from '../../src/context/resolve-result.ts';
import { ContextdError } from '../../src/errors.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { sized } from '../support/test-size.ts';
import { createWorkspace, home, project, type TestWorkspace } from '../support/workspace.ts';

const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'a.md',
      'b.mdc',
      'c.txt',
      'src',
      'docs',
      'deep',
      'notes.md',
      'config.json',
      'config.yaml',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '.env',
      'server.key',
      '__proto__.md',
      'constructor',
      'a\nb.md',
      '\u202Egpj.md',
      'é.md',
      'e\u0301.md',
      ' ',
      '~',
      '{a,b}.md',
      '[x].md',
      '*',
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
      .map((text) => text.replaceAll(/[/\0]/gu, '_'))
      .filter((text) => text !== '.' && text !== '..' && text.isWellFormed()),
  },
);

const pattern = fc.oneof(
  fc.constantFrom(
    '*',
    '**',
    '**/*.md',
    'docs/**',
    '../**',
    '/etc/**',
    '~/**',
    '/',
    '..',
    '{a,b}',
    '{a|b}/*.{md}',
    '[.][.]/x',
    '**/**/**',
    'src/',
    '@(a|b)',
    '!a.md',
    '{'.repeat(600),
    '{a,b}'.repeat(25),
    '.context/**',
    '/home/ada/myproject/**',
  ),
  fc.string({ maxLength: 20 }),
);

const patterns = fc.oneof(fc.array(pattern, { maxLength: 4 }), fc.anything({ maxDepth: 1 }));

const configValue = fc.record(
  {
    clientContext: fc.oneof(
      fc.record(
        {
          includeFiles: patterns,
          excludeFiles: patterns,
          ignoreGlobalContext: fc.oneof(fc.boolean(), fc.anything({ maxDepth: 0 })),
          ignoreAncestorContext: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.anything({ maxDepth: 1 }),
    ),
    mcpServers: fc.dictionary(
      fc.constantFrom('a', '__proto__', 'constructor', 'toString', ''),
      fc.oneof(
        fc.record({ command: fc.string(), args: fc.array(fc.string()) }),
        fc.record({ url: fc.string() }),
        fc.anything({ maxDepth: 1 }),
      ),
      { maxKeys: 3 },
    ),
    unknown: fc.anything({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
);

const configText = fc.oneof(
  {
    weight: 5,
    arbitrary: configValue.map(
      (value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? 1 : each)) ?? '',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '\uFEFF{}',
      'null',
      '[]',
      '"x"',
      '{',
      '{"clientContext":}',
      '['.repeat(5_000),
      '{"a":'.repeat(100),
    ),
  },
);

const frontMatterLine = fc.oneof(
  fc.constantFrom(
    'trigger: always',
    'trigger: auto',
    'trigger: agent',
    'trigger: no',
    'globs: **/*.ts, x',
    'globs: *',
    'globs: [a, b',
    '- x',
    'description: "x"',
    'description: a: b',
    'disabled: yes',
    'disabled: true',
    'priority: 1e9',
    'priority: 7',
    '<<: *a',
    'a: &a [*a]',
    '__proto__: {x: 1}',
    'name: n',
    '\tx: 1',
    '? x',
    '!!js/function "x"',
  ),
  fc.string({ maxLength: 20 }),
);

const fileContent: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(frontMatterLine, { maxLength: 4 }).map((lines) => `---\n${lines.join('\n')}\n---\nbody`),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 24 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '---js\nprocess.exit(1)\n---\n',
      '---\n',
      '---\n---\n',
      '\uFEFF---\ntrigger: always\n---\n',
    ),
  },
);

const place = fc.constantFrom(
  '.context',
  'src/.context',
  'src/deep/.context',
  '~/.context',
  'docs',
  'src',
  '/etc',
  '~',
);

const treeEntry = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constant('file' as const),
      place,
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fileContent,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('config' as const),
      fc.constantFrom('.context', 'src/.context', '~/.context'),
      fc.constant(['context-config.json']),
      configText,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('link' as const),
      place,
      fc.array(name, { minLength: 1, maxLength: 2 }),
      fc.constantFrom('/etc', '..', '.', '/etc/passwd', '../docs', '../../..'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('fifo' as const),
      place,
      fc.array(name, { minLength: 1, maxLength: 2 }),
      fc.constant(''),
    ),
  },
);

const requestPath = fc.oneof(
  fc.constantFrom(
    'src',
    'src/deep',
    '.',
    'docs/x.ts',
    'src/a.ts',
    'src/deep/b.css',
    '../x',
    '/etc/passwd',
    '~/myproject/src',
    '%2e%2e',
    'C:\\x',
    'a\\b',
  ),
  fc.string({ minLength: 1, maxLength: 10 }),
);

const request = fc.record(
  {
    mountedDirectory: fc.oneof(
      { weight: 9, arbitrary: fc.constant(project) },
      { weight: 1, arbitrary: fc.constantFrom('/etc', '~', '~/myproject/src', 'x', '/home/ada/myproject/../..') },
    ),
    workingDirectory: requestPath,
    files: fc.array(requestPath, { maxLength: 3 }),
    mentions: fc.array(
      fc.oneof(fc.constantFrom('a', '.context/a.md', 'n'), fc.string({ minLength: 1, maxLength: 5 })),
      { maxLength: 2 },
    ),
    query: fc.string({ maxLength: 5 }),
    scopes: fc.uniqueArray(fc.constantFrom('global' as const, 'static' as const, 'dynamic' as const), { minLength: 1 }),
    content: fc.boolean(),
    budget: fc.record({ maxTokens: fc.nat({ max: 20 }) }),
    clientContextPath: fc.constantFrom('.context', '../.context', '.ai', '/x', '..'),
    globalContextPath: fc.constantFrom('~', '/etc', '~/myproject/docs', 'x'),
  },
  { requiredKeys: ['mountedDirectory'] },
);

type Entry = typeof treeEntry extends fc.Arbitrary<infer Value> ? Value : never;

/** Nothing here stores anything, and making one takes longer than all the rest. */
const store = createMemoryStore();

async function plant(entries: readonly Entry[]): Promise<TestWorkspace> {
  const outside = { '/etc/passwd': 'canary-outside', '~/private.md': 'canary-outside' };
  const workspace = await createWorkspace(outside, { ports: { store } });
  for (const [kind, at, names, content] of entries) {
    const top = at.startsWith('~') ? `${home}${at.slice(1)}` : at.startsWith('/') ? at : `${project}/${at}`;
    const path = `${top}/${names.join('/')}`;
    // What a generated tree cannot hold, such as a file below a file, is not planted.
    try {
      if (kind === 'link') workspace.files.symlink(path, content as string);
      else if (kind === 'fifo') workspace.files.fifo(path);
      else workspace.files.write(path, content);
    } catch {}
  }
  workspace.clock.advance(60_000);
  workspace.files.resetCounters();
  return workspace;
}

const refusals = ['invalid_request', 'path_outside_roots', 'not_found'];

/** The answer, or the code of the refusal; anything else fails the test. */
async function ask(workspace: TestWorkspace, wanted: ResolveRequest): Promise<ResolveResult | undefined> {
  try {
    return await workspace.engine.resolve(wanted);
  } catch (error) {
    if (!(error instanceof ContextdError)) throw error;
    if (!refusals.includes(error.code)) expect(refusals).toContain(error.code);
    return undefined;
  }
}

/** The verdicts of `explain` are those of `resolve`, each with the steps that led to it. */
async function compareWithExplain(
  workspace: TestWorkspace,
  wanted: ResolveRequest,
  result: ResolveResult,
): Promise<void> {
  const { candidates } = await workspace.engine.explain(wanted);
  const verdicts = Object.fromEntries(
    candidates.map(({ path, verdict, reason }) => [path, `${verdict} ${reason.code}`]),
  );
  const states = [
    ...result.files.map(({ path, state, reason }) => [path, `${state} ${reason.code}`]),
    ...result.excluded.map(({ path, reason }) => [path, `excluded ${reason.code}`]),
  ];
  expect(verdicts).toEqual(Object.fromEntries(states));
  // With several working directories the deciding step need not be the last one.
  for (const { steps, reason } of candidates)
    expect(steps.some(({ outcome, detail }) => outcome === reason.code || detail?.startsWith(reason.code))).toBe(true);
}

const trees = sized(1_200, 50_000, 400);

describe('generated workspaces', () => {
  it(`S-62 S-61 CC-09 CC-33 requests on ${trees} generated trees are answered validly, alike twice, and touch nothing outside`, async () => {
    let answers = 0;
    let slowest = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(treeEntry, { maxLength: 12 }), request, async (entries, wanted) => {
        fc.pre(ResolveRequest.safeParse(wanted).success);
        const workspace = await plant(entries);
        let result: ResolveResult | undefined;
        const turnMs = await longestTurnMs(async () => {
          result = await ask(workspace, wanted);
        });
        slowest = Math.max(slowest, turnMs);
        if (result !== undefined) {
          answers += 1;
          ResolveResult.parse(result);
          // By `expect` only what is wrong: it takes longer than an answer.
          const again = await ask(workspace, wanted);
          if (again !== result) expect(again).toBe(result);
          if (JSON.stringify(result).includes('canary-outside')) expect.fail(JSON.stringify(result));
          if (answers % 5 === 0) await compareWithExplain(workspace, wanted, result);
        }
        const allowed = (path: string): boolean => isInside(project, path) || isInside(`${home}/.context`, path);
        const outside = workspace.files.opened.filter((path) => !allowed(path));
        if (outside.length > 0) expect(outside).toEqual([]);
        if (Object.keys(Object.prototype).length > 0) expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: trees, maxSkipsPerRun: 10, seed: 20_260_105 },
    );
    expect(answers).toBeGreaterThan(trees / 5);
    // A hang would show as seconds; the slowest of thousands leaves room for garbage.
    expect(slowest).toBeLessThan(1_000);
  }, 180_000);
});
