import { describe, expect, it, vi } from 'vitest';
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

  it('CC-35 keeps every kind that fits, and names what is left out in the order in which the kinds get space', async () => {
    const kinds = ['map', 'search', 'file', 'changes', 'tab', 'supplementary', 'tool', 'rule'] as const;
    const items = kinds.map((kind) => ({ ...itemOf(kind, kind, 5), path: `/${kind}` }));
    expect((await fitted(items, 40)).omitted).toEqual([]);
    expect((await fitted(items, 4)).omitted.map(({ path }) => path)).toEqual([
      ...['/rule', '/tool', '/supplementary', '/tab', '/changes', '/file', '/search', '/map'],
    ]);
  });

  it('RT-05 tries no more than 32 cuts, because each counts all tokens of an item', async () => {
    const items = Array.from({ length: 50 }, (_, at) => itemOf('rule', `r${at}`, 1_000));
    const tooSmall = vi.fn(async () => undefined);
    await fitItems(items, { maxTokens: 900, cut: tooSmall });
    expect(tooSmall).toHaveBeenCalledTimes(32);
  });

  it('RT-05 cuts what is too large, and leaves room for what comes behind', async () => {
    const items = [itemOf('rule', 'large', 1_000), itemOf('rule', 'small', 20), itemOf('search', 's', 30)];
    expect(await fitted(items, 100)).toMatchObject({
      kept: [
        ['small', 20],
        ['large', 50],
        ['s', 30],
      ],
    });
  });

  it('CC-35 decides about rules and references together, by their importance', async () => {
    const items = [itemOf('reference', 'mentioned', 60), itemOf('rule', 'other', 60)];
    expect(await fitted(items, 60)).toMatchObject({ kept: [['mentioned', 60]], omitted: [{ name: 'other' }] });
  });

  it('RT-05 gives all that is left to the last item, behind which nothing is to come', async () => {
    const items = [itemOf('rule', 'first', 1_000), itemOf('rule', 'last', 1_000)];
    expect(await fitted(items, 100)).toMatchObject({
      kept: [
        ['first', 50],
        ['last', 50],
      ],
    });
    expect(await fitted([itemOf('map', 'map', 1_000)], 100)).toMatchObject({ kept: [['map', 100]] });
  });

  it('of nothing holds what costs nothing', async () => {
    expect(await fitted([itemOf('rule', 'r', 1), itemOf('rule', 'empty', 0)], 0)).toMatchObject({
      kept: [['empty', 0]],
      omitted: [{ name: 'r', reason: { code: 'over_budget' } }],
    });
  });

  it('RT-05 leaves what the question finds a share that definitions cannot take, and the other way round', async () => {
    const definitions = Array.from({ length: 40 }, (_, at) => itemOf('definition', `d${at}`, 300));
    const found = (each: number) => Array.from({ length: 8 }, (_, at) => itemOf('search', `s${at}`, each));
    const tokensOf = async (items: ContextItem[], kind: string) => {
      const { kept } = await fitItems(items, { maxTokens: 9_000, cut });
      return [...kept.values()].reduce((sum, item) => sum + (item.kind === kind ? item.tokens : 0), 0);
    };
    // All of it, where it is less than the share; the rest is for definitions.
    expect(await tokensOf([...definitions, ...found(150)], 'search')).toBe(1_200);
    expect(await tokensOf([...definitions, ...found(150)], 'definition')).toBe(7_800);
    expect(await tokensOf([...definitions, ...found(1_000)], 'search')).toBe(3_000);
    expect(await tokensOf([...definitions, ...found(1_000)], 'definition')).toBe(6_000);
    // What definitions do not use.
    expect(await tokensOf([...definitions.slice(0, 3), ...found(1_000)], 'search')).toBe(8_000);
    expect(await tokensOf(definitions, 'definition')).toBe(9_000);
  });

  it('RT-05 lets no definition and no imported file take much before the others had their turn', async () => {
    const others = Array.from({ length: 10 }, (_, at) => itemOf(at % 2 === 0 ? 'definition' : 'file', `d${at}`, 300));
    const large = itemOf('definition', 'large', 8_000);
    const { kept, omitted } = await fitted([large, ...others], 6_000);
    expect(kept[0]).toEqual(['large', 3_000]);
    expect(kept.slice(1)).toEqual(others.map(({ name }) => [name, 300]));
    expect(omitted).toEqual([]);
    const more = Array.from({ length: 20 }, (_, at) => itemOf('definition', `m${at}`, 300));
    expect(new Map((await fitted([large, ...more], 6_000)).kept as [string, number][]).get('large')).toBe(1_500);
  });

  it('RT-05 gives the room of a large definition that cannot be cut to the others', async () => {
    const items = [itemOf('definition', 'large', 5_000), itemOf('definition', 'small', 900)];
    const { kept, omitted } = await fitItems(items, { maxTokens: 5_500, cut: async () => undefined });
    expect([...kept.values()].map(({ name }) => name)).toEqual(['small']);
    expect(omitted).toMatchObject([{ name: 'large', tokens: 5_000 }]);
  });
});
