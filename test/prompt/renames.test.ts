import { describe, expect, it } from 'vitest';
import { createPause } from '../../src/pace/turns.ts';
import { findRenames } from '../../src/prompt/renames.ts';

const lines = (of: string, from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${of} ${from + at}\n`).join('');
const texts = (all: Readonly<Record<string, string>>) => Object.entries(all).map(([path, text]) => ({ path, text }));
const found = async (removed: Readonly<Record<string, string>>, added: Readonly<Record<string, string>>) =>
  Object.fromEntries(await findRenames(texts(removed), texts(added), createPause()));

describe('renamed files', () => {
  it('have half of their lines in common, without those of many files', async () => {
    const licence = lines('licence', 1, 30);
    const others = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`gone${at}`, `${licence}${lines(`gone${at}`, 1, 12)}`]),
    );
    const changed = `${licence}${lines('a', 1, 10)}${lines('new', 1, 10)}`;
    expect(await found({ ...others, a: `${licence}${lines('a', 1, 20)}` }, { b: changed })).toEqual({ b: 'a' });
    const tooDifferent = `${licence}${lines('a', 1, 10)}${lines('new', 1, 11)}`;
    expect(await found({ ...others, a: `${licence}${lines('a', 1, 20)}` }, { b: tooDifferent })).toEqual({});
    expect(await found(others, { b: `${licence}${lines('b', 1, 12)}` })).toEqual({});
  });

  it('are those with most lines in common, each once', async () => {
    const a = lines('a', 1, 40);
    const near = `${lines('a', 1, 30)}${lines('b', 1, 10)}`;
    expect(await found({ a, near }, { one: near, two: a })).toEqual({ one: 'near', two: 'a' });
    expect(await found({ a }, { one: near, two: a, three: a })).toEqual({ two: 'a' });
  });

  it('S-45 are looked for in so many lines only, as each that is kept takes memory', async () => {
    const twelve = (name: string) =>
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${name}${at}`, lines(`${at}:`, 1, 10_000)]));
    const ten = Array.from({ length: 10 }, (_, at) => [`new${at}`, `gone${at}`]);
    expect(await found(twelve('gone'), twelve('new'))).toEqual(Object.fromEntries(ten));
  });

  it('are not looked for among short ones', async () => {
    expect(await found({ a: lines('a', 1, 9) }, { b: lines('a', 1, 9) })).toEqual({});
    expect(await found({ a: lines('a', 1, 10) }, { b: lines('a', 1, 10) })).toEqual({ b: 'a' });
    expect(await found({ a: '' }, { b: '', c: 'text' })).toEqual({});
  });
});
