/**
 * Makes text of others safe to show in a terminal and in a browser (S-44, S-11): control characters, bidirectional
 * marks, zero-width and tag characters, line separators, unassigned characters and lone surrogates become `\u{…}`. So
 * no file name can colour, move or reverse what a person reads.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    if (character === '\n') return String.raw`\n`;
    if (character === '\t') return String.raw`\t`;
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}
