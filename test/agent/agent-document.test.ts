import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent/agent.ts';
import { parseAgentDocument, writeAgentDocument } from '../../src/agent/agent-document.ts';
import { ContextdError } from '../../src/errors.ts';

const agent: Agent = {
  id: 'reviewer',
  name: 'Reviewer: "one"',
  systemPrompt: 'You review.\n\n  Always.\n',
  mountedDirectory: '~/project',
  rules: [
    { name: '123', text: 'yes' },
    { name: 'null', description: '*star', priority: 0, text: '---\n# not a comment\n\ttab', include: 'agent' },
  ],
  references: [],
  mcpServers: {
    'a b': { command: 'x', args: ['-y', '2026-01-01'], include: 'manual', tools: { t: { include: 'agent' } } },
  },
  settings: { search: { preset: 'normal', minScore: 0.25 }, temperature: 0, toolPermission: 'never' },
};

function messagesOf(content: string, format?: 'yaml' | 'json'): string[] {
  try {
    parseAgentDocument({ content, ...(format === undefined ? {} : { format }) });
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ContextdError);
    const { code, errors } = error as ContextdError;
    expect(code).toBe('invalid_request');
    expect(new Set(errors.map(({ pointer }) => pointer))).toEqual(new Set(['/content']));
    return errors.map(({ message }) => message);
  }
}

describe('documents', () => {
  it.each(['yaml', 'json'] as const)('AG-05 %s says all there is, and can be read again', async (format) => {
    const content = await writeAgentDocument(agent, format);
    expect(parseAgentDocument({ content })).toEqual(agent);
    expect(parseAgentDocument({ content, format })).toEqual(agent);
  });

  it('AG-05 an agent of any size can be exported as YAML and imported again', async () => {
    const rules = Array.from({ length: 1_000 }, (_, n) => ({ name: `r${n}`, description: 'd', text: 'a\nb\n' }));
    const large = { ...agent, rules };
    const content = await writeAgentDocument(large, 'yaml');
    expect(parseAgentDocument({ content, format: 'yaml' })).toEqual(large);
    expect(await writeAgentDocument({ ...agent, rules: rules.slice(0, 100) }, 'yaml')).toMatch(/^id: reviewer\n/u);
    expect(parseAgentDocument({ content: '{ id: a, name: A }' })).toEqual({ id: 'a', name: 'A' });
  });

  it('AN-01 AG-05 a key without a value sets nothing', () => {
    const content = 'id: a\nname: A\nrules:\n  - { name: r, text: t, priority: }\nreferences:\nsettings:\n  search:\n';
    const rules = [{ name: 'r', text: 't' }];
    expect(parseAgentDocument({ content })).toEqual({ id: 'a', name: 'A', rules, settings: {} });
  });

  it('AG-05 any text survives both formats', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(
        'no',
        '1e3',
        '0x1',
        '~',
        '- a',
        'a: b',
        '# x',
        '\t',
        ' a ',
        'a\r\nb',
        '\u2028',
        '\u0085',
        '|',
        '%YAML',
        '<<',
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom('yaml' as const, 'json' as const), async (first, second, format) => {
        const given = { ...agent, rules: [{ name: 'a', text: first, description: second }], systemPrompt: second };
        fc.pre(Agent.safeParse(given).success);
        const content = await writeAgentDocument(given, format);
        expect(parseAgentDocument({ content, format })).toEqual(given);
      }),
      { numRuns: 400, seed: 20_260_105 },
    );
  });

  it('AG-05 says what is wrong and where', () => {
    expect(messagesOf('')).toEqual(['it is empty']);
    expect(messagesOf('a: [')).toHaveLength(1);
    expect(messagesOf('{"id": ', 'json')[0]).toContain('not valid JSON');
    expect(messagesOf('- a')[0]).toBe('Must be an object, not an array.');
    const found = messagesOf('id: a b\nname: A\nrules: [{ name: x, text: 1 }]\nwrong: 1');
    expect(found.map((message) => message.split(':', 1)[0]).sort()).toEqual(['/id', '/rules/0/text', '/wrong']);
    expect(messagesOf('{"id":"a","name":"A","rules":[{"name":"x","text":""},{"name":"x","text":""}]}')).toEqual([
      '/rules/1/name: The name is given twice.',
    ]);
  });

  it.each([
    ['aliases', 'id: &a x\nname: *a'],
    [
      'a bomb',
      `a: &a [x,x]\n${'bcdefgh'
        .split('')
        .map((k, n) => `${k}: &${k} [*${'abcdefg'[n]},*${'abcdefg'[n]}]`)
        .join('\n')}`,
    ],
    ['merge keys', 'id: x\nname: A\n<<: { systemPrompt: y }'],
    ['prototypes', '__proto__: { id: x }\nid: x\nname: A'],
    ['prototypes in JSON', '{"id":"x","name":"A","constructor":{"prototype":{}}}'],
    ['depth', `${'['.repeat(5_000)}`],
    ['tags', 'id: !!js/function "x"\nname: A'],
    ['several documents', 'id: x\nname: A\n---\nid: y'],
  ])('S-58 S-61 refuses %s', (_title, content) => {
    expect(messagesOf(content).length).toBeGreaterThan(0);
    expect(({} as Record<string, unknown>).id).toBeUndefined();
  });
});

it('AG-05 says in which line a document cannot be read', () => {
  expect(messagesOf('id: a\nname: A\nrules:\n  - name: [\n')).toEqual([
    expect.stringMatching(/^the bracket "\[" is not closed.* \(line 4, column 11\)$/u),
  ]);
});
