/** Generated trees: a check never throws, and every finding about a file lies within its lines (AP-08, S-62). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside } from '../../src/access/paths.ts';
import { sarifLog } from '../../src/bin/render/sarif.ts';
import { ContextdError } from '../../src/errors.ts';
import type { Limits } from '../../src/settings.ts';
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import { rules } from '../../src/validation/findings.ts';
import type { MemoryFiles } from '../support/memory-files.ts';
import { sized } from '../support/test-size.ts';
import { createWorkspace, project } from '../support/workspace.ts';

// Made once: making a schema takes longer than parsing by it.
const whole = ValidateResult.strict();
const trees = sized(500, 50_000, 400);

const odd = fc.string({ unit: 'grapheme', maxLength: 12 });
const pattern = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...['*', '**', '**/*.md', 'docs/**', '../**', '/etc/**', '~/**', '/', '..', '{a,b}', '{a|b}/*.{md}', '[.][.]/x'],
      ...[
        'src/',
        '@(a|b)',
        '!a.md',
        '{'.repeat(600),
        '{a,b}'.repeat(25),
        '.context/**',
        `${project}/**`,
        'a.md',
        '*.md',
        './x',
      ],
      ...['node_modules/**', 'docs', 'context-config.json', ' a', 'a,b', '**/../x', '\u202ea'],
    ),
  },
  { weight: 1, arbitrary: odd },
);
const patterns = fc.oneof(
  { weight: 5, arbitrary: fc.array(pattern, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
);
const configValue = fc.record(
  {
    clientContext: fc.record(
      {
        includeFiles: patterns,
        excludeFiles: patterns,
        includefiles: patterns,
        ignoreGlobalContext: fc.jsonValue({ maxDepth: 0 }),
      },
      { requiredKeys: [] },
    ),
    include: patterns,
    mcpServers: fc.dictionary(
      fc.constantFrom('a', 'b', '__proto__', 'constructor', ''),
      fc.oneof(
        fc.record({ command: odd, args: fc.array(odd, { maxLength: 2 }) }),
        fc.record({ url: odd, type: fc.constantFrom('stdio', 'http') }),
        fc.jsonValue({ maxDepth: 1 }),
      ),
      { maxKeys: 3 },
    ),
    mcpservers: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const withLineEnds = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, lineEnd).map(([content, end]) => content.replaceAll('\n', end));
/** Of a well-known form, and nobody's. */
const token = `ghp_${'aB3x'.repeat(9)}`;
/** A text, perhaps cut short or with something foreign in it. */
const damaged = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 4, arbitrary: text },
    {
      weight: 1,
      arbitrary: fc.tuple(text, fc.nat()).map(([content, at]) => content.slice(0, at % (content.length + 1))),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          text,
          fc.nat(),
          fc.oneof(
            odd,
            fc.constantFrom(
              '\t',
              '"',
              '{',
              '\u202e',
              '\ufeff',
              '---\n',
              '*a',
              '<<<<<<< x\n',
              '\n\n',
              '<!-- x -->',
              token,
            ),
          ),
        )
        .map(
          ([content, at, piece]) =>
            content.slice(0, at % (content.length + 1)) + piece + content.slice(at % (content.length + 1)),
        ),
    },
  );
