/** Values that never change, so that what was computed from them stays valid. */

const whole = new WeakSet<object>();

/** Freezes a value of JSON with everything in it. */
export function freezeWhole<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freezeWhole(part);
  whole.add(value);
  return Object.freeze(value);
}

/** Whether `freezeWhole` froze it. `Object.isFrozen` says nothing about what is in an object. */
export function isFrozenWhole(value: object): boolean {
  return whole.has(value);
}
