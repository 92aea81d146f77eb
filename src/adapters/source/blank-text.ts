/** Spaces instead of a text, with its line breaks, so that all lines and offsets stay the same. */
export function blank(text: string): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(line.length))
    .join('\n');
}
