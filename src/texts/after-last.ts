/** The part after the last `character`: `Cart` of `Shop.Cart`. The whole text if there is none. */
export function afterLast(text: string, character: string): string {
  return text.slice(text.lastIndexOf(character) + 1);
}

/** The part before the last `character`: `Shop` of `Shop.Cart`. Empty if there is none. */
export function beforeLast(text: string, character: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf(character)));
}
