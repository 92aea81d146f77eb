/** YAML texts as located values, within narrow limits: no aliases, no merge keys, no tags but the core schema's (S-58, S-59). */
import { Composer, type CST, type ErrorCode, isAlias, isMap, isScalar, isSeq, Lexer, type Node, Parser } from 'yaml';
import { maxSourceDepth, type ParsedSource, type SourceMap, type SourceNode, tooDeep } from './source-tree.ts';

type Problem = { message: string; offset: number };

/** The library needs about 5 µs for each token; this many keep a hostile text below what an event loop can bear. */
const maxTokens = 8_000;

/** Parses one YAML 1.2 document of any content. Of a broken text the first problem is reported. */
export function parseYamlSource(text: string): ParsedSource {
  try {
    const tokens = tokenize(text);
    return 'message' in tokens ? { problem: tokens } : compose(tokens, text.length);
  } catch {
    // The library promises to report rather than throw; content must not depend on that promise.
    return { problem: { message: notYaml, offset: 0 } };
  }
}

/** The library's recursion and its lists of errors are unbounded, so depth and the first error are watched while it reads. */
function tokenize(text: string): CST.Token[] | Problem {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const refused = (from: number): Problem | undefined => {
    const error = tokens.slice(from).find(({ type }) => type === 'error');
    if (error !== undefined) return { message: notYaml, offset: error.offset };
    const { stack } = parser;
    if (stack.length <= maxSourceDepth) return undefined;
    const depth = stack.filter((token) => 'items' in token).length;
    return depth > maxSourceDepth ? { message: tooDeep, offset: parser.offset } : undefined;
  };
  let read = 0;
  for (const lexeme of new Lexer().lex(text)) {
    read += 1;
    if (read > maxTokens)
      return { message: `it has more than ${maxTokens} keys, values and marks`, offset: parser.offset };
    const from = tokens.length;
    tokens.push(...parser.next(lexeme));
    const problem = refused(from);
    if (problem !== undefined) return problem;
  }
  const from = tokens.length;
  tokens.push(...parser.end());
  return refused(from) ?? tokens;
}

function compose(tokens: CST.Token[], length: number): ParsedSource {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // Compared in pairs by the library, which is quadratic; toSource finds duplicates.
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const [document, another] = composer.compose(tokens, true, length);
  if (another !== undefined) return { problem: { message: 'it holds several documents', offset: another.range[0] } };
  if (document === undefined) return {};
  const [first] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) return { problem: { message: messages[first.code] ?? notYaml, offset: first.pos[0] } };
  if (document.contents === null) return {};
  const problems: Problem[] = [];
  const root = toSource(document.contents, problems);
  const [problem] = problems;
  if (problem !== undefined) return { problem };
  return root.value === null ? {} : { root };
}

function toSource(node: Node, problems: Problem[]): SourceNode {
  const offset = node.range?.[0] ?? 0;
  if (isScalar(node)) {
    const value = node.value as string | number | boolean | null;
    return { offset, value, text: node.source ?? String(value) };
  }
  if (isSeq<Node>(node)) return { offset, value: node.items.map((item) => toSource(item, problems)) };
  if (!isMap<Node, Node | null>(node)) {
    problems.push({ message: isAlias(node) ? 'a value that starts with "*" needs quotes' : notYaml, offset });
    return { offset, value: null };
  }
  const value: SourceMap = new Map();
  for (const { key, value: child } of node.items) {
    const keyOffset = key.range?.[0] ?? offset;
    if (!isScalar(key)) {
      problems.push({ message: 'a key must be plain text', offset: keyOffset });
      continue;
    }
    const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
    if (value.has(name)) problems.push({ message: 'a key is written twice', offset: keyOffset });
    value.set(name, {
      offset: keyOffset,
      node: child === null ? { offset: keyOffset, value: null } : toSource(child, problems),
    });
  }
  return { offset, value };
}

const notYaml = 'it is not valid YAML';

/** The library's own messages can quote content, which may be secret. */
const messages: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'a value that starts with "*" or "&" needs quotes',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_SCALAR_START: 'a value that starts with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a text that contains ": " needs quotes',
  MISSING_CHAR: 'a closing quote, bracket or separator is missing',
  MULTILINE_IMPLICIT_KEY: 'a line is not of the form "key: value"',
  TAB_AS_INDENT: 'tabs cannot be used to indent',
  TAG_RESOLVE_FAILED: 'tags ("!name") are not supported',
};
