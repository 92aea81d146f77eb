/** Context files: front matter and body (CC-25 … CC-27, S-56 … S-60). */

import { onceForEach } from '../pace/once-for-each.ts';
import { type QuotedKeys, quoteBareValues } from '../texts/bare-values.ts';
import {
  createPositions,
  createWarningList,
  exceedsBytes,
  positionAt,
  type Report,
  type SourceMap,
} from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import type { Warning } from '../warnings.ts';
import {
  defaultProperties,
  type FrontMatterProperties,
  quotedKeys,
  readProperties,
  startsWithProperty,
} from './front-matter-properties.ts';

/** The content of a context file. `bodyLine`: the line on which the body starts, counted from 1. */
export type ContextFileSource = FrontMatterProperties & {
  body: string;
  bodyLine: number;
  hasFrontMatter: boolean;
};

/** Reads a file from its text and absolute path. Warnings are about the text. */
export type ReadFile = (
  text: string,
  options: { path: string; frontMatterBytes: number },
) => { value: ContextFileSource; warnings: Warning[] };

/** A file of a context directory: its extension tells whether it may have front matter (CC-24). */
export const readContextFile: ReadFile = (text, options) => readWithGiven(text, options, nothingGiven);

/** Settings that a configuration gives to files without their own. */
type Given = Readonly<Partial<Pick<FrontMatterProperties, 'trigger' | 'globs' | 'description'>>>;

const nothingGiven: Given = Object.freeze({});

/** By the given settings. The same settings return the same function, because parsed files are cached by it. */
const readersOfGiven = onceForEach((given: Given): ReadFile => {
  return (text, options) => readWithGiven(text, options, given);
}, new WeakMap());

/** A file of `includeFiles`. If it has no trigger, the given settings apply. */
export function readGiven(given: Given = nothingGiven): ReadFile {
  return given === nothingGiven ? readContextFile : readersOfGiven(given);
}

/** By the given settings, and by how the file is read otherwise. */
const readersOfOwn = onceForEach(
  (given: Given) => onceForEach((otherwise: ReadFile) => readerOfOwn(given, otherwise), new WeakMap()),
  new WeakMap(),
);

/**
 * If front matter has one of our keys, it is read as ours. Any other file is read by `otherwise`. If the file has no
 * trigger of ours, the given settings apply.
 */
export function readOwnFrontMatterOr(otherwise: ReadFile, given: Given = nothingGiven): ReadFile {
  return readersOfOwn(given)(otherwise);
}

function readerOfOwn(given: Given, otherwise: ReadFile): ReadFile {
  return (text, options) => {
    if (writesOwnKey(text)) return parseWithGiven(text, options, given);
    const read = otherwise(text, options);
    return { ...read, value: { ...read.value, ...propertiesOf(given) } };
  };
}

/** Whether a file has front matter with a key of ours. */
export function writesOwnKey(text: string): boolean {
  const block = splitFrontMatter(text)?.block;
  return block?.split('\n').some((line) => startsWithProperty(line)) === true;
}

type ReadOptions = Parameters<ReadFile>[1];

function readWithGiven(text: string, options: ReadOptions, given: Given): ReturnType<ReadFile> {
  if (!options.path.toLowerCase().endsWith('.txt')) return parseWithGiven(text, options, given);
  return { value: { ...parsePlainText(text), ...propertiesOf(given) }, warnings: [] };
}

function propertiesOf({ trigger, globs, description }: Given): Given {
  return { ...(trigger && { trigger }), ...(globs && { globs }), ...(description && { description }) };
}

/** A file without front matter, as every `.txt` is (CC-24): all of it is body. */
export function parsePlainText(text: string): ContextFileSource {
  return { ...defaultProperties(), body: text, bodyLine: 1, hasFrontMatter: false };
}

/**
 * Parses a `.md` or `.mdc` file that was decoded from UTF-8, without its byte order mark (S-43). If front matter cannot
 * be read, or is longer than `frontMatterBytes`, there is one warning. Then the given settings apply, and defaults for
 * the rest. The body never includes the fences.
 */
function parseWithGiven(text: string, options: ReadOptions, given: Given): ReturnType<ReadFile> {
  const read = parseFrontMatter(text, options, given === nothingGiven ? ownKeys : ownKeysWith(given));
  if (read) {
    const { body, bodyLine } = read.value;
    const line = secondBlockLine(body, bodyLine);
    const message = 'These properties are plain text, because only the first block is front matter.';
    if (!line) return read;
    const second: Warning = { code: 'second_front_matter', message, path: options.path, line, column: 1 };
    return { ...read, warnings: [...read.warnings, second] };
  }
  const message = 'These properties are plain text, because the first line is not "---".';
  const unopened: Warning = { code: 'unopened_front_matter', message, path: options.path, line: 1, column: 1 };
  const value = { ...parsePlainText(text), ...propertiesOf(given) };
  return { value, warnings: lacksOpening(text) ? [unopened] : [] };
}

