import { describe, expect, it } from 'vitest';
import { splitForCounting } from '../../../src/adapters/workers/count-tokens.ts';
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
  // Many words that are no token, and runs in which the same pair is merged again and again.
  Array.from({ length: 2_000 }, (_, at) => ((at * 7_919) % 99_991).toString(36)).join(' '),
  ...['=', '\n', '\t', 'na', '漢字', '-+'].map((unit) => unit.repeat(400)),
];

describe('token counter', () => {
  it.each(tokenEncodings)('CC-35 counts as the library counts with %s', async (encoding) => {
    const counter = createWorkerTokenCounter();
    const { countTokens } = await import(`gpt-tokenizer/encoding/${encoding}`);
    const options = { disallowedSpecial: new Set<string>() };
    const all = [...texts, `halves of pairs: \ud83d ${'\udc69'.repeat(20)}`];
    expect(await counter.count(all, encoding)).toEqual(all.map((text) => countTokens(text, options)));
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
});
