/** JSON texts as located values (CC-07, S-61, S-62). Strict JSON: no comments, no trailing commas. */
import {
  createScanner,
  type JSONVisitor,
  type Node,
  type ParseOptions,
  parse,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { fixedLimits } from '../settings.ts';
import { isRecord } from './is-record.ts';
import { parseJson } from './parse-json.ts';
import { type SourceMap, type SourceNode, type SourceTree, tooDeep } from './source-tree.ts';

export type Problem = { message: string; offset: number };

/** Parses a JSON text of any content. Of a broken text the first problem is reported. */
export function parseJsonSource(text: string): SourceTree {
  const problem = findTooMuch(text, fixedLimits.texts.jsonTokens) ?? findJsonProblem(text);
  return problem === undefined ? sourceOf(parseTree(text)) : { problem };
}

/**
 * The value of a document that its own user sends, which may have any number of keys. It has no places: with them it
 * would need eight times the memory.
 */
export function parseJsonValue(text: string): { value: unknown } | { problem: Problem } {
  const deep = findTooMuch(text, Number.POSITIVE_INFINITY);
  if (deep !== undefined) return { problem: deep };
  const value = parseJson(text);
  return value === undefined ? { problem: problemIn(text) } : { value };
}

/** Like `parseJsonSource`, for files of other tools, which may have comments and trailing commas. */
export function parseForeignJson(text: string): SourceTree {
  const problem = findTooMuch(text, fixedLimits.texts.jsonTokens) ?? findProblem(text, lenient);
  return problem === undefined ? sourceOf(parseTree(text, [], lenient)) : { problem };
}

/** The fields of such a file as far as it can be read. None if it has too much, or is no object. */
export function fieldsOfForeignJson(text: string): Record<string, unknown> {
  const value: unknown = hasTooMuch(text) ? undefined : parse(text, [], lenient);
  return isRecord(value) ? value : {};
}

function sourceOf(tree: Node | undefined): SourceTree {
  return tree === undefined ? {} : { root: toSource(tree) };
}

/** The first problem of a text that is not JSON. The text has no more levels than a recursive parser can follow. */
export function findJsonProblem(text: string): Problem | undefined {
  // `JSON.parse` decides what is JSON. jsonc-parser recovers from errors, and only says where they are.
  return parseJson(text) === undefined ? problemIn(text) : undefined;
}

function problemIn(text: string): Problem {
  return findProblem(text, strict) ?? { message: notJson, offset: 0 };
}

const strict: ParseOptions = { disallowComments: true, allowTrailingComma: false };
const lenient: ParseOptions = { allowTrailingComma: true, allowEmptyContent: true };
const notJson = 'it is not valid JSON';

function findProblem(text: string, forms: ParseOptions): Problem | undefined {
  let problem: Problem | undefined;
  const onError: NonNullable<JSONVisitor['onError']> = (code, offset) => {
    problem = { message: `${notJson} (${inWords(printParseErrorCode(code))})`, offset };
    // Otherwise it would go on to collect an error for every character of a hostile text.
    throw problem;
  };
  try {
    visit(text, { onError }, forms);
  } catch {}
  return problem;
}

function toSource(node: Node): SourceNode {
  const children = node.children ?? [];
  if (node.type === 'array') return { offset: node.offset, value: children.map(toSource) };
  if (node.type !== 'object') return { offset: node.offset, value: node.value };
  const value: SourceMap = new Map();
  for (const { children: [key, child] = [] } of children) {
    if (key === undefined || child === undefined) continue;
    const duplicate = value.has(key.value) ? { duplicate: true as const } : {};
    value.set(key.value, { offset: key.offset, node: toSource(child), ...duplicate });
  }
  return { offset: node.offset, value };
}

/** Whether a text, which may have comments, is nested too deep or too long for a parser that continues after errors. */
export function hasTooMuch(text: string): boolean {
  return findTooMuch(text, fixedLimits.texts.jsonTokens) !== undefined;
}

/**
 * Finds where the text is nested too deep or too long. Uses the scanner that the recursion of jsonc-parser follows.
 * That parser skips a bracket of the wrong kind, so a level ends only at the right kind.
 */
function findTooMuch(text: string, maxTokens: number): Problem | undefined {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  let tokens = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const mark = scanner.getTokenLength() === 1 ? text[offset] : undefined;
    if (mark === '{' || mark === '[') open.push(mark);
    else if ((mark === '}' && open.at(-1) === '{') || (mark === ']' && open.at(-1) === '[')) open.pop();
    if (open.length > fixedLimits.texts.levels) return { message: tooDeep, offset };
    tokens += 1;
    if (tokens > maxTokens) return { message: `it has more than ${maxTokens} keys, values and marks`, offset };
  }
  return undefined;
}

const words: Readonly<Record<string, string>> = {
  CloseBraceExpected: 'a "}" is missing',
  CloseBracketExpected: 'a "]" is missing',
  ColonExpected: 'a ":" is missing',
  CommaExpected: 'a comma or a closing bracket is missing',
  EndOfFileExpected: 'it continues after its end',
  InvalidCharacter: 'a text contains a tab, a line break or another control character',
  InvalidCommentToken: 'there are no comments in JSON',
  InvalidEscapeCharacter: String.raw`a "\" in a text is written "\\"`,
  InvalidSymbol: 'a text needs double quotes',
  PropertyNameExpected: 'a key in double quotes is missing, or there is one comma too many',
  UnexpectedEndOfString: 'a closing quote is missing',
  ValueExpected: 'a value is missing, or there is one comma too many',
};

/** What to do about an error code of the library, or the code itself as words. */
function inWords(code: string): string {
  return words[code] ?? code.replace(/(?<=[a-z])(?=[A-Z])/gu, ' ').toLowerCase();
}
