/**
 * The one place that hides secrets: what stands for them in answers, logs and exports, and how they are compared and stored
 * without being known (S-26).
 */

import { createHmac, hash } from 'node:crypto';
import { type FoundSecret, findSecrets } from './find-secrets.ts';
import { percentDecoded } from './percent-decoded.ts';

/** What stands for a secret. */
export const mask = '***';
/** So many bits must be unknown in a value before the beginning of its hash is shown. */
const minBits = 90;
/** Shorter values are words like "true", whose removal hides nothing and spoils the text. */
const shortestKnown = 6;

/** The names, with a mask for each value. */
export function maskEach(values: Readonly<Record<string, string>>): Record<string, string> {
  // `fromEntries` defines own properties, so that `__proto__` is only a name.
  return Object.fromEntries(Object.keys(values).map((name) => [name, mask]));
}

/** The beginning of the hash is for random values only: any other could be found by trying. */
export function maskValue(value: string): string {
  if (!/^[\w+/=.-]{24,4096}$/u.test(value) || !/\d/u.test(value) || bitsIn(value) < minBits) return mask;
  return `${mask} (sha256:${hash('sha256', value).slice(0, 8)})`;
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

/** User information and query values of an address are masked; what is no address at all is masked whole. */
export function maskUrl(url: string): string {
  if (!URL.canParse(url)) return mask;
  const parsed = new URL(url);
  if (parsed.username !== '') parsed.username = mask;
  if (parsed.password !== '') parsed.password = mask;
  // Set one by one, every name would cost as much as the whole address.
  const masked = [...new Set(parsed.searchParams.keys())].map((name): [string, string] => [name, mask]);
  parsed.search = new URLSearchParams(masked).toString();
  parsed.hash = '';
  return parsed.href;
}

/** Whether a part of an address is a mask, so that the address is not the one that was meant. */
export function isMaskedUrl(url: string): boolean {
  if (!URL.canParse(url)) return url === mask;
  const { username, password, searchParams } = new URL(url);
  return [username, password, ...searchParams.values()].map(percentDecoded).includes(mask);
}

/** The host of an address; many have a secret in their path. */
export function maskPath(url: string): string {
  if (!URL.canParse(url)) return mask;
  const { origin, pathname } = new URL(url);
  return pathname === '/' ? `${origin}/` : `${origin}/${mask}`;
}

/** A value without the user information of addresses in it. */
export function maskUserInfo(value: string): string {
  return value.replace(/(?<=:\/\/)[^/@\s]{1,256}@/gu, `${mask}@`);
}

/** The text with `***` in the place of each secret, on each of its lines: every line keeps its number. */
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

/** What has a text, without the secrets in it; the same object where there are none. */
export function withoutSecrets<Holder extends { text?: string }>(
  holder: Holder,
): Holder & { maskedSecrets?: readonly FoundSecret[] } {
  const { text = '' } = holder;
  const maskedSecrets = findSecrets(text);
  return maskedSecrets.length === 0
    ? holder
    : Object.freeze({ ...holder, text: maskSecrets(text, maskedSecrets), maskedSecrets });
}

/** Secrets that somebody was given. */
export type KnownSecrets = {
  /** A text without any of them. */
  scrub(text: string): string;
  /** The length of the longest, in bytes. */
  longest: number;
};

/** Of a value of several words, each counts: of `Bearer <token>` a server repeats only the token. */
export function createKnownSecrets(values: Iterable<string>): KnownSecrets {
  const words = [...values].flatMap((value) => [value, ...value.split(/\s+/u)]);
  const known = [...new Set(words)].filter(({ length }) => length >= shortestKnown).sort((a, b) => b.length - a.length);
  return {
    scrub: (text) => known.reduce((left, secret) => left.replaceAll(secret, mask), text),
    longest: Math.max(0, ...known.map((secret) => Buffer.byteLength(secret))),
  };
}

/** A hash that only this daemon can make, of what could otherwise be found by trying: 64 hexadecimal digits. */
export type KeyedHash = (text: string) => string;

export function createKeyedHash(key: Uint8Array): KeyedHash {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

/** A secret so that it can be compared and stored; `shown` is what may be told of it. */
export function tagged(shown: string | undefined, value: string, keyed: KeyedHash): string {
  return `${shown ?? mask} #${keyed(value).slice(0, 32)}`;
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
