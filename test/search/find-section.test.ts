import { describe, expect, it } from 'vitest';
import { findSection } from '../../src/search/find-section.ts';
import { expectQuick } from '../support/expect-quick.ts';

const text = `Introduction about rounding prices.

# Money

About money.

## Rounding of prices

Half to even.

### Rounding of taxes

Up.

## Discounts

At most one.

\`\`\`sh
# Export of prices
\`\`\`
`;
const heading = (question: string, within = text) => findSection(question, within)?.heading;

describe('the section that a question is about', () => {
  it('SS-13 is the one whose heading has most of its words, with what is below it', () => {
    expect(findSection('How are prices rounded?', text)).toEqual({
      heading: 'Rounding of prices',
      text: '## Rounding of prices\n\nHalf to even.\n\n### Rounding of taxes\n\nUp.\n\n',
    });
    expect(heading('round the taxes')).toBe('Rounding of taxes');
  });

  it('SS-13 one word is enough where the heading has no other', () => {
    expect(heading('which discounts are there')).toBe('Discounts');
    expect(heading('which prices are there')).toBeUndefined();
  });

  it('SS-13 is none where two headings fit as well, where none does, or where the section is too long', () => {
    expect(heading('how is it rounded')).toBeUndefined();
    expect(heading('what does the introduction say')).toBeUndefined();
    expect(heading('export the prices')).toBeUndefined();
    expect(heading('')).toBeUndefined();
    const long = text.replace('Half to even.', 'Half to even. '.repeat(600));
    expect(heading('How are prices rounded?', long)).toBeUndefined();
    expect(heading('round the taxes', long)).toBe('Rounding of taxes');
  });

  it('SS-13 has at most 8,000 characters', () => {
    const money = (length: number): string => '# Money\n\n'.padEnd(length, 'word ');
    expect(findSection('what about money', money(8_000))?.text).toHaveLength(8_000);
    expect(heading('what about money', money(8_001))).toBeUndefined();
  });

  it('SS-13 is not found by numbers alone', () => {
    expect(heading('what was in 2024', '# 2024\n\nMuch.\n')).toBeUndefined();
    expect(heading('what was planned in 2024', '# Planned 2024\n\nMuch.\n')).toBeUndefined();
    expect(heading('what was planned', '# Planned\n\nMuch.\n')).toBe('Planned');
  });

  it('SS-13 begins with a line that Markdown takes for a heading', () => {
    expect(heading('what about money', '   ###### Money\n\nMuch.\n')).toBe('Money');
    expect(heading('what about money', '    # Money\n\nMuch.\n')).toBeUndefined();
    expect(heading('what about money', '####### Money\n\nMuch.\n')).toBeUndefined();
    expect(heading('what about money', '#Money\n\nMuch.\n')).toBeUndefined();
  });

  it('SS-13 is known by the first 200 characters of its heading', () => {
    const long = (before: number): string => `${'# '.padEnd(before, 'the ')} money and taxes\n\nMuch.\n`;
    expect(heading('what about money and taxes', long(150))).toContain('money and taxes');
    expect(heading('what about money and taxes', long(200))).toBeUndefined();
  });

  it('SS-13 is none of the 2,000 sections and more that are not told apart', () => {
    const many = (count: number): string => `${'# Other\n'.repeat(count)}# Money\n`;
    expect(heading('what about money', many(1_999))).toBe('Money');
    expect(heading('what about money', many(2_000))).toBeUndefined();
  });

  it('SS-13 of a text without headings is none', () => {
    expect(findSection('rounding prices', 'Rounding of prices.\n')).toBeUndefined();
  });

  it('SS-13 S-52 of a very long text is one of its beginning that ends there', () => {
    const rest = 'Further words.\n'.repeat(80_000);
    expect(heading('which discounts are there', `${text}# Rest\n${rest}`)).toBe('Discounts');
    expect(heading('which discounts are there', `${text}${rest}`)).toBeUndefined();
    expect(heading('how much tax is due', `${rest}# Tax due\n\nLittle.\n`)).toBeUndefined();
    const ending = (length: number): string => `${'word\n'.repeat(length / 5 - 4)}# Tax due\n`.padEnd(length, 'x');
    expect(heading('how much tax is due', ending(65_536))).toBe('Tax due');
    expect(heading('how much tax is due', ending(65_537))).toBeUndefined();
    // The last one has 190 characters that are each written as eighteen.
    for (const line of ['\n', '# a b\n', '`a `` b\n', 'word ', `# ${'\ufdfa'.repeat(190)}\n`])
      expectQuick(() => findSection('a word b', line.repeat(1_000_000 / line.length)), 100);
  });
});
