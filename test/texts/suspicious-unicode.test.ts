import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSuspiciousUnicode, suspiciousUnicodeWarning } from '../../src/texts/suspicious-unicode.ts';
import { cleanSentences } from '../context/clean-sentences.ts';
import { expectQuick } from '../support/expect-quick.ts';
import { sized } from '../support/test-size.ts';

const path = '/work/.context/rule.md';

describe('hidden characters', () => {
  it.for<[kind: string, text: string, codePoint: string, total: number]>([
    ['bidi_control', 'access\u202E\u2066level', 'U+202E', 2],
    ['bidi_control', 'a\u200Fb', 'U+200F', 1],
    ['bidi_control', 'access\u061C level', 'U+061C', 1],
    ['zero_width', 'ig\u200Bno\u200Bre', 'U+200B', 2],
    ['zero_width', 'a\u2060b', 'U+2060', 1],
    ['zero_width', 'a\uFEFFb', 'U+FEFF', 1],
    ['joiner', 'pass\u200Cword\u200D', 'U+200C', 2],
    ['tag_character', 'rule\u{E0072}\u{E0075}\u{E006E}', 'U+E0072', 3],
    ['tag_character', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067} no end', 'U+E0067', 5],
    ['variation_selector', '😀\u{E0101}\u{E0120}\u{E0133}', 'U+E0101', 3],
    ['variation_selector', 'a\uFE0Fb\uFE01', 'U+FE0F', 2],
    ['variation_selector', '❤\uFE0F\uFE0F\uFE0E', 'U+FE0F', 2],
    ['invisible_operator', 'f\u2061x \u2062 \u2063 \u2064', 'U+2061', 4],
    ['deprecated_format', 'a\u206A\u206Fb', 'U+206A', 2],
    ['hangul_filler', 'const \u3164 = 1, \uFFA0, a\u1160', 'U+3164', 3],
    ['soft_hyphen', 'pass\u00ADword', 'U+00AD', 1],
    ['grapheme_joiner', 'a\u034Fb', 'U+034F', 1],
    ['interlinear_annotation', 'a\uFFF9b\uFFFAc\uFFFB', 'U+FFF9', 3],
    ['vowel_separator', 'a\u180Eb', 'U+180E', 1],
    ['music_format', 'a\u{1D173}b', 'U+1D173', 1],
    ['shorthand_format', 'a\u{1BCA0}b', 'U+1BCA0', 1],
    ['blank_pattern', 'a\u2800b', 'U+2800', 1],
    ['control_character', 'a\u001B[8mb\u0008', 'U+001B', 2],
    ['ignorable', 'a\u17B4\u{E0080}', 'U+17B4', 2],
    ['confusable', 'log in to p\u0430ypal', 'U+0430', 1],
    ['confusable', 'g\u043E\u043Egle and \u0391dmin', 'U+043E', 2],
    ['confusable', 'a pαssword', 'U+03B1', 1],
  ])('S-65 %s in %j', ([kind, text, codePoint, total]) => {
    const found = findSuspiciousUnicode(text);
    expect(found.counts).toEqual({ [kind]: total });
    expect(found.total).toBe(total);
    expect(found.findings).toHaveLength(total);
    const offset = text.indexOf(String.fromCodePoint(Number.parseInt(codePoint.slice(2), 16)));
    const first = kind === 'variation_selector' && text.startsWith('❤') ? offset + 1 : offset;
    expect(found.findings[0]).toEqual({ kind, codePoint, offset: first, line: 1, column: first + 1 });
  });

  it('S-65 offsets, lines and columns are those of the text', () => {
    const { findings } = findSuspiciousUnicode('one\r\n😀 two\u200Bx\n\n\u202Elast p\u0430y');
    expect(findings).toEqual([
      { kind: 'zero_width', offset: 11, line: 2, column: 7, codePoint: 'U+200B' },
      { kind: 'bidi_control', offset: 15, line: 4, column: 1, codePoint: 'U+202E' },
      { kind: 'confusable', offset: 22, line: 4, column: 8, codePoint: 'U+0430' },
    ]);
  });

  it('S-65 the first 20 are listed, the others counted', () => {
    const { findings, total, counts } = findSuspiciousUnicode('a\u200B'.repeat(500));
    expect(findings).toHaveLength(20);
    expect([total, counts]).toEqual([500, { zero_width: 500 }]);
  });

  it('S-65 what a script needs is suspicious in another', () => {
    expect(findSuspiciousUnicode(`${cleanSentences.persian} ig\u200Cnore`).counts).toEqual({ joiner: 1 });
    expect(findSuspiciousUnicode(`${cleanSentences.thai} ig\u200Bnore`).counts).toEqual({ zero_width: 1 });
    expect(findSuspiciousUnicode('😀\u200Dx 😀 \u200D 😀').counts).toEqual({ joiner: 2 });
    expect(findSuspiciousUnicode(`${cleanSentences.arabic} \u202E`).counts).toEqual({ bidi_control: 1 });
  });

  it('S-65 one warning says how many of which kinds there are and where', () => {
    expect(suspiciousUnicodeWarning('plain', path)).toBeUndefined();
    expect(suspiciousUnicodeWarning('one\ntw\u200Bo\u202E \u200B', path)).toEqual({
      code: 'suspicious_unicode',
      message:
        '3 invisible or misleading characters (zero_width 2, bidi_control 1), by offset: U+200B at 6, U+202E at 8, U+200B at 10. The text is delivered unchanged.',
      path,
      line: 2,
      column: 3,
    });
    const long = suspiciousUnicodeWarning('a\u200B'.repeat(500_000), path);
    expect(long?.message.length).toBeLessThan(1_000);
    expect(long?.message).toContain(', …');
  });
});

