/** Keys of maps for texts of others. */
import { hash } from 'node:crypto';

/** Shorter than a hash, so that no text is the key of another one. */
const longest = 63;

/**
 * The same for equal texts. For a long text it is a hash: a `Map` compares long keys of one length with each other, each
 * to its end.
 */
export function keyOfText(text: string): string {
  return text.length <= longest ? text : hash('sha256', text);
}
