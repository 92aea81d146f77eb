/**
 * Elixir: directives for modules, the modules that a file uses, and definitions of modules, functions and types
 * (RT-02).
 */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { afterLast } from '../../texts/after-last.ts';
import { childrenOf, fieldText, type Grammar, lineOf, onceForFile, type UsedNames } from './tree-sitter-grammar.ts';

/** The name of what is defined, also before a guard. */
const head = `(arguments . [
  (identifier) @name
  (call target: (identifier) @name)
  (binary_operator left: (identifier) @name)
  (binary_operator left: (call target: (identifier) @name))])`;
const definers = '"def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"';
const directives = '"alias" "import" "require" "use"';

/**
 * The form of a directive is its name; `alias User` if the module is called `User` here, `use controller` with an
 * argument. The names of `import` and `use` are the functions that the file calls without a module. Two forms are of
 * the whole file: `modules` has the modules that it uses, and as members what it uses of them (nothing of a module that
 * it only names); `own` has those that it defines.
 */
export const elixir: Grammar = {
  wasm: 'tree-sitter-elixir/tree-sitter-elixir.wasm',
  query: `
    (source) @import
    ((call target: (identifier) @keyword) @import (#any-of? @keyword ${directives}))
    ((call target: (identifier) @keyword (arguments . (alias) @name) (do_block) @body) @definition
      (#any-of? @keyword "defmodule" "defprotocol" "defimpl") (#set! kind "type"))
    ((call target: (identifier) @keyword ${head} (do_block) @body) @definition
      (#any-of? @keyword ${definers}) (#not-match? @body "^do\\\\s+quote"))
    ((call target: (identifier) @keyword ${head}) @definition (#any-of? @keyword ${definers}))
    ((call target: (identifier) @name) @definition
      (#any-of? @name "defstruct" "defexception" "schema" "embedded_schema" "typedstruct" "typed_schema"))
    ((call target: (identifier) @name (do_block)) @definition (#eq? @name "using"))
    ((unary_operator operand: (call target: (identifier) @keyword ${head})) @definition
      (#any-of? @keyword "type" "typep" "opaque" "callback" "macrocallback"))
    ((call target: (identifier) @keyword ${head.replaceAll('@name', '@used')})
      (#any-of? @keyword ${definers}) (#set! of "declared"))
    (call target: (identifier) @used)
    (unary_operator operand: (binary_operator left: (identifier) @used (integer)))
    ((call target: (identifier) @keyword (arguments . (atom) @used))
      (#any-of? @keyword "insert" "insert_list" "insert_pair" "build" "build_list" "build_pair" "params_for")
      (#set! of "factory"))
    (call target: (dot left: [(alias) (dot right: (alias))] @qualifier right: (identifier) @used))
    ((call target: (dot left: [(alias) (dot right: (alias))] @used right: (identifier))) (#set! of "qualifier"))
    ((call target: (identifier) @keyword (arguments (alias) @used))
      (#not-any-of? @keyword "defmodule" ${directives}) (#set! of "named"))
    ((call target: (dot) (arguments (alias) @used)) (#set! of "named"))
    ((call target: (identifier) @keyword (arguments (keywords (pair value: (alias) @used))))
      (#not-any-of? @keyword "defdelegate" ${directives}) (#set! of "named"))
    ([(struct (alias) @used) (list (alias) @used) (tuple (alias) @used) (binary_operator (alias) @used)
      (map_content (keywords (pair value: (alias) @used))) (list (keywords (pair value: (alias) @used)))
      (call target: (dot) (arguments (keywords (pair value: (alias) @used))))] (#set! of "named"))
    ((call target: (identifier) @keyword
      (arguments . (call target: (identifier) @used) (keywords (pair value: (alias) @qualifier))))
      (#eq? @keyword "defdelegate"))
    ((call target: (identifier) @keyword (arguments . (call target: (identifier)) (keywords (pair value: (alias) @used))))
      (#eq? @keyword "defdelegate") (#set! of "qualifier"))
    ((call target: (identifier) @keyword (arguments . (alias) @used)) (#eq? @keyword "defmodule") (#set! of "own"))
    ((sigil (sigil_name) @keyword (quoted_content) @used) (#any-of? @keyword "H" "F") (#set! of "template"))
    (comment) @preceding
    ((unary_operator operand: (call target: (identifier) @keyword)) @preceding
      (#any-of? @keyword "doc" "spec" "typedoc" "deprecated" "impl"))
    ((call target: (identifier) @keyword) @preceding (#any-of? @keyword "attr" "slot"))`,
  isSpaced: true,
  readImport(node, used): ImportStatement[] {
    if (node.type === 'source') return modulesOf(used);
    const keyword = fieldText(node, 'target');
    const [module, ...options] = childrenOf(node.namedChildren.find((each) => each?.type === 'arguments') ?? node);
    if (module === undefined) return [];
    const own = used('own')[0] ?? '__MODULE__';
    const line = lineOf(node);
    const renamed = optionOf('as', options);
    const only = optionOf('only', options);
    return namedModules(module).map((name) => {
      const specifier = name.replace('__MODULE__', own);
      const calls = only === undefined ? callsOf(used) : keysOf(only);
      if (keyword === 'import') return { specifier, names: calls, line, form: only ? 'import only' : 'import' };
      if (keyword === 'use') return { specifier, names: calls, line, form: `use ${argumentOf(options)}`.trim() };
      if (keyword === 'require' && renamed === undefined) return { specifier, names: [], line, form: 'require' };
      return { specifier, names: [], line, form: `alias ${renamed?.text ?? afterLast(specifier, '.')}` };
    });
  },
  readName(name, definition) {
    if (definition.type === 'unary_operator') return isPrivateType(definition) ? undefined : name.text;
    const keyword = fieldText(definition, 'target');
    if (keyword === name.text && name.startIndex === definition.startIndex)
      return keyword === 'using' ? '__using__' : '__struct__';
    return privateDefiners.has(keyword) ? undefined : name.text;
  },
  findDocumentation: (body) =>
    childrenOf(body)
      .slice(0, 3)
      .find((each) => each.type === 'unary_operator' && each.text.startsWith('@moduledoc')),
};

