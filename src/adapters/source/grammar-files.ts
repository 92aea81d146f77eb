/** The grammars of the languages, as files of packages. A built program has them beside it, compressed. */
export const grammarFiles = [
  '@repomix/tree-sitter-wasms/out/tree-sitter-dart.wasm',
  '@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm',
  '@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  '@tree-sitter-grammars/tree-sitter-lua/tree-sitter-lua.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm',
  'tree-sitter-scala/tree-sitter-scala.wasm',
  'tree-sitter-elixir/tree-sitter-elixir.wasm',
] as const;
export type GrammarFile = (typeof grammarFiles)[number];
