/** Text for a terminal: without control characters, and not wider than the terminal. */
import { visibleText } from '../../texts/visible-text.ts';

/** Text of several lines, with invisible and control characters made visible. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}

/** Text of others on one line: line breaks become spaces. */
export function oneLine(text: string): string {
  return visibleText(text.replaceAll(/\s+/gu, ' ').trim());
}

/** Text of others on its own lines. */
export function textLines(text: string): string[] {
  return text.split('\n').map((line) => visibleText(line.replaceAll('\t', '    ').replace(/\r$/u, '')));
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

/** A text cut to `columns`, with `…` where something is missing. */
export function cutText(text: string, columns: number): string {
  const [line = '', ...rest] = wrapText(text, Math.max(1, columns));
  if (rest.length === 0) return line;
  const room = Math.max(1, columns - 1);
  const [words = ''] = wrapText(text, room);
  // Before a long word, such as a path, there may be little. Then the beginning of the word says more.
  const shorter = textWidth(words) < room / 2 ? cutWord(text, room)[0] : words;
  return `${shorter}…`;
}

/** A path cut to `columns` from its beginning: the end tells more. */
export function cutPath(path: string, columns: number): string {
  if (textWidth(path) <= columns) return path;
  let end = path;
  while (end !== '' && textWidth(end) >= columns) end = end.slice(Math.max(1, end.indexOf('/', 1)));
  return `…${end}`;
}
