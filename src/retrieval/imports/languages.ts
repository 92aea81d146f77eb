/** The language of a file, and its import rules, which are loaded when a language first occurs. */
import { baseName, withOneSlash } from '../../access/paths.ts';
import type { SourceLanguage } from '../../ports/parsed-source.ts';
import type { ImportResolver, ResolvedImport } from './import.ts';

const extensions = new Map<string, SourceLanguage>(
  Object.entries({
    ts: 'typescript',
    mts: 'typescript',
    cts: 'typescript',
    tsx: 'tsx',
    js: 'javascript',
    mjs: 'javascript',
    cjs: 'javascript',
    jsx: 'javascript',
    vue: 'vue',
    svelte: 'svelte',
    astro: 'astro',
    py: 'python',
    pyi: 'python',
    ipynb: 'python',
    go: 'go',
    rs: 'rust',
    java: 'java',
    c: 'c',
    h: 'c',
    cc: 'cpp',
    cpp: 'cpp',
    cxx: 'cpp',
    hh: 'cpp',
    hpp: 'cpp',
    hxx: 'cpp',
    cs: 'csharp',
    csx: 'csharp',
    rb: 'ruby',
    rake: 'ruby',
    php: 'php',
    phtml: 'php',
    kt: 'kotlin',
    dart: 'dart',
    swift: 'swift',
    sh: 'shell',
    bash: 'shell',
    bats: 'shell',
    scala: 'scala',
    sc: 'scala',
    ex: 'elixir',
    exs: 'elixir',
    lua: 'lua',
  } as const),
);

/** The names that editors use for parsable languages. */
const editorNames = new Map<string, SourceLanguage>(
  Object.entries({
    typescript: 'typescript',
    typescriptreact: 'tsx',
    tsx: 'tsx',
    javascript: 'javascript',
    javascriptreact: 'javascript',
    jsx: 'javascript',
    vue: 'vue',
    svelte: 'svelte',
    astro: 'astro',
    python: 'python',
    go: 'go',
    golang: 'go',
    rust: 'rust',
    java: 'java',
    c: 'c',
    cpp: 'cpp',
    'c++': 'cpp',
    csharp: 'csharp',
    'c#': 'csharp',
    ruby: 'ruby',
    php: 'php',
    kotlin: 'kotlin',
    dart: 'dart',
    swift: 'swift',
    shellscript: 'shell',
    'shell script': 'shell',
    shell: 'shell',
    sh: 'shell',
    bash: 'shell',
    bats: 'shell',
    scala: 'scala',
    elixir: 'elixir',
    lua: 'lua',
  } as const),
);

/**
 * The language of a file, by the editor's name or else by the file name. Without an extension, by the first line of its
 * `text`. Undefined if it cannot be parsed.
 */
export function languageOf(path: string, named?: string, text?: string): SourceLanguage | undefined {
  const byEditor = named === undefined ? undefined : editorNames.get(named.toLowerCase());
  const dot = path.lastIndexOf('.');
  const hasExtension = dot > path.lastIndexOf('/');
  return byEditor ?? (hasExtension ? extensions.get(path.slice(dot + 1).toLowerCase()) : scriptLanguage(text));
}

/** `#!/bin/sh`, `#!/usr/bin/env bash`. */
function scriptLanguage(text = ''): SourceLanguage | undefined {
  if (!text.startsWith('#!')) return undefined;
  const [line = ''] = text.slice('#!'.length, longestFirstLine).split(/\r?\n/u, 1);
  const program = line.split(/[ \t]/u).find((word) => word !== '' && !word.startsWith('-') && !word.endsWith('/env'));
  return program !== undefined && shells.has(baseName(program)) ? 'shell' : undefined;
}

const longestFirstLine = 200;
const shells = new Set(['sh', 'bash', 'dash', 'ksh', 'bats']);

const typeScript = async (): Promise<ImportResolver> =>
  (await import('./typescript/typescript.ts')).resolveTypeScriptImports;

const cpp = async (): Promise<ImportResolver> => (await import('./cpp/cpp.ts')).resolveCppImports;

const resolvers: Readonly<Partial<Record<SourceLanguage, () => Promise<ImportResolver>>>> = {
  typescript: typeScript,
  tsx: typeScript,
  javascript: typeScript,
  vue: typeScript,
  svelte: typeScript,
  astro: typeScript,
  python: async () => (await import('./python/python.ts')).resolvePythonImports,
  go: async () => (await import('./go/go.ts')).resolveGoImports,
  rust: async () => (await import('./rust/rust.ts')).resolveRustImports,
  java: async () => (await import('./jvm/java.ts')).resolveJavaImports,
  c: cpp,
  cpp,
  csharp: async () => (await import('./csharp/csharp.ts')).resolveCSharpImports,
  ruby: async () => (await import('./ruby/ruby.ts')).resolveRubyImports,
  php: async () => (await import('./php/php.ts')).resolvePhpImports,
  kotlin: async () => (await import('./jvm/kotlin.ts')).resolveKotlinImports,
  dart: async () => (await import('./dart/dart.ts')).resolveDartImports,
  swift: async () => (await import('./swift/swift.ts')).resolveSwiftImports,
  scala: async () => (await import('./jvm/scala.ts')).resolveScalaImports,
  shell: async () => (await import('./shell/shell.ts')).resolveShellImports,
  elixir: async () => (await import('./elixir/elixir.ts')).resolveElixirImports,
  lua: async () => (await import('./lua/lua.ts')).resolveLuaImports,
};

/** The rules of a language. Undefined if there are none yet. */
export async function importResolverOf(language: SourceLanguage): Promise<ImportResolver | undefined> {
  const resolve = await resolvers[language]?.();
  return resolve && (async (...asked) => (await resolve(...asked)).map(withCleanPaths));
}

/** Rules join a directory and a name by a slash, which is one too many at the top of the disk. */
function withCleanPaths(resolved: ResolvedImport): ResolvedImport {
  if ('none' in resolved || !resolved.targets.some(({ path }) => path.startsWith('//'))) return resolved;
  return { ...resolved, targets: resolved.targets.map((each) => ({ ...each, path: withOneSlash(each.path) })) };
}

/** Whether the target of an import depends on its names, because a name can be a module itself. */
export function isResolvedByName(language: SourceLanguage): boolean {
  return language === 'python' || language === 'rust';
}
