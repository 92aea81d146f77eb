/** Text for a terminal: without control characters, and not wider than the terminal. */
import { visibleText } from '../../texts/visible-text.ts';

/** Text of several lines, with invisible and control characters made visible. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}

const wide = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** The columns of a terminal that `text` takes. It must contain no escape sequences. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

function widthOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The text padded with spaces to `columns`. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** The width of a column of names: that of the longest one with at most `most` columns. Longer ones stick out. */
export function nameColumn(rows: readonly { name: string }[], most: number, least = 8): number {
  return Math.max(least, ...rows.map(({ name }) => textWidth(name)).filter((width) => width <= most));
}

/** Lines of at most `columns`, broken at spaces. Breaks longer words, too. */
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

/** Pieces of at most `columns`. */
export function cutWord(word: string, columns: number): string[] {
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
