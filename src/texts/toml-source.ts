/**
 * TOML texts as located values (FM-11). The library says what a text holds, and this file where. What stands inside an
 * inline table or a list has the place of its key.
 */
import { parse, TomlError } from 'smol-toml';
import { fixedLimits } from '../settings.ts';
import { type ParsedSource, type SourceMap, type SourceNode, tooDeep } from './source-tree.ts';

const { tomlCharacters, levels } = fixedLimits.texts;

/** Parses a TOML document of any content. Of a broken text the first problem is reported. */
export function parseTomlSource(text: string): ParsedSource {
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

/** The places of all keys in a valid document. */
function placesIn(text: string): Place {
  const root: Place = { offset: 0 };
  let table = root;
  let at = 0;
  while (at < text.length) {
    const mark = text[at] as string;
    if (mark === '#') at = lineEnd(text, at);
    else if (mark === '[') {
      const { path, end } = keyAt(text, text[at + 1] === '[' ? at + 2 : at + 1);
      table = placeOf(root, path, at);
      at = lineEnd(text, end);
    } else if (isBlank(mark)) at += 1;
    else {
      const { path, end } = keyAt(text, at);
      placeOf(table, path, at);
      at = pastValue(text, end);
    }
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

/** A key, and where what follows it begins. */
function keyAt(text: string, start: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = start;
  for (;;) {
    while (text[at] === ' ' || text[at] === '\t') at += 1;
    const mark = text[at] ?? '';
    if (mark === '.') at += 1;
    else if (mark === '"' || mark === "'") {
      const end = pastText(text, at);
      const written = text.slice(at, end);
      path.push(written.includes('\\') ? String(parse(`key = ${written}`).key) : written.slice(1, -1));
      at = end;
    } else {
      const from = at;
      while (isBare(text.charCodeAt(at))) at += 1;
      if (at === from) return { path, end: at };
      path.push(text.slice(from, at));
    }
  }
}

function pastValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const mark = text[at] as string;
    if (mark === '\n' && depth === 0) return at;
    if (mark === '"' || mark === "'") at = pastText(text, at);
    else if (mark === '#') at = lineEnd(text, at);
    else {
      if (mark === '[' || mark === '{') depth += 1;
      else if (mark === ']' || mark === '}') depth -= 1;
      at += 1;
    }
  }
  return at;
}

function pastText(text: string, start: number): number {
  const quote = text[start] as string;
  const mark = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  let at = text.indexOf(mark, start + mark.length);
  while (quote === '"' && isEscaped(text, at)) at = text.indexOf(mark, at + 1);
  if (at < 0) return text.length;
  at += mark.length;
  // Up to two quotes before the closing ones belong to the text.
  while (mark.length === 3 && text[at] === quote) at += 1;
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from -= 1;
  return (at - from) % 2 === 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

const isBlank = (mark: string): boolean => mark === ' ' || mark === '\t' || mark === '\n' || mark === '\r';

/** Letters, digits, "-" and "_". */
function isBare(code: number): boolean {
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isLetter || (code >= 48 && code <= 57) || code === 45 || code === 95;
}
