/** Programming languages without a parser, which answers mention. Other files (text, data, styles) are not listed. */
const languages: Readonly<Record<string, readonly string[]>> = {
  Clojure: ['clj', 'cljs', 'cljc', 'clojure'],
  Crystal: ['cr', 'crystal'],
  D: ['d'],
  Elm: ['elm'],
  'Emacs Lisp': ['el', 'elisp', 'emacs-lisp'],
  ERB: ['erb'],
  Erlang: ['erl', 'hrl', 'erlang'],
  fish: ['fish'],
  'F#': ['fs', 'fsi', 'fsx', 'fsharp'],
  Fortran: ['f', 'f90', 'f95', 'f03', 'f08', 'fortran'],
  GDScript: ['gd', 'gdscript'],
  Gleam: ['gleam'],
  Groovy: ['groovy', 'gradle'],
  Haskell: ['hs', 'lhs', 'haskell'],
  HEEx: ['heex', 'leex', 'eex', 'phoenix-heex', 'html-eex'],
  Jsonnet: ['jsonnet', 'libsonnet'],
  Julia: ['jl', 'julia'],
  'Kotlin scripts': ['kts'],
  Luau: ['luau'],
  MDX: ['mdx'],
  Nim: ['nim'],
  Nix: ['nix'],
  'Objective-C': ['m', 'mm', 'objective-c', 'objective-cpp', 'objc'],
  OCaml: ['ml', 'mli', 'ocaml'],
  Perl: ['pl', 'pm', 'perl'],
  PowerShell: ['ps1', 'psm1', 'powershell'],
  'Protocol Buffers': ['proto', 'proto3', 'protobuf'],
  PureScript: ['purs', 'purescript'],
  R: ['r'],
  Razor: ['razor', 'cshtml', 'aspnetcorerazor'],
  ReScript: ['res', 'resi', 'rescript'],
  Solidity: ['sol', 'solidity'],
  Starlark: ['bzl', 'star', 'bazel', 'starlark'],
  Tcl: ['tcl'],
  Terraform: ['tf', 'terraform'],
  'Visual Basic': ['vb', 'vbs'],
  Zig: ['zig'],
  Zsh: ['zsh'],
};

const byName = new Map(Object.entries(languages).flatMap(([language, names]) => names.map((name) => [name, language])));

/** The language's name for people, by the editor's name or else by the extension. */
export function unsupportedLanguageOf(path: string, named?: string): string | undefined {
  const dot = path.lastIndexOf('.');
  const ending = dot > path.lastIndexOf('/') ? path.slice(dot + 1).toLowerCase() : '';
  // Several languages can share an extension. If the editor names a language, its name decides.
  return byName.get(named ? named.toLowerCase() : ending);
}