const configText = damaged(
  withLineEnds(
    fc
      .tuple(configValue, fc.constantFrom(0, 2))
      .map(([value, indent]) => `${JSON.stringify(value, undefined, indent)}\n`),
  ),
);
const fence = fc.oneof(
  { weight: 5, arbitrary: fc.constant('---') },
  { weight: 1, arbitrary: fc.constantFrom(' ---', '--- ', '----', '---js', '...', '', '\n---') },
);
const property = fc.oneof(
  fc
    .tuple(fc.constantFrom('globs', 'appliesTo'), fc.array(pattern, { maxLength: 3 }))
    .map(([key, globs]) => `${key}: ${globs.join(', ')}`),
  fc
    .tuple(fc.constantFrom('globs', 'appliesTo'), fc.array(pattern, { maxLength: 3 }))
    .map(([key, globs]) => `${key}:\n${globs.map((glob) => `  - ${glob}`).join('\n')}`),
  fc.constantFrom(
    'trigger: auto',
    'trigger: Always',
    'trigger: agent',
    'trigger: x',
    'description:',
    'description: "x"',
    'name: same',
    'priority: 1e9',
    'disabled: true',
    'Trigger: auto',
    'alwaysApply: true',
    'type: rule',
  ),
  fc.tuple(odd, odd).map(([key, value]) => `${key}: ${value}`),
);
const contextText = damaged(
  withLineEnds(
    fc
      .tuple(
        fence,
        fc.array(property, { maxLength: 4 }),
        fence,
        fc.oneof(fc.constantFrom('', 'Text.\n', '\u200b\n'), odd),
      )
      .map(([first, properties, last, body]) => [first, ...properties, last, body].join('\n')),
  ),
);
const policyText = damaged(
  withLineEnds(
    fc
      .array(
        fc.oneof(
          fc.constantFrom(
            'ai_context_policy: allow',
            'ai_context_policy: block',
            'version: 1',
            'version: 2',
            '# x',
            'excludes: []',
            'x: 1',
          ),
          fc
            .array(pattern, { maxLength: 4 })
            .map((items) => `exclude:\n${items.map((item) => `  - ${JSON.stringify(item)}`).join('\n')}`),
        ),
        { maxLength: 4 },
      )
      .map((lines) => `${lines.join('\n')}\n`),
  ),
);
/** Texts that chance does not write. */
const oddConfig = fc.constantFrom(
  '{"clientContext": {},\n"clientContext": {}}',
  JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`unknown${index}`, 1]))),
);
const oddFile = fc.constantFrom(
  'trigger: always\n---\nText.\n',
  '---\nname: x\n---\n\n---\ntrigger: always\n---\nText.\n',
  '<<<<<<< a\nA\n=======\nB\n>>>>>>> b\n',
);
const limits = fc.constantFrom<Partial<Limits>>(
  ...[{}, {}, {}, {}],
  { fileBytes: 30, configBytes: 60, frontMatterBytes: 12, depth: 1 },
  { frontMatterBytes: 12 },
  { entries: 2 },
  { contextFiles: 0 },
);
const directory = fc.constantFrom('', '', 'src/', 'src/deep/', 'docs/', 'a/b/', 'x/.context/y/');
/** The same texts in files of several tools. */
const manyLines = Array.from({ length: 12 }, (_, index) => `Rule ${index}.`);
const ruleFile = fc.tuple(
  fc.constantFrom(
    ...[
      '.cursor/rules/a.mdc',
      '.cursor/rules/b.mdc',
      '.windsurf/rules/a.md',
      '.cursor/rules/c.md',
      '.github/instructions/a.instructions.md',
    ],
    ...['.clinerules/a.md', '.kiro/steering/a.md', 'CLAUDE.md', 'AGENTS.md', 'GEMINI.md', '.roorules'],
  ),
  fc.oneof(
    contextText,
    fc.constantFrom(
      ...[
        '@AGENTS.md @CLAUDE.md @GEMINI.md',
        '@docs/none.md',
        'none/AGENTS.md',
        'Text.',
        '---\nalwaysApply: true\n---\nText.',
      ],
      ...[manyLines.join('\n'), manyLines.with(3, 'Another.').join('\n'), '---\ntrigger: glob\n---\nText.'],
      ...['---\nglobs: *.none\n---\nText.', '---\npaths: "*.ts"\n---\nText.', '---\ninclusion: fileMatch\n---\nText.'],
      '---\ndescription: x\napplyTo: ["*.ts"]\n---\nText.',
    ),
  ),
);
const file = fc.oneof(
  fc
    .tuple(
      directory,
      fc.constantFrom('context-config.json', 'config.json', 'context-config.yaml', 'sub/context-config.json'),
      fc.oneof({ weight: 9, arbitrary: configText }, { weight: 1, arbitrary: oddConfig }),
    )
    .map(([at, name, text]) => [`${at}.context/${name}`, text] as const),
  fc
    .tuple(
      directory,
      fc.constantFrom('config.yaml', 'config.yml'),
      damaged(configValue.map((value) => JSON.stringify(value))),
    )
    .map(([at, name, text]) => [`${at}.context/${name}`, text] as const),
  fc
    .tuple(
      directory,
      fc.constantFrom(
        'a.md',
        'b.mdc',
        'c.txt',
        'sub/d.md',
        'sub/er/f.md',
        'e.png',
        'id_rsa.md',
        '\u202egpj.md',
        'a\nb.md',
      ),
      fc.oneof({ weight: 9, arbitrary: contextText }, { weight: 1, arbitrary: oddFile }),
    )
    .map(([at, name, text]) => [`${at}.context/${name}`, text] as const),
  fc
    .tuple(
      directory,
      fc.constantFrom('.ai-context-policy.yaml', '.ai-context-policy.yml', 'ai-context-policy.yaml'),
      policyText,
    )
    .map(([at, name, text]) => [`${at}${name}`, text] as const),
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(directory, fc.constantFrom('a.md', 'docs/b.md', 'c.ts', '.env', 'node_modules/x.md', '.git/x'), odd)
        .map(([at, name, text]) => [`${at}${name}`, text] as const),
    },
    fc
      .tuple(
        directory,
        fc.constantFrom('.aiignore', '.aiexclude', '.claude/settings.json'),
        fc.constantFrom('*.md\n', '!x', '[', '{', '{"permissions": {"deny": ["Read(b.md)"]}}'),
      )
      .map(([at, name, text]) => [`${at}${name}`, text] as const),
  ),
  fc.tuple(directory, ruleFile).map(([at, [name, text]]) => [`${at}${name}`, text] as const),
  fc
    .tuple(directory, fc.uint8Array({ maxLength: 20 }))
    .map(([at, bytes]) => [`${at}.context/bytes.md`, bytes] as const),
);

