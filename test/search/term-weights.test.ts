import { describe, expect, it } from 'vitest';
import { weighTerms } from '../../src/search/term-weights.ts';

const sum = (weights: Float64Array): number => weights.reduce((total, weight) => total + weight, 0);
const apart = (count: number): number[] => [...Array(count).keys()];

describe('weights of the words of a question', () => {
  it('SS-07 are greater for rarer words, and 1 together where all are known', () => {
    const { weights } = weighTerms(apart(3), [1, 20, 100], 100);
    expect(weights[0]).toBeGreaterThan(weights[1] as number);
    expect(weights[1]).toBeGreaterThan(weights[2] as number);
    expect(sum(weights)).toBeCloseTo(1, 10);
    expect(sum(weighTerms(apart(3), [1, 20, 0], 100).weights)).toBeLessThan(0.7);
  });

  it('SS-07 count an identifier once, and its parts not where no document has it', () => {
    const identifier = [2, 2, 2, 3];
    const known = weighTerms(identifier, [5, 5, 5, 5], 100);
    expect((known.weights[0] as number) + (known.weights[1] as number) + (known.weights[2] as number)).toBeCloseTo(
      known.weights[3] as number,
      10,
    );
    const unknown = weighTerms(identifier, [5, 5, 0, 5], 100);
    expect([...unknown.weights].slice(0, 3)).toEqual([0, 0, 0]);
  });

  it('SS-07 tell more, the more words there are and the more of them documents have', () => {
    const evidence = (having: number[]): number => weighTerms(apart(having.length), having, 100).evidence;
    expect(evidence([1, 1, 1])).toBeGreaterThan(evidence([1, 1]));
    expect(evidence([1, 1, 1])).toBeGreaterThan(evidence([1, 1, 0]));
    expect(evidence([0, 0])).toBe(0);
    expect(evidence([])).toBe(0);
  });
});