describe('clean texts', () => {
  const sentences = Object.values(cleanSentences);

  it.each(Object.entries(cleanSentences))('S-65 no alarm for %s', (_, sentence) => {
    expect(findSuspiciousUnicode(sentence)).toEqual({ findings: [], total: 0, counts: {} });
  });

  it('S-65 0 false alarms in 1,000 multilingual texts', () => {
    expect(sentences.length).toBeGreaterThan(60);
    const texts = Array.from({ length: 1_000 }, (_, index) =>
      Array.from({ length: 2 + (index % 5) }, (_, part) => {
        const sentence = sentences[(index * 7 + part * part * 13 + part) % sentences.length] ?? '';
        return part % 2 === 0 ? `# ${index}\n\n${sentence}` : `- \`code_${part}\`: "${sentence}"`;
      }).join('\r\n'),
    );
    expect(new Set(texts).size).toBe(1_000);
    expect(texts.filter((text) => suspiciousUnicodeWarning(text, path) !== undefined)).toEqual([]);
  });
});

describe('cost', () => {
  it('S-65 any text: never throws, the same twice, offsets inside the text and in order', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'ab',
        ' ',
        '\n',
        '\r',
        '\u200B',
        '\u200C',
        '\u200D',
        '\u202E',
        '\uFE0F',
        '\u{E0101}',
        '\u{E0067}',
        '\u{E007F}',
        '🏴',
        '😀',
      ],
      ...[
        '\u0430',
        '\u043E',
        'α',
        'म',
        'م',
        'ก',
        '\u0301',
        '\ud800',
        '\udc00',
        '\uFEFF',
        '\0',
        '\u1160',
        '\u180E',
        '\u2800',
        '葛',
      ],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (written) => {
        const found = findSuspiciousUnicode(written);
        const again = findSuspiciousUnicode(written);
        const offsets = found.findings.map(({ offset }) => offset);
        const sums = Object.values(found.counts).reduce((sum, count) => sum + count, 0);
        const ascending = offsets.every((offset, index) => index === 0 || offset > (offsets[index - 1] ?? 0));
        return (
          JSON.stringify(found) === JSON.stringify(again) &&
          ascending &&
          offsets.every((offset) => offset < written.length) &&
          sums === found.total &&
          found.findings.length === Math.min(20, found.total)
        );
      }),
      { numRuns: sized(4_000, 20_000), seed: 1 },
    );
  }, 120_000);

  it('S-65 a text ends whatever letters, numerals and marks of several scripts meet in it', () => {
    const characters = [...'aK\u212aªⅰⅯⅷ\u0301\u0483аяαῼ\u{10140}\u{1d245}', ' ', '\ud800'];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...characters), { maxLength: 12 }),
        (letters) => findSuspiciousUnicode(letters.join('')).total <= letters.length,
      ),
      { numRuns: sized(20_000, 20_000, 4_000), seed: 1 },
    );
  });

  it('S-65 a text of a mebibyte ends soon, whatever it repeats', () => {
    const pieces = [
      'plain text ',
      '\u200B',
      '👨\u200D👩\u200D👧',
      '🏴',
      '🏴\u{E0067}',
      'p\u0430',
      'p\u0430 ',
      'a\u0301',
      '\u0301',
      'می\u200Cخواهم ',
      'я',
      'Aя',
      'ⅰα',
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.floor(1_048_576 / piece.length));
      expectQuick(() => findSuspiciousUnicode(text), 4_000);
    }
  });
});