const context = `${project}/.context`;
/** What can lie in a tree besides files with content; `path` is that of one of its files. */
const disturbances: Record<string, (files: MemoryFiles, path: string) => void> = {
  nothing: () => {},
  link: (files) => files.symlink(`${context}/link.md`, '/etc/passwd'),
  fifo: (files) => files.fifo(`${context}/fifo`),
  undecodable: (files) => files.addUndecodable(`${context}/\ufffd.md`),
  twins: (files) => {
    for (const name of ['t1.md', 't2.md']) files.write(`${context}/${name}`, '---\nname: same\n---\nText.\n');
  },
  copies: (files) => {
    for (const path of ['.devin/rules/a.md', '.windsurf/rules/a.md']) files.write(`${project}/${path}`, 'Text.');
    files.write(`${project}/.trae/rules/a.md`, '---\nalwaysApply: false\n---\nText.');
    for (const [name, line] of Object.entries({ 'AGENTS.md': 'One.', 'CLAUDE.md': 'Two.' }))
      files.write(`${project}/${name}`, manyLines.with(3, line).join('\n'));
  },
  mode: (files, path) => files.setMode(path, 0),
  /** What chance would write in a thousand trees only. */
  rare: (files) => {
    const texts = {
      'r1.md': '---\ntrigger: agent\n---\nText.\n',
      'r2.md': '---\ntrigger: auto\n---\nText.\n',
      'r3.md': '---\ntrigger: x\n---\nText.\n',
      'r4.md': '---\ntriger: always\n---\nText.\n',
      'r5.md': 'Text. <!-- x -->\n',
    };
    for (const [name, text] of Object.entries(texts)) files.write(`${context}/${name}`, text);
    for (const ending of ['yaml', 'yml']) files.write(`${project}/r/.ai-context-policy.${ending}`, 'exclude: [x.md]\n');
    files.write(`${project}/r/deep/x.md`, '');
    files.write(`${project}/r/locked/x.md`, '');
    files.setMode(`${project}/r/locked`, 0);
    files.write(`${project}/.claude/rules/r.md`, '@r.md @none.md\n');
    files.write(`${project}/.cursor/rules/r.mdc`, '---\nglobs: "*.none"\nalwaysApply: perhaps\n---\nText.\n');
    files.write(`${project}/.kiro/steering/r.md`, '---\ninclusion: fileMatch\n---\nText.\n');
    files.write(`${project}/.clinerules/r.md`, '---\npaths: "*.ts"\n---\nText.\n');
    files.write(`${project}/opencode.json`, '{"instructions": ["none.md"]}');
    files.write(`${project}/.gemini/settings.json`, '{"contextFileName": "../x.md"}');
    files.write(`${project}/.aider.conf.yml`, 'read: [');
    for (const name of ['config.json', 'config.yaml'])
      files.write(`${project}/r/.context/${name}`, '{"mcpServers": {"a": {"command": "x"}}}');
  },
};

