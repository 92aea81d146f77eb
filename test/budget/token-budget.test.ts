import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseGone, overBudget } from '../../src/budget/token-budget.ts';

const part = (name: string, tokens: number, chained = false) => ({ name, tokens, chained });
const gone = (parts: ReturnType<typeof part>[], maxTokens: number) =>
  chooseGone(parts, { maxTokens }).gone.map(({ name }) => name);

it('CC-35 RT-05 RQ-05 what still fits comes back, the last gone first', () => {
  const rules = [part('far', 8), part('middle', 60), part('near', 600), part('nearest', 593)];
  expect(chooseGone(rules, { maxTokens: 900 })).toEqual({ gone: [part('near', 600)], tokens: 661 });
  expect(gone([part('far', 60), part('middle', 60), part('near', 600)], 100)).toEqual(['far', 'near']);
  expect(gone([part('free', 0), part('one', 5)], 3)).toEqual(['one']);
  expect(overBudget(900, 661)).toEqual({ code: 'over_budget', detail: '239 of 900 tokens were left' });
});

it('RQ-05 what is chained comes back without a gap', () => {
  const history = [part('oldest', 5, true), part('older', 50, true), part('newest', 7, true)];
  expect(gone([...history, part('item', 100)], 20)).toEqual(['oldest', 'older', 'item']);
});

it('CC-35 RT-05 RQ-05 nothing that went would fit, and what stays does', () => {
  const parts = fc.array(fc.nat(50), { maxLength: 12 });
  fc.assert(
    fc.property(parts, fc.nat(300), fc.nat(100), (sizes, maxTokens, fixedTokens) => {
      const all = sizes.map((tokens, at) => part(`${at}`, tokens));
      const result = chooseGone(all, { maxTokens, fixedTokens });
      const stays = all.filter((each) => !result.gone.includes(each));
      expect(result.tokens).toBe(stays.reduce((sum, { tokens }) => sum + tokens, fixedTokens));
      if (fixedTokens <= maxTokens) expect(result.tokens).toBeLessThanOrEqual(maxTokens);
      for (const { tokens } of result.gone) expect(result.tokens + tokens).toBeGreaterThan(maxTokens);
    }),
    { seed: 1 },
  );
});
