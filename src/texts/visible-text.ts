/** Text of strangers, safe to look at: in a terminal and in a browser (S-44, S-11). */

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
