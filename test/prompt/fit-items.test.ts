import { describe, expect, it } from 'vitest';
import type { ContextItem } from '../../src/prompt/context-result.ts';
import { fitItems } from '../../src/prompt/fit-items.ts';

function itemOf(kind: ContextItem['kind'], name: string, tokens: number): ContextItem {
  return { kind, name, tokens, reason: { code: 'imported' }, sha256: '', truncated: false, content: '' };
}
/** Items can be cut to what is asked for, down to ten tokens. */
const cut = async (item: ContextItem, maxTokens: number) =>
  maxTokens < 10 ? undefined : { ...item, tokens: maxTokens, truncated: true };
const fitted = async (items: ContextItem[], maxTokens: number) => {
  const { kept, omitted } = await fitItems(items, { maxTokens, cut });
  return { kept: [...kept.values()].map(({ name, tokens }) => [name, tokens]), omitted };
};

describe('a budget', () => {
  it('goes to rules first, then to what the user added, and last to what was found', async () => {
    const items = [itemOf('search', 's', 40), itemOf('tab', 't', 40), itemOf('rule', 'r', 40)];
    expect(await fitted(items, 120)).toMatchObject({
      kept: [
        ['r', 40],
        ['t', 40],
        ['s', 40],
      ],
      omitted: [],
    });
    expect(await fitted(items, 85)).toEqual({
      kept: [
        ['r', 40],
        ['t', 40],
      ],
      omitted: [
        { kind: 'search', name: 's', reason: { code: 'over_budget', detail: '5 of 85 tokens were left' }, tokens: 40 },
      ],
    });
  });

  it('cuts what is too large, and leaves room for what comes behind', async () => {
    const items = [itemOf('rule', 'large', 1_000), itemOf('rule', 'small', 20), itemOf('search', 's', 30)];
    expect(await fitted(items, 100)).toMatchObject({
      kept: [
        ['small', 20],
        ['large', 40],
        ['s', 30],
      ],
    });
  });

  it('of nothing holds what costs nothing', async () => {
    expect(await fitted([itemOf('rule', 'r', 1), itemOf('rule', 'empty', 0)], 0)).toMatchObject({
      kept: [['empty', 0]],
      omitted: [{ name: 'r', reason: { code: 'over_budget' } }],
    });
  });
});
