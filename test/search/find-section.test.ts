import { describe, expect, it } from 'vitest';
import { findSection } from '../../src/search/find-section.ts';

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
const heading = (question: string, most = 8_000) => findSection(question, text, most)?.heading;

describe('the section that a question is about', () => {
  it('SS-09 is the one whose heading has most of its words, with what is below it', () => {
    expect(findSection('How are prices rounded?', text, 8_000)).toEqual({
      heading: 'Rounding of prices',
      text: '## Rounding of prices\n\nHalf to even.\n\n### Rounding of taxes\n\nUp.\n\n',
    });
    expect(heading('round the taxes')).toBe('Rounding of taxes');
  });

  it('SS-09 one word is enough where the heading has no other', () => {
    expect(heading('which discounts are there')).toBe('Discounts');
    expect(heading('which prices are there')).toBeUndefined();
  });

  it('SS-09 is none where two headings fit as well, where none does, or where the section is too long', () => {
    expect(heading('how is it rounded')).toBeUndefined();
    expect(heading('what does the introduction say')).toBeUndefined();
    expect(heading('export the prices')).toBeUndefined();
    expect(heading('')).toBeUndefined();
    expect(heading('How are prices rounded?', 40)).toBeUndefined();
  });

  it('SS-09 of a text without headings is none', () => {
    expect(findSection('rounding prices', 'Rounding of prices.\n', 8_000)).toBeUndefined();
  });
});
