/**
 * The patterns of `decideSensitive`: globs of base names. A pattern with a `/` means a directory with all its content,
 * at any depth.
 */
import { sensitiveNames } from '../../src/access/sensitive-names.ts';

const all = (field: 'kinds' | 'extensions' | 'names' | 'forms' | 'places'): string[] =>
  sensitiveNames.flatMap((row) => row[field] ?? []);
/** A kind, an extension or a name may be in several rows. */
const once = (field: 'kinds' | 'extensions' | 'names'): string[] => [...new Set(all(field))];

export const sensitivePatterns: readonly string[] = [
  ...once('kinds').flatMap((kind) => [`.${kind}`, `.${kind}.*`, `*.${kind}`, `*.${kind}.*`]),
  ...once('extensions').map((extension) => `*.${extension}`),
  ...once('names'),
  ...all('forms'),
  ...all('places').map((place) => `**/${place}`),
  ...Array.from({ length: 7 }, (_, at) => `core.${'[0-9]'.repeat(at + 1)}`),
];
