/**
 * The one place that hides secrets: what replaces them in answers, logs and exports, and how they are compared and
 * stored as hashes (S-26).
 */

import { createHmac, hash } from 'node:crypto';
import { type FoundSecret, findSecrets } from './find-secrets.ts';
import { percentDecoded } from './percent-decoded.ts';

/** What replaces a secret. */
export const mask = '***';
/** The beginning of a hash is shown only for values with at least so many unknown bits. */
const minBits = 90;
/** Shorter values are words like "true". Removing these hides nothing and damages the text. */
const shortestKnown = 6;

/** The names, with a mask for each value. */
export function maskEach(values: Readonly<Record<string, string>>): Record<string, string> {
  // `fromEntries` defines own properties, so that `__proto__` is only a name.
  return Object.fromEntries(Object.keys(values).map((name) => [name, mask]));
}

/** Shows the beginning of the hash for random values only. Others could be found by trying. */
export function maskValue(value: string): string {
  if (!/^[\w+/=.-]{24,4096}$/u.test(value) || !/\d/u.test(value) || bitsIn(value) < minBits) return mask;
  return `${mask} (sha256:${hash('sha256', value).slice(0, 8)})`;
}

/** The entropy of a value, by the frequency of its characters. Words in it do not count. */
function bitsIn(value: string): number {
  const random = value.replace(/[A-Za-z]{5,64}/gu, '');
  const counts = new Map<string, number>();
  for (const letter of random) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits += count * Math.log2(random.length / count);
  return bits;
}

/** Masks user information and query values of an address. Masks all of a text that is not an address. */
export function maskUrl(url: string): string {
  if (!URL.canParse(url)) return mask;
  const parsed = new URL(url);
  if (parsed.username !== '') parsed.username = mask;
  if (parsed.password !== '') parsed.password = mask;
  // Setting values one by one would take quadratic time.
  const masked = [...new Set(parsed.searchParams.keys())].map((name): [string, string] => [name, mask]);
  parsed.search = new URLSearchParams(masked).toString();
  parsed.hash = '';
  return parsed.href;
}

/** Whether a part of an address is masked, so that the address cannot be used. */
export function isMaskedUrl(url: string): boolean {
  if (!URL.canParse(url)) return url === mask;
  const { username, password, searchParams } = new URL(url);
  return [username, password, ...searchParams.values()].map(percentDecoded).includes(mask);
}

/** Masks the path of an address, because many have a secret there. */
export function maskPath(url: string): string {
  if (!URL.canParse(url)) return mask;
  const { origin, pathname } = new URL(url);
  return pathname === '/' ? `${origin}/` : `${origin}/${mask}`;
}

/** A value without the user information of addresses in it. */
export function maskUserInfo(value: string): string {
  return value.replace(/(?<=:\/\/)[^/@\s]{1,256}@/gu, `${mask}@`);
}

/** Replaces each secret by `***` on each of its lines, so that every line keeps its number. */
export function maskSecrets(text: string, secrets: readonly FoundSecret[]): string {
  let masked = '';
  let end = 0;
  for (const secret of secrets) {
    const lines = text.slice(secret.start, secret.end).split('\n');
    masked +=
      text.slice(end, secret.start) + lines.map((line) => (line.endsWith('\r') ? `${mask}\r` : mask)).join('\n');
    end = secret.end;
  }
  return masked + text.slice(end);
}

/** Masks the secrets in `text`. Returns the same object if there are none. */
export function withoutSecrets<Holder extends { text?: string }>(
  holder: Holder,
): Holder & { maskedSecrets?: readonly FoundSecret[] } {
  const { text = '' } = holder;
  const maskedSecrets = findSecrets(text);
  return maskedSecrets.length === 0
    ? holder
    : Object.freeze({ ...holder, text: maskSecrets(text, maskedSecrets), maskedSecrets });
}

/** Secrets that a program was given, and that may appear in its output. */
export type KnownSecrets = {
  /** Masks them in a text. */
  scrub(text: string): string;
  /** The length of the longest, in bytes. */
  longest: number;
};

/** Each word of a value counts too: of `Bearer <token>`, a server may repeat only the token. */
export function createKnownSecrets(values: Iterable<string>): KnownSecrets {
  const words = [...values].flatMap((value) => [value, ...value.split(/\s+/u)]);
  const known = [...new Set(words)].filter(({ length }) => length >= shortestKnown).sort((a, b) => b.length - a.length);
  return {
    scrub: (text) => known.reduce((left, secret) => left.replaceAll(secret, mask), text),
    longest: Math.max(0, ...known.map((secret) => Buffer.byteLength(secret))),
  };
}

/** A hash that only this daemon can compute, so that nobody finds a value by trying: 64 hexadecimal digits. */
export type KeyedHash = (text: string) => string;

export function createKeyedHash(key: Uint8Array): KeyedHash {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

/** A secret in a form that can be compared and stored. `shown`: the part that may be shown. */
export function tagged(shown: string | undefined, value: string, keyed: KeyedHash): string {
  return `${shown ?? mask} #${keyed(value).slice(0, 32)}`;
}

const tag = / #[0-9a-f]{32}$/u;

/** Two values of a field for answers. For secrets, these only show that the values differ. */
export function showTagged(before: string | undefined, after: string | undefined) {
  const shown = (value: string | undefined) => value?.replace(tag, '');
  const isSame = before !== undefined && after !== undefined && shown(before) === shown(after);
  return { before: shown(before), after: isSame ? `${shown(after)} (another value)` : shown(after) };
}
