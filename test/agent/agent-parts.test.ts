import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agent/agent.ts';
import { agentOf, type SplitAgent, splitAgent } from '../../src/agent/agent-parts.ts';

const rule = (name: string, text = `About ${name}.`) => ({ name, text });
const agent = (rules?: Agent['rules'], references?: Agent['references']): Agent => ({
  id: 'a',
  name: 'A',
  ...(rules === undefined ? {} : { rules }),
  ...(references === undefined ? {} : { references }),
});
const asStored = ({ document, items }: SplitAgent) => {
  const rank = { rules: 0, references: 1 };
  return { document, items: [...items].sort((a, b) => rank[a.kind] - rank[b.kind] || a.position - b.position) };
};

describe('an agent in parts', () => {
  it('AG-05 is read back as it was, whatever is added, changed, moved and removed', () => {
    const names = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 });
    const step = fc.record({ rules: fc.option(names), references: fc.option(names), text: fc.constantFrom('x', 'y') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let before: SplitAgent | undefined;
        for (const { rules, references, text } of steps) {
          const own = (list: string[] | null, kind: 'rules' | 'references') =>
            list?.map(
              (name) =>
                before?.agent[kind]?.find((each) => each.name === name && each.text === text) ?? rule(name, text),
            );
          const next = agent(own(rules, 'rules'), own(references, 'references'));
          before = splitAgent(next, before);
          expect(agentOf(asStored(before)).agent).toEqual(next);
          expect(before.bytes).toBe(agentOf(asStored(before)).bytes);
        }
      }),
      { seed: 1 },
    );
  });

  it('AG-05 keeps the parts that an edit leaves as they were; without a change it is the same', () => {
    const rules = [rule('a'), rule('b'), rule('c')];
    const first = splitAgent(agent(rules), undefined);
    const added = splitAgent(agent([...rules, rule('d')]), first);
    expect(added.items.slice(0, 3).every((item, at) => item === first.items[at])).toBe(true);
    expect(added.document).toBe(first.document);
    expect(splitAgent(agent([...rules]), first)).toBe(first);
    expect(splitAgent(agent([rule('a'), rule('b'), rule('c')]), first)).toBe(first);
    const replaced = splitAgent(agent([rules[0] as never, rule('b', 'Other.'), rules[2] as never]), first);
    expect(replaced.items.map(({ position }) => position)).toEqual([1, 2, 3]);
    expect([replaced.items[0], replaced.items[2]]).toEqual([first.items[0], first.items[2]]);
  });

  it('AG-05 that an older version stored as a whole is read, stays until it changes, and is then in parts', () => {
    const document = JSON.stringify(agent([rule('a')], [rule('b')]));
    const old = agentOf({ document, items: [] });
    expect(old.agent).toEqual(JSON.parse(document));
    expect(splitAgent(JSON.parse(document), old)).toBe(old);
    const changed = splitAgent(agent([rule('a'), rule('c')], [rule('b')]), old);
    expect(changed.items.map(({ name }) => name)).toEqual(['a', 'c', 'b']);
    expect(agentOf(asStored(changed)).agent).toEqual(agent([rule('a'), rule('c')], [rule('b')]));
  });
});
