import { expect, it } from 'vitest';
import { sectionsOf } from '../../src/context/joints.ts';
import { atOnce } from '../../src/pace/turns.ts';
import type { ContextItem } from '../../src/prompt/context-result.ts';
import { createCut } from '../../src/prompt/cut-item.ts';
import type { Rendering } from '../../src/prompt/render-items.ts';

/** A token for each four characters. */
let counted = 0;
const tokenCounts = {
  count: async (texts: readonly { text: string }[]) => {
    counted += texts.reduce((sum, { text }) => sum + text.length, 0);
    return { counts: texts.map(({ text }) => Math.ceil(text.length / 4)), estimated: false };
  },
  forget() {},
};
const itemOf = (content: string): ContextItem => {
  const kind = 'rule' as const;
  return { kind, name: 'r', content, tokens: 9e9, reason: { code: 'imported' }, sha256: '', truncated: false };
};
type Way = { rendering?: Rendering; isOver?: () => boolean };
const cut = (content: string, maxTokens: number, { rendering = 'none', isOver = () => false }: Way = {}) => {
  counted = 0;
  const piecesOf = async (item: ContextItem) => atOnce(sectionsOf(item.content));
  return createCut({ rendering, encoding: 'o200k_base', tokenCounts, piecesOf, isOver })(itemOf(content), maxTokens);
};
const sentences = (count: number) => 'All money is counted in cents.\n'.repeat(count);

it('ends between sections where these fill the room', async () => {
  const content = Array.from({ length: 20 }, (_, at) => `# ${at}\n${sentences(10)}`).join('');
  const piece = await cut(content, 400);
  expect(piece?.content).toBe(`${content.slice(0, content.indexOf('# 5'))}…\n`);
  expect(piece).toMatchObject({ truncated: true, wholeTokens: 9e9 });
});

it('says once that something is left out', async () => {
  const content = Array.from({ length: 20 }, (_, at) => `# ${at}\n${sentences(10)}\n…\n\n`).join('');
  const piece = await cut(content, 400);
  expect(piece?.content).toBe(`${content.slice(0, content.indexOf('# 4') - 1)}`);
});

it('RT-05 keeps what the query found behind the place of the cut', async () => {
  const parts = Array.from({ length: 20 }, (_, at) => `# ${at}\n${sentences(10)}`);
  const content = parts.join('');
  const piecesOf = async (item: ContextItem) => atOnce(sectionsOf(item.content));
  const cutting = createCut({ rendering: 'none', encoding: 'o200k_base', tokenCounts, piecesOf, isOver: () => false });
  const cutWith = (held: string | undefined) => cutting({ ...itemOf(content), held }, 400);
  const behind = await cutWith(parts[12]);
  expect(behind?.content).toBe(`${parts.slice(0, 4).join('')}…\n${parts[12]}…\n`);
  expect(behind?.tokens).toBeLessThanOrEqual(400);
  const before = await cutWith(undefined);
  expect(before?.content).toBe(`${parts.slice(0, 5).join('')}…\n`);
  expect((await cutWith(parts[2]))?.content).toBe(before?.content);
  expect((await cutWith(parts.slice(5, 15).join('')))?.content).toBe(before?.content);
  expect((await cutWith('elsewhere'))?.content).toBe(before?.content);
});

it('goes on into a large section behind a small one', async () => {
  const piece = await cut(`# Title\n\n## Large\n\n${sentences(3_000)}`, 1_000);
  expect(piece?.content.startsWith('# Title\n\n## Large\n\nAll money')).toBe(true);
  expect(piece?.tokens).toBeGreaterThan(900);
  expect(piece?.tokens).toBeLessThanOrEqual(1_000);
});

it('uses the room for very many short lines, too', async () => {
  const piece = await cut('1\n'.repeat(100_000), 20_000);
  expect(piece?.tokens).toBeGreaterThan(9_000);
});

it('counts little of what is larger as it is rendered than by itself', async () => {
  const content = `${'<rule>'.repeat(80)}\n`.repeat(2_000);
  const piece = await cut(content, 200_000, { rendering: 'xml' });
  expect(piece?.tokens).toBeLessThanOrEqual(200_000);
  expect(piece?.tokens).toBeGreaterThan(150_000);
  expect(counted).toBeLessThan(10 * content.length);
});

it('stops where nobody waits any more', async () => {
  expect(await cut(sentences(10_000), 1_000, { isOver: () => true })).toBeUndefined();
  expect(counted).toBeLessThan(1_000);
});

it('gives nothing of one long line, nor of what has too little room', async () => {
  expect(await cut('x'.repeat(100_000), 1_000)).toBeUndefined();
  expect(await cut(sentences(1_000), 50)).toBeUndefined();
});
