/** Extracts imports and definitions with tree-sitter. Each language has one grammar and one query (RT-02). */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import treeSitter, {
  type Node,
  type Parser,
  type Query,
  type QueryMatch,
  type Range,
  type Tree,
} from '@vscode/tree-sitter-wasm';
import type {
  ExportedName,
  ImportStatement,
  ParsedSource,
  SourceExtractor,
  SourceLanguage,
} from '../../ports/parsed-source.ts';
import { fixedLimits } from '../../settings.ts';
import { withoutMark } from '../../texts/decode-text.ts';
import type { GrammarFile } from './grammar-files.ts';
import { collectDefinitions, type Found } from './tree-sitter-definitions.ts';
import type { Grammar, UsedNames } from './tree-sitter-grammar.ts';
import { Memory } from './web-assembly.ts';

const limits = fixedLimits.sources;

const grammars: Readonly<Partial<Record<SourceLanguage, () => Promise<Grammar>>>> = {
  python: async () => (await import('./tree-sitter-python.ts')).python,
  go: async () => (await import('./tree-sitter-go.ts')).go,
  rust: async () => (await import('./tree-sitter-rust.ts')).rust,
  java: async () => (await import('./tree-sitter-java.ts')).java,
  c: async () => (await import('./tree-sitter-cpp.ts')).cpp,
  cpp: async () => (await import('./tree-sitter-cpp.ts')).cpp,
  csharp: async () => (await import('./tree-sitter-csharp.ts')).csharp,
  ruby: async () => (await import('./tree-sitter-ruby.ts')).ruby,
  php: async () => (await import('./tree-sitter-php.ts')).php,
  kotlin: async () => (await import('./tree-sitter-kotlin.ts')).kotlin,
  dart: async () => (await import('./tree-sitter-dart.ts')).dart,
  lua: async () => (await import('./tree-sitter-lua.ts')).lua,
  elixir: async () => (await import('./tree-sitter-elixir.ts')).elixir,
  swift: async () => (await import('./tree-sitter-swift.ts')).swift,
  shell: async () => (await import('./tree-sitter-shell.ts')).shell,
  scala: async () => (await import('./tree-sitter-scala.ts')).scala,
};

/** If a text takes too long, only its beginning is parsed. An editor shows it first, and it has the imports. */
const beginning = { length: 32_768, ms: 300 };
/** Max parts of a text that are parsed separately. */
const maxInside = 200;
/** Max used names: without a qualifier for the whole file, with a qualifier for each qualifier. */
const maxUsedNames = { unqualified: 20_000, qualified: 2_000 };
const longestQualifier = 200;
const nothing: ParsedSource = { imports: [], definitions: [] };

/** Of 64 KiB. The parsers of all languages share them. A text that is made for it would take 2 GiB. */
const wasmPages = { initial: 512, maximum: 12_288 };

type Tools = { grammar: Grammar; parser: Parser; query: Query };

let runtime: Promise<void> | undefined;
/** By grammar, because C and C++ share one. */
const toolsOf = new Map<string, Promise<Tools>>();

/** The extractor of a language other than TypeScript and JavaScript. Rejects if its grammar cannot be loaded. */
export async function createTreeSitterExtractor(language: SourceLanguage): Promise<SourceExtractor> {
  const grammar = await grammars[language]?.();
  if (grammar === undefined) throw new Error(`There is no parser for ${language}.`);
  const loading = toolsOf.get(grammar.wasm) ?? loadTools(grammar);
  toolsOf.set(grammar.wasm, loading);
  const tools = await loading;
  return (source) => {
    const text = withoutMark(source).slice(0, limits.characters);
    const whole = extract(text, limits.cpuMs, tools);
    if (whole !== undefined) return whole;
    const head = text.slice(0, text.lastIndexOf('\n', beginning.length) + 1);
    const partial = extract(head, beginning.ms, tools);
    return partial === undefined
      ? { ...nothing, readLines: 0 }
      : { ...partial, readLines: head.split('\n').length - 1 };
  };
}

const isBuilt = import.meta.url.endsWith('.js');

/** `file`: of a package. In a built program, it is beside the code. */
function pathOfWasm(file: string): string {
  if (isBuilt) return join(import.meta.dirname, basename(file));
  return createRequire(import.meta.url).resolve(file);
}

/** A built program has its grammars compressed, to a tenth of their size. */
async function readGrammar(file: GrammarFile): Promise<Uint8Array> {
  if (!isBuilt) return readFile(pathOfWasm(file));
  return promisify(gunzip)(await readFile(`${pathOfWasm(file)}.gz`));
}

function startRuntime(): Promise<void> {
  const locateFile = () => pathOfWasm('@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm');
  const options = { locateFile, wasmMemory: new Memory(wasmPages) };
  return treeSitter.Parser.init(options);
}

async function loadTools(grammar: Grammar): Promise<Tools> {
  runtime ??= startRuntime();
  await runtime;
  const language = await treeSitter.Language.load(await readGrammar(grammar.wasm));
  const parser = new treeSitter.Parser();
  parser.setLanguage(language);
  return { grammar, parser, query: new treeSitter.Query(language, grammar.query) };
}

