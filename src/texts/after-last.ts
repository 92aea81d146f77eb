/** `Cart` of `Shop.Cart` and `.`. The whole text if the character is not in it. */
export function afterLast(text: string, character: string): string {
  return text.slice(text.lastIndexOf(character) + 1);
}
