/**
 * Describes a problem of a YAML text at the place to fix, which is often before the place where the library notices it.
 */
import type { CST, ErrorCode } from 'yaml';

export type Problem = { message: string; offset: number };

export const notYaml = 'it is not valid YAML';

/** The library's own messages can quote content, which may be secret. */
const messages = {
  BAD_ALIAS: 'a value that starts with "*" or "&" needs quotes',
  BAD_INDENT: 'the indentation is wrong',
  BAD_SCALAR_START: 'a value that starts with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a text that contains ": " needs quotes',
  MISSING_CHAR: 'a line is not of the form "key: value"',
  MULTILINE_IMPLICIT_KEY: 'a line is not of the form "key: value"',
  TAB_AS_INDENT: 'tabs cannot be used to indent',
  TAG_RESOLVE_FAILED: 'tags ("!name") are not supported',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** The problem that the library noticed at `offset` of `text`, whose `tokens` were read so far. */
export function problemAt(
  { text, tokens }: { text: string; tokens: readonly CST.Token[] },
  offset: number,
  code?: ErrorCode,
): Problem {
  const before = [...tokensBelow(tokens)].filter((token) => token.offset <= offset).sort((a, b) => a.offset - b.offset);
  // An unclosed quote or bracket contains everything after it, and a quote also brackets.
  const opened = before.find(isOpenQuote) ?? before.find(isOpenBracket);
  if (opened !== undefined) {
    const what = opened.type === 'flow-collection' ? `the bracket "${text[opened.offset]}"` : 'the quote';
    return { message: `${what} is not closed, or its next line is not indented`, offset: opened.offset };
  }
  const isNested = code === 'BLOCK_AS_IMPLICIT_KEY';
  const start = skipBlanks(text, isNested ? lastKeyLine(before, offset) : offset);
  if (code === 'BAD_INDENT' || (isNested && (start !== offset || text[start] === '-')))
    return { message: messages.BAD_INDENT, offset: start };
  if (code === 'MISSING_CHAR' && before.some((token) => isBracketAround(token, offset)))
    return { message: 'a comma is missing', offset };
  return { message: (code && (messages as Partial<Record<ErrorCode, string>>)[code]) ?? notYaml, offset };
}

function isOpenBracket(token: CST.Token): boolean {
  return token.type === 'flow-collection' && !token.end.some(({ source }) => source === ']' || source === '}');
}

function isBracketAround(token: CST.Token, offset: number): boolean {
  return token.type === 'flow-collection' && token.end.some((end) => end.offset > offset);
}

function isOpenQuote(token: CST.Token): boolean {
  if (token.type !== 'double-quoted-scalar' && token.type !== 'single-quoted-scalar') return false;
  const { source } = token;
  const quote = source[0];
  if (quote === "'") return (source.length - source.replaceAll(quote, '').length) % 2 === 1;
  let at = 1;
  while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
  return at >= source.length;
}

/** The beginning of the last line of a value whose indented lines continue it, if that line looks like a key. */
function lastKeyLine(tokens: readonly CST.Token[], offset: number): number {
  const map = tokens.find((token) => token.type === 'block-map' && token.offset === offset);
  const key = map?.type === 'block-map' ? map.items[0]?.key : undefined;
  const lineFeed = key && 'source' in key ? key.source.lastIndexOf('\n') : -1;
  return key && lineFeed !== -1 ? key.offset + lineFeed + 1 : offset;
}

function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (text[at] === ' ') at += 1;
  return at;
}

/** All tokens, in no particular order. */
function* tokensBelow(tokens: readonly CST.Token[]): Generator<CST.Token> {
  const waiting = [...tokens];
  for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
    yield token;
    if (token.type === 'document' && token.value) waiting.push(token.value);
    if (!('items' in token)) continue;
    for (const { key, value } of token.items as CST.CollectionItem[]) {
      if (key) waiting.push(key);
      if (value) waiting.push(value);
    }
  }
}
