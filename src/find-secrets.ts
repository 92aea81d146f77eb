/** Finds private keys and tokens of well-known form in a text, and hides them. Each text is gone through once. */
import { alphabets, secretForms } from './secret-forms.ts';

/** `start` and `end` count UTF-16 code units from 0, `line` and `endLine` from 1. What it says is never part of it. */
export type FoundSecret = Readonly<{ kind: string; start: number; end: number; line: number; endLine: number }>;

type Span = { kind: string; start: number; end: number };

/** What stands for a secret. */
const mask = '***';
/** A key of 16,384 bits in base64, with its line ends, is about as long. */
const longestBlock = 16 * 1024;
/** Fewer characters between the lines of a key are an example. */
const shortestKey = 64;
/** So many characters may be gone through again. */
const longestIdle = 60;
/** So long are a user, a password and a host together; more is something else. */
const longestUserInfo = 512;
const endsAuthority = new Set('/?#\\ \t\r\n"\'`<>|^');
/** `$VARIABLE`, `${variable}`, `%s`, `<password>`, `[password]`, `***`, `…`. */
const standsForSomething = new Set('{}$<>[]()*…');
const examplePassword = new Set([
  ...['password', 'passwd', 'passphrase', 'secret', 'token', 'credentials', 'example', 'changeme', 'change-me'],
  ...['change_me', 'redacted', 'hidden', 'mypassword', 'my-password', 'my_password', 'mysecret', 'user_password'],
  ...['userpassword', 'dbpassword', 'db_password', 'api_key', 'apikey', 'api-key', 'access_token', 'placeholder'],
]);
const [backslash, percent] = [0x5c, 0x25];
const keyBeginning = '-----BEGIN ';
const puttyBeginning = 'PuTTY-User-Key-File-';

const names = Object.keys(alphabets) as (keyof typeof alphabets)[];
/** By the place of the alphabet in `names`: 1 for each character that it has. */
const sets = names.map((name) => setOf(alphabets[name]));
const [hexadecimal, alphanumeric, base64] = (['hexadecimal', 'alphanumeric', 'base64'] as const).map(
  (name) => sets[names.indexOf(name)],
) as [Uint8Array, Uint8Array, Uint8Array];
/** A form as it is looked for: `last` is the last character of its prefix. All have the same fields, which is quicker. */
const prepared = secretForms.map(({ kind, prefix, alphabet, least, most = Number.POSITIVE_INFINITY, parts = 0 }) => {
  const last = prefix.charCodeAt(prefix.length - 1);
  return { kind, prefix, last, set: names.indexOf(alphabet), isDotted: alphabet === 'dotted', least, most, parts };
});
type PreparedForm = (typeof prepared)[number];
/** By the first two characters of the prefix; the longest prefix of those that fit decides. */
const formsByPair = new Map(
  Map.groupBy(
    prepared.toSorted((a, b) => b.prefix.length - a.prefix.length),
    ({ prefix }) => pairAt(prefix, 0),
  ),
);
const begins = setOf(secretForms.map(({ prefix }) => prefix.charAt(0)).join(''));

/** In the order of the text, none within another. */
export function findSecrets(text: string): FoundSecret[] {
  const spans = [...findKeys(text), ...findTokens(text), ...findPasswords(text)].sort(
    (a, b) => a.start - b.start || b.end - a.end,
  );
  const found: FoundSecret[] = [];
  let line = 1;
  let lineEnd = text.indexOf('\n');
  const lineAt = (offset: number): number => {
    for (; lineEnd >= 0 && lineEnd < offset; lineEnd = text.indexOf('\n', lineEnd + 1)) line += 1;
    return line;
  };
  for (const span of spans) {
    if (span.start < (found.at(-1)?.end ?? 0)) continue;
    found.push({ ...span, line: lineAt(span.start), endLine: lineAt(span.end) });
  }
  return found;
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

function findTokens(text: string): Span[] {
  const spans: Span[] = [];
  const endOfRun = createRuns(text);
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const forms =
      begins[code] !== 1 || (isInside && !followsEscape(text, at)) ? undefined : formsByPair.get(pairAt(text, at));
    isInside = alphanumeric[code] === 1;
    if (forms === undefined) continue;
    const { token, end } = readToken(text, at, forms, endOfRun);
    if (token !== undefined) spans.push(token);
    if (end === at) continue;
    at = end - 1;
    isInside = true;
  }
  return spans;
}

/**
 * The token that begins at `start`, if any, and where to look on. What was gone through for nothing and is longer than
 * most tokens is not gone through again.
 */
