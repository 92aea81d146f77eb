/** Serialises long answers without holding the event loop. */
import type { Hash } from 'node:crypto';
import { createPause } from '../../src/pace/turns.ts';

/**
 * The bytes of `JSON.stringify(value)`. Gives way to others between the entries of the lists of `value`. `digest`: gets
 * the bytes too.
 */
export async function jsonInTurns(value: object, digest?: Hash): Promise<Buffer> {
  const pause = createPause();
  const parts: Buffer[] = [];
  for (const text of textsOf(value)) {
    const part = Buffer.from(text);
    digest?.update(part);
    parts.push(part);
    const turn = pause();
    if (turn) await turn;
  }
  return Buffer.concat(parts);
}

/** The JSON in pieces: one for each entry of a list. */
function* textsOf(value: object): Generator<string> {
  yield '{';
  let before = '';
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (Array.isArray(field) && field.length > 0) {
      for (const [at, each] of field.entries()) yield `${at === 0 ? '[' : ','}${JSON.stringify(each)}`;
      yield ']';
    } else yield JSON.stringify(field);
  }
  yield '}';
}
