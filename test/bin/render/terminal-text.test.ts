import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, padText, textWidth, wrapText } from '../../../src/bin/render/terminal-text.ts';
import { visibleText } from '../../../src/texts/visible-text.ts';

describe('terminal text', () => {
  it.each([
    ['\u001b[31mred', String.raw`\u{1b}[31mred`],
    ['a\nb\tc\rd', String.raw`a\nb\tc\u{d}d`],
    ['\u009b2J', String.raw`\u{9b}2J`],
    ['\u202egnp.exe', String.raw`\u{202e}gnp.exe`],
    ['zero\u200bwidth\ufeff', String.raw`zero\u{200b}width\u{feff}`],
    ['tag\u{e0041}', String.raw`tag\u{e0041}`],
    ['line\u2028separator', String.raw`line\u{2028}separator`],
    ['lone\ud800', String.raw`lone\u{d800}`],
    ['grüße 日本 ✓ é', 'grüße 日本 ✓ é'],
  ])('S-84 shows what would steer a terminal: %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('counts columns as a terminal does', () => {
    expect(textWidth('abc')).toBe(3);
    expect(textWidth('日本語')).toBe(6);
    expect(textWidth('e\u0301')).toBe(1);
    expect(padText('日', 4)).toBe('日  ');
  });

  it('wraps at spaces, and inside a word that is too long', () => {
    expect(wrapText('the quick brown fox', 9)).toEqual(['the quick', 'brown fox']);
    expect(wrapText('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
    expect(wrapText('', 4)).toEqual(['']);
  });

  it('cuts a text between words, or inside a long word', () => {
    expect(cutText('the quick brown fox', 14)).toBe('the quick…');
    expect(cutText('node /opt/files/server.js', 14)).toBe('node /opt/fil…');
    expect(cutText('the fox', 7)).toBe('the fox');
  });

  it('never writes a line wider than asked, and loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const shown = visibleText(text);
        const lines = wrapText(shown, columns);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(shown.replaceAll(' ', ''));
      }),
      { seed: 1 },
    );
  });
});