/** Undefined if it takes too long. */
function extract(text: string, limitMs: number, { grammar, parser, query }: Tools): ParsedSource | undefined {
  const isLate = createTimer(limitMs);
  const trees: Tree[] = [];
  try {
    const matches = matchAll(grammar.prepare?.(text) ?? text, { parser, query, trees, isLate });
    if (matches === undefined) return undefined;
    const importNodes: Node[] = [];
    const used = new Map<string, Set<string>>();
    const preceding: Node[] = [];
    const found: Found[] = [];
    const unused = new Set(
      matches.flatMap(({ captures: [first] }) => (first?.name === 'unused' ? [first.node.startIndex] : [])),
    );
    for (const { captures, setProperties } of matches) {
      const [first] = captures;
      if (first === undefined) continue;
      const node = first.node;
      const capture = (name: string): Node | undefined => captures.find((each) => each.name === name)?.node;
      if (first.name === 'import') importNodes.push(node);
      else if (first.name === 'preceding') preceding.push(node);
      else if (first.name === 'definition') {
        const name = capture('name');
        const { kind = null, begins } = setProperties ?? {};
        if (name)
          found.push({ node, name, kind: kind ?? undefined, body: capture('body'), isWholeLine: begins === 'line' });
      } else if (setProperties?.of || first.name !== 'used' || !unused.has(node.startIndex))
        addUsed(used, { name: capture('used'), qualifier: capture('qualifier'), of: setProperties?.of ?? '' });
    }
    const usedNames = listNames(used);
    const imports: ImportStatement[] = [];
    const exports: ExportedName[] = [];
    const lists = new Set<readonly string[]>();
    let namesLeft = limits.names;
    for (const node of importNodes.sort((a, b) => a.startIndex - b.startIndex)) {
      if (imports.length >= limits.ofEach || namesLeft <= 0) break;
      for (const statement of grammar.readImport(node, usedNames)) {
        imports.push(statement);
        if (!lists.has(statement.names)) namesLeft -= statement.names.length;
        lists.add(statement.names);
      }
      if (grammar.readExports) exports.push(...grammar.readExports(node));
    }
    const definitions = collectDefinitions({ found, preceding, text, grammar });
    return {
      imports: imports.slice(0, limits.ofEach).map(withFewNames),
      definitions,
      ...(exports.length > 0 && { exports: exports.slice(0, limits.ofEach) }),
    };
  } finally {
    for (const tree of trees) tree.delete();
  }
}

/** Reading the processor time is slow, so it is read only after this much time has passed. */
function createTimer(limitMs: number): () => boolean {
  const start = performance.now();
  const before = process.threadCpuUsage();
  return () => {
    if (performance.now() - start <= limitMs) return false;
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000 > limitMs;
  };
}

type Matching = { parser: Parser; query: Query; trees: Tree[]; isLate(): boolean };

/**
 * Finds matches in a text, and in the parts that `@inside` captures, which are parsed separately. The caller deletes
 * `trees`.
 */
function matchAll(text: string, { parser, query, trees, isLate }: Matching): QueryMatch[] | undefined {
  const progressCallback = isLate;
  const matches: QueryMatch[] = [];
  const ranges: (Range | undefined)[] = [undefined];
  for (const range of ranges) {
    const tree = parser.parse(text, null, { progressCallback, ...(range && { includedRanges: [range] }) });
    if (tree === null) {
      parser.reset();
      return undefined;
    }
    trees.push(tree);
    const found = query.matches(tree.rootNode, { progressCallback });
    if (isLate()) return undefined;
    for (const match of found) {
      const [first] = match.captures;
      // The root of a part is not the file.
      if (range !== undefined && first?.node.parent === null) continue;
      if (first?.name !== 'inside') matches.push(match);
      else if (ranges.length < maxInside) ranges.push(withoutBrackets(first.node));
    }
  }
  return matches;
}

function withoutBrackets({ startIndex, endIndex, startPosition, endPosition }: Node): Range {
  return {
    startIndex: startIndex + 1,
    startPosition: { ...startPosition, column: startPosition.column + 1 },
    endIndex: Math.max(startIndex + 1, endIndex - 1),
    endPosition: { ...endPosition, column: Math.max(0, endPosition.column - 1) },
  };
}

function withFewNames(statement: ImportStatement): ImportStatement {
  const { names } = statement;
  const { unqualified: max } = maxUsedNames;
  return names.length > max ? { ...statement, names: names.slice(0, max) } : statement;
}

type Used = { name: Node | undefined; qualifier: Node | undefined; of: string };

function addUsed(used: Map<string, Set<string>>, { name, qualifier, of }: Used): void {
  if (name === undefined || (qualifier && qualifier.endIndex - qualifier.startIndex > longestQualifier)) return;
  // A name that the parser only assumed is empty.
  if (name.isMissing) return;
  const key = qualifier?.text ?? of;
  const names = used.get(key) ?? new Set();
  if (names.size < (qualifier ? maxUsedNames.qualified : maxUsedNames.unqualified)) names.add(name.text);
  used.set(key, names);
}

/** Returns the same list for the same qualifier, so that many imports can share it. */
function listNames(used: ReadonlyMap<string, ReadonlySet<string>>): UsedNames {
  const lists = new Map([...used].map(([qualifier, names]) => [qualifier, [...names]]));
  return (qualifier) => lists.get(qualifier) ?? none;
}

const none: readonly string[] = [];