/**
 * The meaning of the keys, ours or those of another tool. `defaults` apply if front matter cannot be read. `quoted`:
 * which values may lack quotes. `mayBlanksFollowFences`: whether `---` followed by blanks is a fence too.
 */
export type KeyReader = Readonly<{
  quoted: QuotedKeys;
  mayBlanksFollowFences?: true;
  read(root: SourceMap, report: Report): FrontMatterProperties;
  defaults(): FrontMatterProperties;
}>;

const ownKeys: KeyReader = { quoted: quotedKeys, read: readProperties, defaults: defaultProperties };

function ownKeysWith(given: Given): KeyReader {
  return {
    quoted: quotedKeys,
    read(root, report) {
      const read = readProperties(root, report);
      const written = root.get('trigger')?.node.value;
      return typeof written === 'string' && written !== '' ? read : { ...read, ...propertiesOf(given) };
    },
    defaults: () => ({ ...defaultProperties(), ...propertiesOf(given) }),
  };
}

/** Reads front matter by these keys, and the body. Undefined if the text has no front matter. */
export function parseFrontMatter(
  text: string,
  options: { path: string; frontMatterBytes: number },
  keys: KeyReader,
): { value: ContextFileSource; warnings: Warning[] } | undefined {
  const parts = splitFrontMatter(text, keys.mayBlanksFollowFences ? isFenceWithBlanks : isFence);
  if (parts === undefined) return undefined;
  const block = parts.block.replaceAll('\r\n', '\n');
  const isTooLarge = exceedsBytes(block, options.frontMatterBytes);
  const { text: yaml, originalOffset } = quoteBareValues(isTooLarge ? '' : block, keys.quoted);
  const placeOf = createPositions(block);
  const { report, finish } = createWarningList(options.path, (offset) => {
    const { line, column } = placeOf(originalOffset(offset));
    return { line: line + 1, column };
  });
  const withProperties = (properties: FrontMatterProperties) => {
    const { body, bodyLine } = parts;
    return { value: { ...properties, body, bodyLine, hasFrontMatter: true }, warnings: finish() };
  };
  if (isTooLarge) {
    const message = `The front matter is longer than ${options.frontMatterBytes} bytes. Default properties are used.`;
    report({ code: 'front_matter_too_large', message, offset: 0 });
    return withProperties(keys.defaults());
  }
  const invalid = (message: string, offset: number) => {
    const ending = parts.body.trim() === '' ? ' No text follows it.' : '';
    report({ code: 'invalid_front_matter', message: `The front matter is not used: ${message}.${ending}`, offset });
    return withProperties(keys.defaults());
  };
  // Front matter with only blank lines and comments is valid, even if it has more lines than YAML may have.
  if (!/^[ \t]*[^\s#]/mu.test(yaml)) return withProperties(keys.defaults());
  const source = parseYamlSource(yaml);
  if ('problem' in source) return invalid(source.problem.message, source.problem.offset);
  const { root } = source;
  if (root === undefined) return withProperties(keys.defaults());
  if (!(root.value instanceof Map)) return invalid('it is not a list of "key: value" lines', root.offset);
  return withProperties(keys.read(root.value, report));
}

const isFence = (line: string): boolean => ['---', '---\n', '---\r\n'].includes(line);
const isFenceWithBlanks = (line: string): boolean => line.trimEnd() === '---';

/**
 * CC-25: line 1 is a fence, exactly `---`, and so is a later line. Returns the text between and after them byte for
 * byte.
 */
export function splitFrontMatter(
  text: string,
  accept = isFence,
): { block: string; body: string; bodyLine: number } | undefined {
  const endOfLine = (start: number): number => text.indexOf('\n', start) + 1 || text.length;
  const opening = text.startsWith('---') ? endOfLine(0) : 0;
  if (opening === 0 || !accept(text.slice(0, opening))) return undefined;
  let line = 2;
  for (let start = opening; start < text.length; line += 1) {
    const next = endOfLine(start);
    if (text.startsWith('---', start) && accept(text.slice(start, next)))
      return { block: text.slice(opening, start), body: text.slice(next), bodyLine: line + 1 };
    start = next;
  }
  return undefined;
}

/**
 * Some editors leave an empty block above the real one. Returns the line of the fence of a second block that has
 * properties.
 */
function secondBlockLine(body: string, bodyLine: number): number | undefined {
  const blank = /^(?:[ \t]*\r?\n)*/u.exec(body)?.[0] ?? '';
  const second = splitFrontMatter(body.slice(blank.length));
  if (second === undefined || !startsWithProperty(second.block)) return undefined;
  return bodyLine + positionAt(blank, blank.length).line - 1;
}

/** Whether a text begins with properties and a fence that ends them. */
function lacksOpening(text: string): boolean {
  if (!startsWithProperty(text)) return false;
  const lines = splitFrontMatter(`---\n${text}`)?.block.split('\n');
  return lines?.every((line) => /^(?:[\w.-]+[ \t]*:|[ \t#\r-]|$)/u.test(line)) === true;
}