describe('check', () => {
  it(`AP-08 S-62 of ${trees} generated trees never throws, and every finding has a rule and lies within the lines of its file`, {
    timeout: sized(120_000, 900_000),
  }, async () => {
    const seen = new Set<string>();
    const settings = fc.record({ settings: fc.record({ followSymlinks: fc.boolean() }), limits });
    const kinds = fc.constantFrom(...Object.keys(disturbances), 'nothing', 'nothing');
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 8 }), kinds, settings, async (entries, kind, options) => {
        const tree: Record<string, string | Uint8Array> = Object.fromEntries(entries);
        const { engine, files } = await createWorkspace({ ...tree, '/etc/passwd': 'x' }, options);
        const write: MemoryFiles['write'] = (path, content) => {
          tree[path.slice(project.length + 1)] = content;
          files.write(path, content);
        };
        disturbances[kind]?.({ ...files, write }, `${project}/${Object.keys(tree)[0] ?? ''}`.replace(/\/$/u, ''));
        const result = await engine.validate({ mountedDirectory: project }).catch((error: unknown) => error);
        // The memory of a database is not the heap's: thousands of them would wait for a collection that nothing calls for.
        await engine.dispose();
        // Permissions can forbid the mounted directory itself.
        if (result instanceof ContextdError && entries.length === 0) return;
        const { valid, diagnostics } = whole.parse(result);
        expect(valid).toBe(diagnostics.every(({ severity }) => severity === 'warning'));
        for (const { code, path, line, column = 0, message, pointer = '' } of diagnostics) {
          seen.add(code);
          // By `expect` only what is wrong: there are tens of findings of each tree.
          if (!Object.hasOwn(rules, code)) expect.fail(code);
          if (!/^\S[\s\S]+[.?]$/u.test(message)) expect.fail(`${code}: ${message}`);
          if (!/^(?:\/|$)/u.test(pointer)) expect.fail(`${code}: ${pointer}`);
          if (path === undefined) continue;
          if (!isInside(project, path)) expect.fail(`${code}: ${path}`);
          const content = tree[path.slice(project.length + 1)];
          if (line === undefined || content === undefined) continue;
          const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
          const lines = text.split('\n');
          const isInLines = line <= lines.length && column > 0 && column - 1 <= (lines[line - 1]?.length ?? 0);
          if (!isInLines) expect.fail(`${code} ${line}:${column} in ${JSON.stringify(text)}`);
        }
        expect(sarifLog(diagnostics, { directory: project, version: '0' }).runs).toHaveLength(1);
      }),
      { numRuns: trees, seed: 20_260_108 },
    );
    // The generator must reach what it can, or it proves little. Time stands still here.
    const missed = Object.keys(rules).filter((code) => !seen.has(code));
    expect(missed.sort()).toEqual([
      'context_directory_outside_granted_roots',
      'limit_imports',
      'limit_policy_time',
      'limit_walk_time',
      'more_diagnostics',
    ]);
    expect(({} as Record<string, unknown>).command).toBeUndefined();
  });
});
