/** Text for a terminal: nothing hostile in it, and never wider than asked. */

/**
 * The text with everything invisible or steering made visible: control characters, bidirectional marks, zero-width and
 * tag characters, line separators, unassigned and lone surrogate code units become `\u{…}`, so that no file name can
 * colour, move or reverse what a person reads.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    if (character === '\n') return String.raw`\n`;
    if (character === '\t') return String.raw`\t`;
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

const wide = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** Columns a terminal needs for `text`, which holds no escape sequences. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The text padded with spaces to `columns`. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** Lines of at most `columns`, broken at spaces and, where a word is longer, inside it. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((word) => cutWord(word, columns))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (textWidth(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function cutWord(word: string, columns: number): string[] {
  if (textWidth(word) <= columns) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && textWidth(piece) + textWidth(character) > columns) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
