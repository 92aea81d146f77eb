/** The published schemas: committed, valid, and of one mind with the parsers (AP-08). */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CheckedKind } from '../../src/validation/diagnostic.ts';
import { jsonSchemaOf } from '../../src/validation/json-schemas.ts';
import { validateContent } from '../../src/validation/validate-content.ts';
import { sized } from '../support/test-size.ts';

const configurations = sized(3_500, 5_000, 1_000);

const compiled = new Map(
  CheckedKind.options.map((kind) => [
    kind,
    new Ajv2020({ strict: true, allowUnionTypes: true }).compile(jsonSchemaOf(kind) as AnySchema),
  ]),
);
const accepts = (kind: CheckedKind, value: unknown): unknown => compiled.get(kind)?.(value);

/** What a check says about a text; what is no matter of form is left out. */
function complaints(kind: CheckedKind, content: string): string[] {
  const onlyForm = (code: string) =>
    !['invalid_server_url', 'server_type_mismatch', 'empty_body', 'policy_without_kind'].includes(code);
  return validateContent({ kind, content })
    .diagnostics.map(({ code }) => code)
    .filter(onlyForm);
}

describe.each(CheckedKind.options)('%s', (kind) => {
  it('AP-08 is the committed file', () => {
    const committed = readFileSync(new URL(`../../openapi/schemas/${kind}.json`, import.meta.url), 'utf8');
    expect(JSON.parse(committed), 'run `npm run openapi`').toEqual(jsonSchemaOf(kind));
  });

  it('AP-08 is of 2020-12, has a name, and describes every property', () => {
    const schema = jsonSchemaOf(kind) as { properties: Record<string, { description?: string }> };
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:contextd:schema:${kind}`,
      title: expect.stringMatching(/^[A-Z]/u),
      type: 'object',
    });
    const undescribed = Object.entries(schema.properties).filter(([, { description }]) => !description);
    expect(undescribed).toEqual([]);
  });
});

it('AP-08 there is no other committed schema', () => {
  const names = readdirSync(new URL('../../openapi/schemas/', import.meta.url));
  expect(names.sort()).toEqual([...CheckedKind.options].sort().map((kind) => `${kind}.json`));
});

describe('schema and check', () => {
  it.each([
    '{}',
    '{"$schema": "../schemas/context-config.json"}',
    '{"clientContext": {"includeFiles": ["a"], "excludeFiles": [], "ignoreGlobalContext": true, "ignoreAncestorContext": false}}',
    '{"mcpServers": {"a b": {"command": "x", "args": ["y"], "env": {"A": "1"}, "type": "stdio", "disabled": true}}}',
    '{"mcpServers": {"a": {"url": "https://a.test", "headers": {"A": "1"}, "type": "sse"}}}',
  ])('AP-08 CC-09 both accept the configuration %s', (content) => {
    expect(complaints('context-config', content)).toEqual([]);
    expect(accepts('context-config', JSON.parse(content))).toBe(true);
  });

  it.each([
    '[]',
    '{"clientContext": []}',
    '{"clientContext": {"includeFiles": "a"}}',
    '{"clientContext": {"includeFiles": [""]}}',
    '{"clientContext": {"includefiles": []}}',
    '{"clientContext": {"ignoreGlobalContext": "true"}}',
    '{"include": ["a"]}',
    '{"theme": 1}',
    '{"mcpServers": {"a": {}}}',
    '{"mcpServers": {"a": {"command": "x", "url": "y"}}}',
    '{"mcpServers": {"a": {"command": ""}}}',
    '{"mcpServers": {"a": {"command": "x", "args": [1]}}}',
    '{"mcpServers": {"a": {"command": "x", "type": "pipe"}}}',
    '{"mcpServers": {"a": {"url": "https://a.test", "args": []}}}',
    `{"mcpServers": {"${'x'.repeat(129)}": {"command": "x"}}}`,
    JSON.stringify({ clientContext: { excludeFiles: Array(65).fill('a') } }),
  ])('AP-08 CC-09 both refuse the configuration %s', (content) => {
    expect(complaints('context-config', content)).not.toEqual([]);
    expect(accepts('context-config', JSON.parse(content))).toBe(false);
  });

  it(`AP-08 CC-09 they agree about ${configurations} generated configurations`, () => {
    const few = { maxLength: 3 };
    const word = fc.constantFrom('a', 'b/**', '', 'x\ny', 'x\0');
    const odd = fc.constantFrom<unknown>(null, 1, true, 'x', [], {}, [1]);
    const mostly = <T>(good: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd });
    const words = mostly(
      fc.array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom('a', 'b/**') }, { weight: 1, arbitrary: word }), few),
    );
    const texts = mostly(
      fc.dictionary(
        fc.constantFrom('A', 'B'),
        fc.oneof({ weight: 8, arbitrary: fc.constant('v') }, { weight: 1, arbitrary: word }),
        { maxKeys: 2 },
      ),
    );
    const some = { requiredKeys: [] };
    const client = fc.record(
      {
        includeFiles: words,
        excludeFiles: words,
        ignoreGlobalContext: mostly(fc.boolean()),
        ignoreAncestorContext: mostly(fc.boolean()),
        other: odd,
      },
      some,
    );
    const common = { type: mostly(fc.constantFrom('stdio', 'sse', 'http')), disabled: mostly(fc.boolean()) };
    const server = fc.oneof(
      fc.record(
        { command: mostly(fc.constant('x')), args: words, env: texts, ...common },
        { requiredKeys: ['command'] },
      ),
      fc.record({ url: mostly(fc.constant('https://a.test')), headers: texts, ...common }, { requiredKeys: ['url'] }),
    );
    const servers = fc.dictionary(fc.constantFrom('a', 'b c'), mostly(server), { maxKeys: 2 });
    const value = fc.record(
      { $schema: fc.constant('x'), clientContext: mostly(client), mcpServers: mostly(servers) },
      some,
    );
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(value, (config) => {
        const content = JSON.stringify(config);
        const isRight = complaints('context-config', content).length === 0;
        if (accepts('context-config', config) !== isRight) expect.fail(`${content}: ${!isRight}`);
        seen[isRight ? 'right' : 'wrong'] += 1;
      }),
      { numRuns: configurations, seed: 20_260_105 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(configurations / 10);
  });

  it.each([
    'ai_context_policy: allow\nexclude: [a, "b/**"]\nversion: 1\n',
    'ai_context_policy: block\nexclude:\n',
    '{}',
  ])('AP-08 AP-04 both accept the policy %j', (content) => {
    expect(complaints('ai-context-policy', content)).toEqual([]);
    expect(accepts('ai-context-policy', parseYaml(content))).toBe(true);
  });

  it.each([
    'ai_context_policy: [allow|block]\n',
    'ai_context_policy: deny\n',
    'exclude: a\n',
    'exclude: [1]\n',
    'exclude: [""]\n',
    'version: 2\n',
    'version: "1"\n',
    'excludes: []\n',
    'other: 1\n',
    '- a\n',
  ])('AP-08 AP-04 both refuse the policy %j', (content) => {
    expect(complaints('ai-context-policy', content)).not.toEqual([]);
    expect(accepts('ai-context-policy', parseYaml(content))).toBe(false);
  });

  const frontMatter = (block: string) => [
    complaints('context-file', `---\n${block}---\nText.\n`),
    accepts('context-file', parseYaml(block)),
  ];

  it.each([
    'description: x\ntrigger: always\n',
    'trigger: AUTO\nglobs: a, b\n',
    'trigger: pattern\nappliesTo:\n  - a\n',
    'description: x\ntrigger: Agent\ninstructions: y\n',
    'type: Reference\npriority: 0\nname: x\ndisabled: false\n',
    'globs:\ntitle: anything\ntags: [a]\n',
  ])('AP-08 CC-27 both accept the front matter %j', (block) => {
    expect(frontMatter(block)).toEqual([[], true]);
  });

  it.each([
    'trigger: sometimes\n',
    'trigger: [always]\n',
    'disabled: "yes"\n',
    'priority: 1000\n',
    'priority: 1.5\n',
    'priority: high\n',
    'type: note\n',
    'globs: {a: 1}\n',
    'globs: [1]\n',
    'description: [a]\n',
    `name: ${'x'.repeat(129)}\n`,
  ])('AP-08 CC-27 both refuse the front matter %j', (block) => {
    const [found, accepted] = frontMatter(block);
    expect(found).not.toEqual([]);
    expect(accepted).toBe(false);
  });

  it('AP-08 CC-09 a configuration may name its schema', () => {
    expect(
      validateContent({
        kind: 'context-config',
        content: '{"$schema": "http://127.0.0.1:47../../openapi/schemas/context-config"}',
      }),
    ).toEqual({
      valid: true,
      diagnostics: [],
    });
  });
});
