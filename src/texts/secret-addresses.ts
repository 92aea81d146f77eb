/** Finds passwords in addresses, `scheme://user:password@host`, without placeholders. */
import { alphabets } from './secret-forms.ts';
import { isOneCharacter, type SecretSpan, setOf } from './secret-tokens.ts';

const alphanumeric = setOf(alphabets.alphanumeric);
/** Characters that end user, password, host and port. A backslash begins an escape in a string. */
const ends = setOf('/?#\\ "\'`<>|\t\r\n\v\f\0');
/** A longer one is other text. */
const longest = 1_024;
const shortestPassword = 5;

/** Words of placeholders: `my_password`, `your-token-here`, `changeme123`. By their first character. */
const fillers = Map.groupBy(
  `abc access admin and api auth bar basic baz change code cred credential credentials data database db default demo dev
  docker dummy example fake foo generated guest here hidden host hunter insert key let local login masked me minio mongo my
  mysql name none oauth one pass passphrase passw passwd password placeholder postgres postgresql private prod pw pwd pword qux
  qwerty rabbit rabbitmq random redacted redis removed replace root sample secret service some string strong super test
  testing text the this to todo token user username val value welcome with word x xyz you your`.split(/\s+/u),
  (word) => word.charAt(0),
);
/** A longer password was made by a program. */
const longestFiller = 40;
/** Names that are reserved for examples (RFC 2606). */
const exampleHosts = ['example.com', 'example.org', 'example.net', 'example', 'test', 'invalid', 'host', 'hostname'];

export function findPasswords(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    const start = afterSlashes(text, colon);
    if (start === undefined || alphanumeric[text.charCodeAt(colon - 1)] !== 1) continue;
    let end = start;
    while (end < text.length && ends[text.charCodeAt(end)] !== 1 && end - start <= longest) end += 1;
    const span = passwordIn(text, start, end);
    if (span !== undefined) spans.push(span);
    colon = Math.max(colon, end - 1);
  }
  return spans;
}

/** The offset after `//`, or after `\/\/`, which some programs write in JSON. */
function afterSlashes(text: string, colon: number): number | undefined {
  if (text.startsWith('//', colon + 1)) return colon + 3;
  return text.startsWith('\\/\\/', colon + 1) ? colon + 5 : undefined;
}

/** `start` to `end` are user, password and host. */
function passwordIn(text: string, start: number, end: number): SecretSpan | undefined {
  const authority = text.slice(start, end);
  const [colon, at] = [authority.indexOf(':'), authority.lastIndexOf('@')];
  if (colon < 0 || at <= colon) return undefined;
  const [user, password, host] = [authority.slice(0, colon), authority.slice(colon + 1, at), authority.slice(at + 1)];
  if (host === '' || password === user || isPlaceholder(password) || isExampleHost(host)) return undefined;
  return { kind: 'url_password', start: start + colon + 1, end: start + at };
}

/** Whether it is a variable, a sign of a template, a word such as `password`, or one repeated character. */
function isPlaceholder(password: string): boolean {
  const last = password.at(-1) as string;
  const [first] = password;
  if (password.length < shortestPassword || isOneCharacter(password, 0, password.length)) return true;
  if (password.includes('{') || password.includes('$(') || password.includes('%(')) return true;
  if ((first === '%' && last === '%') || (first === '[' && last === ']') || (first === '(' && last === ')'))
    return true;
  return first === '$' || first === '*' || consistsOfFillers(password.toLowerCase());
}

function consistsOfFillers(password: string): boolean {
  if (password.length > longestFiller) return false;
  if ('1234567890123456'.startsWith(password)) return true;
  let isAnyFiller = false;
  let start = 0;
  for (let at = 0; at <= password.length; at += 1) {
    if (alphanumeric[password.charCodeAt(at)] === 1) continue;
    if (password.charCodeAt(at) > 127) return false;
    const word = withoutDigits(password.slice(start, at));
    start = at + 1;
    if (word === '') continue;
    if (!isOfFillers(word)) return false;
    isAnyFiller = true;
  }
  return isAnyFiller;
}

/** Whether a word consists of fillers only. */
function isOfFillers(word: string): boolean {
  const isReached = new Uint8Array(word.length + 1);
  isReached[0] = 1;
  for (let at = 0; at < word.length; at += 1) {
    if (isReached[at] !== 1) continue;
    for (const filler of fillers.get(word.charAt(at)) ?? [])
      if (word.startsWith(filler, at)) isReached[at + filler.length] = 1;
  }
  return isReached[word.length] === 1;
}

function withoutDigits(word: string): string {
  let { length } = word;
  while (length > 0 && word.charCodeAt(length - 1) < 58) length -= 1;
  return word.slice(0, length);
}

function isExampleHost(host: string): boolean {
  const [name = ''] = host.toLowerCase().split(':', 1);
  return exampleHosts.some((each) => name === each || name.endsWith(`.${each}`));
}
