/**
 * YAML texts as located values, within narrow limits: no aliases, no merge keys, no tags but the core schema's (S-58,
 * S-59).
 */
import { Composer, type CST, type ErrorCode, isAlias, isMap, isScalar, isSeq, Lexer, type Node, Parser } from 'yaml';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { fixedLimits } from '../settings.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { type SourceMap, type SourceNode, type SourceTree, tooDeep } from './source-tree.ts';
import { notYaml, type Problem, problemAt } from './yaml-problem.ts';

const limits = fixedLimits.texts;

/** Parses one YAML 1.2 document of any content. Of a broken text the first problem is reported. */
export function parseYamlSource(text: string): SourceTree {
  const { root, problem } = readYaml(text);
  return problem === undefined ? { root } : { problem };
}

/**
 * Like `parseYamlSource`, for files that other tools read too: an alias is null, the last of two equal keys counts, and
 * keys that are not plain text are left out. Undefined if the text is not YAML, or empty.
 */
export function parseForeignYaml(text: string): SourceNode | undefined {
  return readYaml(text).root;
}

/** If there is a `root` too, `problem` is about something that is valid YAML. */
type Read = { root?: SourceNode; problem?: Problem };

/** Several readers parse the same text one after the other: for its values, their places, and its problems. */
const recent = createBoundedCache<Read>({ maxWeight: 1024 * 1024, maxEntries: 8 });

function readYaml(text: string): Read {
  const known = recent.get(text) ?? readAnew(text);
  recent.set(text, known, text.length);
  return known;
}

function readAnew(text: string): Read {
  const plain = readPlainYaml(text);
  if (plain !== undefined) return { root: plain };
  let tokens: CST.Token[] | Problem = [];
  try {
    tokens = tokenize(text);
    return 'message' in tokens ? { problem: tokens } : compose(tokens, text.length);
  } catch (error) {
    if (error instanceof FirstError && Array.isArray(tokens))
      return { problem: problemAt({ text, tokens }, error.offset, error.code) };
    // The library promises to report rather than throw; content must not depend on that promise.
    return { problem: { message: notYaml, offset: 0 } };
  }
}

/** Checks depth and errors while the library reads, because its recursion and its lists of errors are unbounded. */
function tokenize(text: string): CST.Token[] | Problem {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const refused = (from: number): Problem | undefined => {
    const error = tokens.slice(from).find(({ type }) => type === 'error');
    if (error !== undefined) return problemAt({ text, tokens }, error.offset);
    const { stack } = parser;
    if (stack.length <= limits.levels) return undefined;
    const depth = stack.filter((token) => 'items' in token).length;
    return depth > limits.levels ? { message: tooDeep, offset: parser.offset } : undefined;
  };
  let read = 0;
  if (hasMoreLines(text, limits.yamlLines)) return { message: `it has more than ${limits.yamlLines} lines`, offset: 0 };
  for (const lexeme of new Lexer().lex(text)) {
    read += 1;
    if (read > limits.yamlTokens)
      return {
        message: `it has more than ${limits.yamlTokens} keys, values and marks`,
        offset: parser.offset,
      };
    const from = tokens.length;
    tokens.push(...parser.next(lexeme));
    const problem = refused(from);
    if (problem !== undefined) return problem;
  }
  const from = tokens.length;
  tokens.push(...parser.end());
  return refused(from) ?? tokens;
}

function hasMoreLines(text: string, max: number): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= max; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > max;
}

function compose(tokens: CST.Token[], length: number): Read {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // Compared in pairs by the library, which is quadratic; toSource finds duplicates.
    uniqueKeys: false,
    logLevel: 'silent',
  });
  stopAtError(composer);
  const [document, another] = composer.compose(tokens, true, length);
  if (another !== undefined) {
    const end = tokens.find(({ type }) => type === 'doc-end')?.offset ?? another.range[0];
    return { problem: { message: 'it contains several documents', offset: Math.min(end, another.range[0]) } };
  }
  if (document === undefined) return {};
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) throw new FirstError(first.code, first.pos[0]);
  if (document.contents === null) return {};
  const problems: Problem[] = [];
  const root = toSource(document.contents, problems);
  const [problem] = problems;
  return { root: root.value === null ? undefined : root, problem };
}

/** Not an `Error`, because creating one takes long. */
class FirstError {
  readonly code: ErrorCode;
  readonly offset: number;
  constructor(code: ErrorCode, offset: number) {
    this.code = code;
    this.offset = offset;
  }
}

/** Otherwise the library continues, and creates an error for each `\x` in a text. 100,000 of them take a second. */
function stopAtError(composer: Composer): void {
  let first: FirstError | undefined;
  const onError: ComposeErrorHandler = (source, code) => {
    const offset = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;
    // The library takes what is thrown for an error of its own, and reports that too.
    first ??= new FirstError(code, offset);
    throw first;
  };
  Object.assign(composer, { onError });
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

type ComposeErrorHandler = (source: number | [number, number, number?] | { offset: number }, code: ErrorCode) => void;