const privateDefiners = new Set(['defp', 'defmacrop', 'defguardp', 'defnp']);

function isPrivateType(definition: Node): boolean {
  return fieldText(definition.childForFieldName('operand') ?? definition, 'target') === 'typep';
}

function modulesOf(used: UsedNames): ImportStatement[] {
  const templates = templateUses(used);
  const calls = new Map<string, string[]>();
  for (const name of used('qualifier')) calls.set(name, [...used(name)]);
  for (const [module, name] of templates)
    if (module !== '') calls.set(module, [...new Set([...(calls.get(module) ?? []), name])]);
  const named = new Set(used('named'));
  const own = used('own')[0] ?? '__MODULE__';
  const full = (name: string): string => name.replace('__MODULE__', own);
  const names = [...new Set([...calls.keys(), ...named])];
  const mine = ownModules(used);
  const declared: ImportStatement[] = mine.length === 0 ? [] : [{ specifier: '', names: mine, line: 1, form: 'own' }];
  if (names.length === 0) return declared;
  const members = names.map((name): [string, string[]] => [
    full(name),
    [...(calls.get(name) ?? []), ...(named.has(name) ? ['__struct__'] : [])],
  ]);
  return [{ specifier: '', names: names.map(full), members, line: 1, form: 'modules' }, ...declared];
}

/** Modules that the file defines, also those inside the first one. */
function ownModules(used: UsedNames): string[] {
  const [first, ...others] = used('own');
  return first === undefined ? [] : [first, ...others, ...others.map((name) => `${first}.${name}`)];
}

/** What is called without a module, except what the file defines itself. `insert(:cart)` calls `cart_factory`. */
const callsOf = onceForFile((used) => {
  const own = new Set(used('declared'));
  const inTemplates = templateUses(used).flatMap(([module, name]) => (module === '' ? [name] : []));
  const factories = used('factory').map((name) => `${name.slice(1)}_factory`);
  return [...new Set([...used(''), ...inTemplates, ...factories])].filter((name) => !own.has(name));
});

const mostInTemplates = 2_000;

/** `<.button>`, `<Core.button>` and `Core.button(…)` in templates, as pairs of module and function. */
function templateUses(used: UsedNames): [string, string][] {
  const found: [string, string][] = [];
  for (const template of used('template'))
    for (const [text] of template.matchAll(/(?:<\.|\b[A-Z])[\w.]*/gu)) {
      const dot = text.lastIndexOf('.');
      const name = text.slice(dot + 1);
      if (dot < 0 || !/^[a-z_]/u.test(name)) continue;
      if (found.push([text.startsWith('<') ? '' : text.slice(0, dot), name]) >= mostInTemplates) return found;
    }
  return found;
}

/** `A.B`, or each of `A.{B, C}`. */
function namedModules(node: Node): string[] {
  if (node.type === 'alias') return [node.text];
  if (node.type === 'identifier') return node.text === '__MODULE__' ? [node.text] : [];
  const [left, right] = [node.childForFieldName('left'), node.childForFieldName('right')];
  if (node.type !== 'dot' || left === null || right === null) return [];
  if (right.type === 'alias') return [node.text.replaceAll(/\s/gu, '')];
  return childrenOf(right)
    .filter(({ type }) => type === 'alias')
    .map(({ text }) => `${left.text}.${text}`);
}

/** The value of an option such as `as: Name`. */
function optionOf(option: string, options: readonly Node[]): Node | undefined {
  const pairs = options.filter(({ type }) => type === 'keywords').flatMap((each) => childrenOf(each));
  return pairs.find((pair) => fieldText(pair, 'key').trim() === `${option}:`)?.childForFieldName('value') ?? undefined;
}

/** `a` and `b` of `[a: 1, b: 2]`. */
function keysOf(list: Node): string[] {
  const pairs = childrenOf(list).flatMap((each) => (each.type === 'keywords' ? childrenOf(each) : []));
  return pairs.map((pair) => fieldText(pair, 'key').trim().replace(/:$/u, ''));
}

/** `controller` of `use ShopWeb, :controller`. */
function argumentOf([first]: readonly Node[]): string {
  return first?.type === 'atom' ? first.text.slice(1) : '';
}
