import { countTokens as countWhole } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { splitForCounting } from '../../../src/adapters/workers/token-worker.ts';
import { createWorkerTokenCounter } from '../../../src/adapters/workers/worker-token-counter.ts';
import { tokenEncodings } from '../../../src/ports/token-encoding.ts';

const texts = [
  '',
  'Wrap errors at the boundary, once.\n\n```ts\nconst a = "b";\n//comment\n```\n'.repeat(40),
  "L'été n'est pas l'hiver, qu'on dit d'aujourd'hui. ".repeat(40),
  '上下文管理系统跟踪聊天会话和请求中使用的规则、引用和工具。'.repeat(30),
  'यह एक परीक्षण वाक्य है। '.repeat(60),
  'a1b2 c3\t\t\n \n'.repeat(120),
  '👩‍👩‍👧 family, 🇫🇷 flag; '.repeat(40),
];

describe('token counter', () => {
  it('CC-35 counts as the encoding itself counts, in pieces', async () => {
    const counter = createWorkerTokenCounter();
    const options = { disallowedSpecial: new Set<string>() };
    expect(await counter.count(texts, 'o200k_base')).toEqual(texts.map((text) => countWhole(text, options)));
    counter.dispose();
  });

  it('knows every encoding of the contract', async () => {
    const counter = createWorkerTokenCounter();
    for (const encoding of tokenEncodings) expect(await counter.count(['two words'], encoding)).toEqual([2]);
    counter.dispose();
  });

  it('counts special tokens as the text they are written with', async () => {
    const counter = createWorkerTokenCounter();
    const [count] = await counter.count(['<|endoftext|>'], 'o200k_base');
    expect(count).toBeGreaterThan(1);
    counter.dispose();
  });

  it('splits without losing or halving a character, in pieces that stay short', () => {
    for (const text of [...texts, 'a'.repeat(5_000), '👩'.repeat(3_000), '漢字'.repeat(3_000)]) {
      const pieces = [...splitForCounting(text)];
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= 1_025)).toBe(true);
    }
  });

  it('S-79 rejects what was asked when its worker ends, and starts another one', async () => {
    const counter = createWorkerTokenCounter();
    const waiting = counter.count(['x'.repeat(500_000)], 'o200k_base');
    counter.dispose();
    await expect(waiting).rejects.toThrow('stopped');
    expect(await counter.count(['two words'], 'o200k_base')).toEqual([2]);
    counter.dispose();
  });

  it('lets its worker go when it has been idle', async () => {
    const counter = createWorkerTokenCounter({ idleMs: 1 });
    expect(await counter.count(['one'], 'o200k_base')).toEqual([1]);
    expect(await counter.count(['one'], 'o200k_base')).toEqual([1]);
    counter.dispose();
  });
});
