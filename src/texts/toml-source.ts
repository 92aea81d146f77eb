/**
 * TOML texts as located values (FM-11). The library parses the values, and this file finds their places. Values inside
 * an inline table or a list have the place of its key.
 */
import { parse, TomlError } from 'smol-toml';
import { fixedLimits } from '../settings.ts';
import { type SourceMap, type SourceNode, type SourceTree, tooDeep } from './source-tree.ts';

const { tomlCharacters, levels } = fixedLimits.texts;

/** Parses a TOML document of any content. Of a broken text the first problem is reported. */
export function parseTomlSource(text: string): SourceTree {
  if (text.length > tomlCharacters)
    return { problem: { message: `it has more than ${tomlCharacters} characters`, offset: tomlCharacters } };
  let value: unknown;
  try {
    value = parse(text, { maxDepth: levels, integersAsBigInt: 'asNeeded' });
  } catch (error) {
    return { problem: problemOf(error, text) };
  }
  if (isTooDeep(value, levels)) return { problem: { message: tooDeep, offset: 0 } };
  return { root: toSource(value, placesIn(text)) };
}

/** The library quotes the text after the first line of its message. */
function problemOf(error: unknown, text: string): { message: string; offset: number } {
  if (!(error instanceof TomlError)) return { message: 'it is not valid TOML', offset: 0 };
  const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n', 1);
  let start = 0;
  for (let line = 1; line < error.line; line += 1) start = text.indexOf('\n', start) + 1;
  return { message: `it is not valid TOML (${reason})`, offset: start + error.column - 1 };
}

/** Dotted keys go as deep as the text is long. */
function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Date) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}

/** Where a key is first written, and the keys below it. */
type Place = { offset: number; inner?: Map<string, Place> };

function toSource(value: unknown, place: Place): SourceNode {
  const { offset } = place;
  if (typeof value === 'bigint') return { offset, value: Number(value) };
  if (Array.isArray(value)) return { offset, value: value.map((item) => toSource(item, { offset })) };
  if (typeof value !== 'object' || value === null) return { offset, value: value as string | number | boolean };
  const entries: SourceMap = new Map();
  // A date is no text, number or list.
  if (value instanceof Date) return { offset, value: entries };
  for (const [key, inner] of Object.entries(value)) {
    const below = place.inner?.get(key) ?? { offset };
    entries.set(key, { offset: below.offset, node: toSource(inner, below) });
  }
  return { offset, value: entries };
}

/** Where each key is first written. If a line inside a multi-line text looks like a key, a place is wrong. */
function placesIn(text: string): Place {
  const root: Place = { offset: 0 };
  let table = root;
  let end = 0;
  for (const line of text.split('\n')) {
    const written = line.trim();
    const offset = end + line.indexOf(written);
    end += line.length + 1;
    if (written.startsWith('['))
      table = placeOf(root, keysIn(written.slice(1).replace('[', '').split(']', 1)[0]), offset);
    else if (written.includes('=')) placeOf(table, keysIn(written.split('=', 1)[0]), offset);
  }
  return root;
}

function placeOf(table: Place, path: readonly string[], offset: number): Place {
  let place = table;
  for (const key of path) {
    place.inner ??= new Map();
    const below: Place = place.inner.get(key) ?? { offset };
    place.inner.set(key, below);
    place = below;
  }
  return place;
}

/** The parts of a dotted key, as they are written between quotes. */
const keyParts = /"([^"]{0,256})"|'([^']{0,256})'|([^\s."']{1,256})/gu;
const keysIn = (written = ''): string[] =>
  Array.from(written.matchAll(keyParts), ([, double, single, bare]) => double ?? single ?? bare ?? '');
