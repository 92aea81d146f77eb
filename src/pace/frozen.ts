/** Values that never change, so that what was computed from them stays valid. */

const whole = new WeakSet<object>();

/** Freezes a value of JSON with everything in it. */
export function freezeWhole<Value>(value: Value): Value {
  freeze(value);
  // Not its parts: an entry for each of thousands of parts would cost twenty times as much as parsing them.
  if (typeof value === 'object' && value !== null) whole.add(value);
  return value;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) freeze(part);
  Object.freeze(value);
}

/** Whether `freezeWhole` was called with it. `Object.isFrozen` says nothing about what is in an object. */
export function isFrozenWhole(value: object): boolean {
  return whole.has(value);
}
