/** A text without the quotes around it, single or double. */
export function withoutQuotes(text: string): string {
  const [first = ''] = text;
  return text.length > 1 && `"'`.includes(first) && text.endsWith(first) ? text.slice(1, -1) : text;
}
