/** Finds private keys, tokens with a known form, and passwords in addresses. */
import { findPasswords } from './secret-addresses.ts';
import { alphabets } from './secret-forms.ts';
import { findTokens, type SecretSpan, setOf } from './secret-tokens.ts';
import { createPositions } from './source-tree.ts';

/** `start` and `end` count UTF-16 code units from 0, lines count from 1. The secret itself is never part of it. */
export type FoundSecret = Readonly<{ kind: string; start: number; end: number; line: number; endLine: number }>;

/** A key of 16,384 bits in base64, with its line ends, is about as long. */
const longestBlock = 16 * 1024;
/** A shorter key is an example. */
const shortestKey = 64;
const keyBeginning = '-----BEGIN ';
const puttyBeginning = 'PuTTY-User-Key-File-';

const base64 = setOf(alphabets.base64);
/** Characters of a key, with spaces, line ends, quotes, and signs of comments. */
const keyText = setOf(`${alphabets.base64} \t\r\n\\"'#>*:,-`);

/** In the order of the text, none within another. */
export function findSecrets(text: string): FoundSecret[] {
  const spans = [...findKeys(text), ...findTokens(text), ...findPasswords(text)];
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const found: FoundSecret[] = [];
  const placeOf = createPositions(text);
  for (const { kind, end, ...span } of spans) {
    // A secret that begins inside another one may continue after it.
    const start = Math.max(span.start, found.at(-1)?.end ?? 0);
    if (start < end) found.push({ kind, start, end, line: placeOf(start).line, endLine: placeOf(end).line });
  }
  return found;
}

/** Finds private keys of PEM, OpenPGP, OpenSSH and PuTTY, in files and, with `\n`, in strings. */
function findKeys(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let start = text.indexOf(keyBeginning); start >= 0; ) {
    const next = text.indexOf(keyBeginning, start + keyBeginning.length);
    const end = keyEnd(text, start, next < 0 ? text.length : next);
    if (end !== undefined) spans.push({ kind: 'private_key', start, end });
    start = next;
  }
  for (let start = text.indexOf(puttyBeginning); start >= 0; ) {
    const next = text.indexOf(puttyBeginning, start + puttyBeginning.length);
    const limit = Math.min(next < 0 ? text.length : next, start + longestBlock);
    const isNumbered = base64[text.charCodeAt(start + puttyBeginning.length)] === 1;
    const hidden = isNumbered ? text.slice(start, limit).indexOf('Private-Lines:') : -1;
    if (hidden >= 0)
      spans.push({ kind: 'private_key', start: start + hidden, end: endOfKeyText(text, start + hidden + 14, limit) });
    start = next;
  }
  return spans;
}

/** The end of the block whose first line begins at `start`. Undefined if it is not a private key. */
function keyEnd(text: string, start: number, limit: number): number | undefined {
  const head = text.slice(start, Math.min(limit, start + 120));
  const name = head.indexOf('PRIVATE KEY');
  const headEnd = name < 0 ? -1 : head.indexOf('-----', name);
  if (headEnd < 0 || head.slice(0, name).includes('\n')) return undefined;
  const body = start + headEnd + 5;
  const closing = text.slice(body, Math.min(limit, body + longestBlock)).indexOf('-----END ');
  if (closing < 0) {
    const end = endOfKeyText(text, body, Math.min(limit, body + longestBlock));
    return countKeyText(text, body, end) < shortestKey ? undefined : end;
  }
  if (countKeyText(text, body, body + closing) < shortestKey) return undefined;
  const tail = text.slice(body + closing + 9, body + closing + 129);
  const dashes = tail.indexOf('-----');
  return body + closing + 9 + (dashes < 0 || tail.slice(0, dashes).includes('\n') ? 0 : dashes + 5);
}

function countKeyText(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) count += base64[text.charCodeAt(at)] ?? 0;
  return count;
}

/** The end of the characters that can be part of a key. */
function endOfKeyText(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit && keyText[text.charCodeAt(end)] === 1) end += 1;
  return end;
}
