/** The part after the last `character`: `Cart` of `Shop.Cart`. The whole text if there is none. */
export function afterLast(text: string, character: string): string {
  return text.slice(text.lastIndexOf(character) + 1);
}