function readToken(
  text: string,
  start: number,
  forms: readonly PreparedForm[],
  endOfRun: ReturnType<typeof createRuns>,
): { token?: Span; end: number } {
  let looked = start;
  for (const { kind, prefix, last, set, isDotted, least, most, parts } of forms) {
    const body = start + prefix.length;
    // The last character tells most forms apart that begin alike.
    if (text.charCodeAt(body - 1) !== last || !text.startsWith(prefix, start)) continue;
    let end = endOfRun(set, body);
    looked = Math.max(looked, end);
    // A sentence ends with a dot, which is no part of a token.
    while (isDotted && end > body && text[end - 1] === '.') end -= 1;
    const length = end - body;
    if (length < least || length > most || isPlaceholder(text, body, end)) continue;
    if (parts > 0 && !isWebToken(text.slice(start, end), parts)) continue;
    return { token: { kind, start, end }, end };
  }
  return { end: looked - start > longestIdle ? looked : start };
}

/** Where the characters of an alphabet end that begin at `from`. Each stretch is gone through once for each alphabet. */
function createRuns(text: string): (alphabet: number, from: number) => number {
  const starts = new Int32Array(sets.length);
  const ends = new Int32Array(sets.length).fill(-1);
  return (alphabet, from) => {
    const known = ends[alphabet] as number;
    if ((starts[alphabet] as number) <= from && from <= known) return known;
    const characters = sets[alphabet] as Uint8Array;
    let end = from;
    while (characters[text.charCodeAt(end)] === 1) end += 1;
    starts[alphabet] = from;
    ends[alphabet] = end;
    return end;
  };
}

/** Whether what ends here only looks like a letter of a word: `%3D` of an address, `\n` of a string. */
function followsEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at - 2) === backslash) return 'nrt'.includes(text.charAt(at - 1));
  return text.charCodeAt(at - 3) === percent && isHexadecimalPair(text, at - 2);
}

function isHexadecimalPair(text: string, at: number): boolean {
  return hexadecimal[text.charCodeAt(at)] === 1 && hexadecimal[text.charCodeAt(at + 1)] === 1;
}

/** `xxxx…`, `0000…`: one character again and again. */
function isPlaceholder(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at += 1) if (text[at] !== text[start]) return false;
  return true;
}

function isWebToken(text: string, parts: number): boolean {
  const [, claims = '', signature = '', ...others] = text.split('.', parts + 1);
  return others.length === 0 && claims.startsWith('eyJ') && signature.length >= 10;
}

/** Passwords in addresses: `scheme://user:password@host`. */
function findPasswords(text: string): Span[] {
  const spans: Span[] = [];
  for (let mark = text.indexOf('://'); mark >= 0; mark = text.indexOf('://', mark + 3)) {
    if (alphanumeric[text.charCodeAt(mark - 1)] !== 1) continue;
    const start = mark + 3;
    let end = start;
    while (end - start < longestUserInfo && !endsAuthority.has(text[end] ?? ' ')) end += 1;
    const authority = text.slice(start, end);
    const [at, colon] = [authority.lastIndexOf('@'), authority.indexOf(':')];
    if (colon < 0 || at < colon) continue;
    const [user, password] = [authority.slice(0, colon), authority.slice(colon + 1, at)];
    if (isPassword(password, user)) spans.push({ kind: 'password_in_url', start: start + colon + 1, end: start + at });
  }
  return spans;
}

/** Not that of an example, nor what a variable stands for. */
function isPassword(password: string, user: string): boolean {
  if (password.length < 5 || password === user || isPlaceholder(password, 0, password.length)) return false;
  if (examplePassword.has(password.toLowerCase()) || /^your[-_]?/iu.test(password)) return false;
  for (let at = 0; at < password.length; at += 1) {
    const character = password.charAt(at);
    if (standsForSomething.has(character)) return false;
    if (character === '%' && !isHexadecimalPair(password, at + 1)) return false;
  }
  return true;
}

/** Blocks of private keys as PEM, OpenPGP, OpenSSH and PuTTY write them, in files and, with `\n`, in strings. */
function findKeys(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(keyBeginning); start >= 0; ) {
    const next = text.indexOf(keyBeginning, start + keyBeginning.length);
    const end = keyEnd(text, start, next < 0 ? text.length : next);
    if (end !== undefined) spans.push({ kind: 'private_key', start, end });
    start = next;
  }
  for (let start = text.indexOf(puttyBeginning); start >= 0; ) {
    const next = text.indexOf(puttyBeginning, start + puttyBeginning.length);
    const limit = Math.min(next < 0 ? text.length : next, start + longestBlock);
    const hidden = text.slice(start, limit).indexOf('Private-Lines:');
    if (hidden >= 0)
      spans.push({ kind: 'private_key', start: start + hidden, end: endOfKeyText(text, start + hidden + 14, limit) });
    start = next;
  }
  return spans;
}

/** Where the block ends whose first line begins at `start`; undefined when it is no private key. */
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

/** As long as there is nothing that cannot stand in a key: spaces, line ends, marks of quotations and comments. */
function endOfKeyText(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit && (base64[text.charCodeAt(end)] === 1 || ' \t\r\n\\"\'#>*:,-'.includes(text[end] as string)))
    end += 1;
  return end;
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
}

function setOf(characters: string): Uint8Array {
  const set = new Uint8Array(128);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}
