/** Extracts imports and definitions with tree-sitter. Each language has one grammar and one query (RT-02). */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import treeSitter, { type Node, type Parser, type Query, type Tree } from '@vscode/tree-sitter-wasm';
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
import { collectDefinitions } from './tree-sitter-definitions.ts';
import type { Grammar, UsedNames } from './tree-sitter-grammar.ts';
import { matchAll, mostNames, sortMatches } from './tree-sitter-matches.ts';
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
    const { imports, used, found, preceding } = sortMatches(matches);
    return {
      ...readImports(imports, used, grammar),
      definitions: collectDefinitions({ found, preceding, text, grammar }),
    };
  } finally {
    for (const tree of trees) tree.delete();
  }
}

/** The statements of import nodes, and what they export, within the limits. */
function readImports(nodes: Node[], used: UsedNames, grammar: Grammar): Pick<ParsedSource, 'imports' | 'exports'> {
  const imports: ImportStatement[] = [];
  const exports: ExportedName[] = [];
  const lists = new Set<readonly string[]>();
  let namesLeft = limits.names;
  for (const node of nodes.sort((a, b) => a.startIndex - b.startIndex)) {
    if (imports.length >= limits.ofEach || namesLeft <= 0) break;
    for (const statement of grammar.readImport(node, used)) {
      imports.push(statement);
      // Statements can share a list.
      if (!lists.has(statement.names)) namesLeft -= statement.names.length;
      lists.add(statement.names);
    }
    if (grammar.readExports) exports.push(...grammar.readExports(node));
  }
  return {
    imports: imports.slice(0, limits.ofEach).map(withFewNames),
    ...(exports.length > 0 && { exports: exports.slice(0, limits.ofEach) }),
  };
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

function withFewNames(statement: ImportStatement): ImportStatement {
  const { names } = statement;
  return names.length > mostNames ? { ...statement, names: names.slice(0, mostNames) } : statement;
}
