/** Secrets as answers show them, and as they are compared and stored (S-26). Nothing shown helps to guess a short one. */
import { createHash } from 'node:crypto';
import { maskUrl } from '../context/merge.ts';
import type { KeyedHash } from '../texts/keyed-hash.ts';

const mask = '***';
/** So many bits must be unknown in a value before the beginning of its hash is shown. */
const leastBits = 90;

/** The beginning of the hash is for random values only: any other could be found by trying. */
export function maskValue(value: string): string {
  if (!/^[\w+/=.-]{24,4096}$/u.test(value) || !/\d/u.test(value) || bitsIn(value) < leastBits) return mask;
  return `${mask} (sha256:${createHash('sha256').update(value).digest('hex').slice(0, 8)})`;
}

/** How much a value tells, were each of its characters drawn as often as it occurs; words in it count for nothing. */
function bitsIn(value: string): number {
  const random = value.replace(/[A-Za-z]{5,64}/gu, '');
  const counts = new Map<string, number>();
  for (const letter of random) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits += count * Math.log2(random.length / count);
  return bits;
}

/** A secret so that it can be compared and stored; `shown` is what may be told of it. */
export function tagged(shown: string | undefined, value: string, keyed: KeyedHash): string {
  return `${shown ?? mask} #${keyed(value).slice(0, 32)}`;
}

export function tagUrl(url: string, keyed: KeyedHash): string {
  return tagged(maskUrl(url), url, keyed);
}

const tag = / #[0-9a-f]{32}$/u;

/** Two values of a field as answers show them: of secrets only that they differ. */
export function showTagged(before: string | undefined, after: string | undefined) {
  const shown = (value: string | undefined) => value?.replace(tag, '');
  const isSame = before !== undefined && after !== undefined && shown(before) === shown(after);
  return {
    ...(before === undefined ? {} : { before: shown(before) as string }),
    ...(after === undefined ? {} : { after: `${shown(after)}${isSame ? ' (another value)' : ''}` }),
  };
}
