import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkItem, chunkText, indexedText, maskedChunks } from '../../src/search/chunk.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { fixedLimits } from '../../src/settings.ts';

const item = (fields: Partial<SearchItem>): SearchItem => ({
  type: 'rule',
  name: 'errors',
  description: 'How errors are handled',
  text: 'Wrap them.',
  sha256: '0',
  ...fields,
});

const dense = (text: string): string => text.replaceAll(/\s+/gu, '');

const prose = fc
  .array(fc.oneof(fc.lorem({ mode: 'sentences', maxCount: 12 }), fc.string({ unit: 'grapheme', maxLength: 1_500 })), {
    maxLength: 6,
  })
  .chain((parts) => fc.constantFrom(' ', '\n', '\n\n', '\r\n\r\n', '\n## ').map((separator) => parts.join(separator)));

describe('what is indexed', () => {
  it('SS-01 is name, description and text of rules and references', () => {
    expect(indexedText(item({}))).toBe('errors: How errors are handled\n\nWrap them.');
    expect(indexedText(item({ type: 'reference', description: '' }))).toBe('errors\n\nWrap them.');
    expect(indexedText(item({ text: ' \n' }))).toBe('errors: How errors are handled');
  });

  it('SS-01 is name and description of tools', () => {
    expect(indexedText(item({ type: 'tool', text: 'not of a tool' }))).toBe('errors: How errors are handled');
    expect(indexedText(item({ type: 'tool', description: '' }))).toBe('errors');
  });
});

describe('chunks', () => {
  it('SS-02 are at most 500 characters long and lose nothing but white space at the cuts', () => {
    fc.assert(
      fc.property(prose, (text) => {
        const chunks = chunkText(text);
        expect(Math.max(0, ...chunks.map(({ length }) => length))).toBeLessThanOrEqual(
          fixedLimits.search.chunkCharacters,
        );
        expect(dense(chunks.join(''))).toBe(dense(text));
        expect(chunks.every((chunk) => chunk !== '' && chunk === chunk.trim() && text.includes(chunk))).toBe(true);
      }),
      { seed: 1 },
    );
  });

  it('SS-02 pack paragraphs that fit, whole', () => {
    const paragraphs = ['a', 'b', 'c'].map((letter) => `${letter.repeat(198)}.`);
    expect(chunkText(paragraphs.join('\n\n'))).toEqual([`${paragraphs[0]}\n\n${paragraphs[1]}`, paragraphs[2]]);
  });

  it('SS-02 cut a long paragraph between sentences, which keep their punctuation', () => {
    const paragraph = Array.from({ length: 20 }, (_, at) => `Sentence number ${at} ends with a full stop, or not!`);
    const chunks = chunkText(paragraph.join(' '));
    expect(chunks.length).toBe(2);
    for (const chunk of chunks) expect(chunk).toMatch(/^Sentence .* not!$/u);
  });

  it('SS-02 cut a sentence that is too long between words', () => {
    const chunks = chunkText(Array.from({ length: 300 }, () => 'word').join(' '));
    expect(chunks.map(({ length }) => length)).toEqual([499, 499, 499]);
    expect(new Set(chunks.join(' ').split(' '))).toEqual(new Set(['word']));
  });

  it('SS-02 never part what is one character to the reader', () => {
    for (const character of ['😀', 'e\u0301', '👨‍👩‍👧‍👦', '👍🏽', '日'])
      for (const chunk of chunkText(`x${character.repeat(800)}`))
        expect(chunk.replace(/^x/u, '').replaceAll(character, '')).toBe('');
  });

  it('SS-02 begin anew at a heading, so that an edit leaves the chunks of later sections alone', () => {
    const section = (title: string, length: number) => `## ${title}\n\n${`${title} sentence. `.repeat(length)}`;
    const cut = (first: string) => chunkText(`${first}\n\n${section('Second', 40)}\n\n${section('Third', 30)}`);
    const before = cut(section('First', 20));
    const after = cut(`${section('First', 20)} And one more sentence that was added later.`);
    const changed = after.filter((chunk) => !before.includes(chunk));
    expect(changed.length).toBe(1);
    expect(after.some((chunk) => chunk.startsWith('## Third'))).toBe(true);
  });

  it('SS-02 of a name alone is the name, of nothing is nothing', () => {
    expect(chunkItem(item({ type: 'tool', description: '' }))).toEqual(['errors']);
    expect(chunkText(' \n\n\t')).toEqual([]);
  });

  it('SS-02 of hostile texts are made in a time that grows with their length alone', () => {
    const size = 1 << 20;
    for (const unit of ['a', '\n', ' ', '. ', '\n \n', 'a \t', '#\n\n', '\u0301', '\u200d'])
      expect(
        chunkText(unit.repeat(size / unit.length)).every(({ length }) => length <= fixedLimits.search.chunkCharacters),
      ).toBe(true);
  });
});

describe('chunks for a model', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const claims = Buffer.from(JSON.stringify({ a: 'x'.repeat(700) })).toString('base64url');
  const token = `eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.${claims}.${'Ab1_'.repeat(85)}`;
  const before = 'Words that stand before it. '.repeat(12);

  it.each([
    ['a private key', `${before}\n\n${privateKey}\nAnd words behind it.`, privateKey],
    [
      'a private key in a list',
      `- ${before}\n${privateKey.replaceAll(/^/gmu, '  ')}\n- And words behind it.`,
      privateKey,
    ],
    ['a long token', `${before}token: ${token} is used. And words behind it.`, token],
  ])('S-88 hold no part of %s, wherever it is cut', (_what, text, secret) => {
    const chunks = maskedChunks(item({ text }));
    const shown = chunkItem(item({ text }));
    expect(chunks.length).toBe(shown.length);
    expect(chunks.length).toBeGreaterThan(2);
    const all = chunks.join('\n');
    expect(all).toContain('***');
    for (const part of secret.match(/[\w+/=]{16,20}/gu) ?? []) {
      expect(dense(shown.join(''))).toContain(part);
      expect(all).not.toContain(part);
    }
    expect(all).toContain('Words that stand before it.');
    expect(all).toContain('And words behind it.');
  });

  it('S-88 are what is shown where there is no secret', () => {
    fc.assert(
      fc.property(prose, (text) => {
        expect(maskedChunks(item({ text }))).toEqual(chunkItem(item({ text })));
      }),
      { seed: 1 },
    );
  });
});
