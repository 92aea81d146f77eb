/** An array with the same numbers and at least this length. A new one has twice the length, so it is rarely copied. */
export function withRoom<Numbers extends Uint16Array | Uint32Array | Float64Array>(
  array: Numbers,
  length: number,
): Numbers {
  if (length <= array.length) return array;
  const longer = new (array.constructor as new (length: number) => Numbers)(2 * length);
  longer.set(array);
  return longer;
}
