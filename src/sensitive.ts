/**
 * The files that never appear, are never read and never embedded (CC-18, S-50, S-51): the list of spec 1, "Explicit context
 * exclusion", and what it evidently means: it says `.key`, and means `server.key` too.
 */
import { foldCase, isAscii } from './fold-case.ts';

/** Keys, certificates, key stores and environment files, as the only or any later dotted part of a name. */
const kinds = new Set([
  ...['env', 'key', 'pem', 'crt', 'p12', 'pfx', 'jks', 'keystore', 'ppk', 'kdbx', 'asc', 'gpg', 'ovpn'],
  ...['cer', 'der', 'p8', 'pk8', 'pkcs12'],
]);
/** Where well-known tools keep tokens and passwords. */
const names = new Set([
  ...['.envrc', '.git-credentials', '.htpasswd', '.netrc', '.npmrc', '.pgpass', '.pypirc', '.vault-token', '_netrc'],
]);
const beginnings = ['id_', 'credentials', '.credentials', 'secring'];
/** How private keys of `ssh-keygen` are mostly named. */
const endings = ['_rsa', '_dsa', '_ecdsa', '_ed25519'];
const directories = ['.ssh', '.gnupg', '.aws'];

/** What `decideSensitive` compares: globs of base names; those with a `/` mean a directory with all its content, at any depth. */
export const sensitivePatterns: readonly string[] = [
  ...[...kinds].flatMap((kind) => [`.${kind}`, `.${kind}.*`, `*.${kind}`, `*.${kind}.*`]),
  ...names,
  ...beginnings.map((beginning) => `${beginning}*`),
  ...['*_key', '*_key.*'],
  ...endings.map((ending) => `*${ending}`),
  ...directories.map((directory) => `**/${directory}`),
];

/**
 * The pattern that makes a file sensitive, undefined for others. `path` is absolute or relative; only the base name
 * counts and the directories `.ssh`, `.gnupg`, `.aws` anywhere in it. Names that some file system takes for the same are
 * the same: other letter case, other Unicode forms, and a trailing dot, space, `~` or `:stream`.
 */
export function decideSensitive(path: string): { pattern: string } | undefined {
  const folded = foldName(path).replaceAll('\\', '/');
  for (const directory of directories) {
    if (!folded.includes(directory)) continue;
    if (folded.split('/').some((segment) => trim(segment) === directory)) return { pattern: `**/${directory}` };
  }
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  const colon = name.indexOf(':');
  const pattern = patternOf(trim(name)) ?? (colon < 0 ? undefined : patternOf(trim(name.slice(0, colon))));
  return pattern === undefined ? undefined : { pattern };
}

function patternOf(name: string): string | undefined {
  if (names.has(name)) return name;
  const parts = name.split('.');
  for (let at = 1; at < parts.length; at += 1) {
    const part = parts[at] as string;
    if (!kinds.has(part)) continue;
    const before = at === 1 && parts[0] === '' ? '' : '*';
    return `${before}.${part}${at === parts.length - 1 ? '' : '.*'}`;
  }
  const beginning = beginnings.find((each) => name.startsWith(each));
  if (beginning !== undefined) return `${beginning}*`;
  if (name.endsWith('_key')) return '*_key';
  if (name.includes('_key.')) return '*_key.*';
  const ending = endings.find((each) => name.endsWith(each));
  return ending === undefined ? undefined : `*${ending}`;
}

/** Compatibility forms and invisible characters do not make another name: some file systems ignore them. */
export function foldName(path: string): string {
  return isAscii(path)
    ? path.toLowerCase()
    : foldCase(path.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

export function trim(name: string): string {
  let length = name.length;
  while (length > 0 && ' .~'.includes(name[length - 1] as string)) length -= 1;
  return name.slice(0, length);
}
