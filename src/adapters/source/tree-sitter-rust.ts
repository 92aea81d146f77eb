/**
 * Rust: `use`, `mod x;` and `extern crate`, and definitions of items, also in inline modules and `impl` blocks (RT-02).
 */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName } from '../../ports/parsed-source.ts';
import {
  childrenOf,
  fieldText,
  type Grammar,
  lineOf,
  onceForFile,
  type UsedNames,
  usedExcept,
} from './tree-sitter-grammar.ts';

/**
 * Forms: `use`; `mod`, or `mod:<path>` with a `#[path]`; `crate`. A `*` has as members the names that the file uses and
 * does not import otherwise. Relative paths inside an inline module `a` become paths of the file's own module:
 * `super::x` becomes `self::a::super::x`, `mod x;` becomes `a::x`.
 */
export const rust: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm',
  query: `
    [(use_declaration) (extern_crate_declaration) (mod_item !body)] @import
    ((attribute_item (attribute (identifier) @macro)) @import (#eq? @macro "proc_macro_derive"))
    (function_item name: (_) @name) @definition
    (function_signature_item name: (_) @name) @definition
    ((struct_item name: (_) @name) @definition (#set! kind "type"))
    ((enum_item name: (_) @name) @definition (#set! kind "type"))
    ((union_item name: (_) @name) @definition (#set! kind "type"))
    ((trait_item name: (_) @name) @definition (#set! kind "type"))
    ((impl_item type: (_) @name) @definition (#set! kind "type"))
    ((mod_item name: (_) @name body: (_)) @definition (#set! kind "type"))
    (type_item name: (_) @name) @definition
    (const_item name: (_) @name) @definition
    (static_item name: (_) @name) @definition
    (macro_definition name: (_) @name) @definition
    [(identifier) (type_identifier)] @used
    ([(use_declaration argument: (scoped_identifier name: (_) @used))
      (use_list (identifier) @used)
      (use_list (scoped_identifier name: (_) @used))
      (use_as_clause alias: (identifier) @used)] (#set! of "imported"))
    (scoped_identifier path: (identifier) @qualifier name: (_) @used)
    (scoped_type_identifier path: (identifier) @qualifier name: (_) @used)
    (source_file (macro_invocation (token_tree) @inside))
    (mod_item body: (declaration_list (macro_invocation (token_tree) @inside)))
    [(line_comment) (block_comment) (attribute_item)] @preceding`,
  readImport(node, used) {
    if (node.type === 'attribute_item') return [];
    const line = lineOf(node);
    const name = fieldText(node, 'name');
    if (node.type === 'mod_item') {
      const given = givenPath(node);
      const specifier = [...inlineModules(node), name].join('::');
      // In `use shop::{config::Config}`, `config` can be another module.
      const names = used(name).filter((each) => !importedNames(used).has(each));
      return [{ specifier, names, line, form: given === undefined ? 'mod' : `mod:${given}` }];
    }
    if (node.type === 'extern_crate_declaration')
      return [{ specifier: name, names: [...used(fieldText(node, 'alias') || name)], line, form: 'crate' }];
    return group(leavesOf(node), used).map(({ specifier, names }) => {
      const members = names.includes('*') ? { members: [['*', notImported(used)] as const] } : {};
      return { specifier, names, ...members, line, form: 'use' };
    });
  },
  readExports(node): ExportedName[] {
    const line = lineOf(node);
    if (node.type === 'extern_crate_declaration') {
      const specifier = fieldText(node, 'name');
      return [{ name: fieldText(node, 'alias') || specifier, local: '*', specifier, line }];
    }
    if (node.type === 'attribute_item') return derivedBy(node);
    if (node.type !== 'use_declaration') return [];
    const inline = inlineModules(node);
    return leavesOf(node).map(({ path, name, alias }) => {
      // A crate alone, or everything of a module.
      const isWhole = path.length === 0 || name === '*';
      const specifier = path.length === 0 ? name : path.join('::');
      const known = name === '*' ? [name] : [...inline, alias ?? name];
      return { name: known.join('.'), local: isWhole ? '*' : name, specifier, line };
    });
  },
  readName: (name) =>
    (/type_identifier$|identifier$/u.test(name.type) && !name.type.startsWith('scoped')
      ? name
      : name.descendantsOfType(['type_identifier', 'primitive_type'])[0]
    )?.text,
};

/** `#[proc_macro_derive(Name, …)]`: the macro `Name`, which the function below makes. */
function derivedBy(attribute: Node): ExportedName[] {
  const name = attribute.firstNamedChild?.childForFieldName('arguments')?.firstNamedChild;
  let below = attribute.nextNamedSibling;
  while (below !== null && below.type !== 'function_item' && /comment$|^attribute_item$/u.test(below.type))
    below = below.nextNamedSibling;
  if (name?.type !== 'identifier' || below?.type !== 'function_item') return [];
  return [{ name: name.text, local: fieldText(below, 'name'), line: lineOf(attribute) }];
}

/** What is imported by name hides what `*` brings. */
const notImported = onceForFile((used) => usedExcept(used, 'imported'));
const importedNames = onceForFile((used) => new Set(used('imported')));

type Leaf = { path: string[]; name: string; alias?: string };
const deepestTree = 32;
const maxLeaves = 2_000;

/** Each name that a `use` imports, with its path. */
function leavesOf(use: Node): Leaf[] {
  const leaves: Leaf[] = [];
  const inline = inlineModules(use);
  const add = (segments: string[], alias?: string): void => {
    const relative = segments[0] === 'self' || segments[0] === 'super';
    const full =
      relative && inline.length > 0 ? ['self', ...inline, ...segments.filter((each) => each !== 'self')] : segments;
    // `a::{self}` is `a` itself.
    const whole = full.at(-1) === 'self' && full.length > 1 ? full.slice(0, -1) : full;
    const name = whole.at(-1);
    if (name !== undefined && leaves.length < maxLeaves)
      leaves.push({ path: whole.slice(0, -1), name, ...(alias && { alias }) });
  };
  const visit = (node: Node, before: string[], depth: number): void => {
    if (depth > deepestTree || node.type.endsWith('_comment')) return;
    if (node.type === 'use_list') {
      for (const child of childrenOf(node)) visit(child, before, depth + 1);
    } else if (node.type === 'scoped_use_list') {
      const list = node.childForFieldName('list');
      if (list) visit(list, [...before, ...segmentsOf(node.childForFieldName('path'))], depth + 1);
    } else if (node.type === 'use_wildcard') {
      add([...before, ...segmentsOf(node.firstNamedChild), '*']);
    } else if (node.type === 'use_as_clause') {
      add([...before, ...segmentsOf(node.childForFieldName('path'))], fieldText(node, 'alias'));
    } else add([...before, ...segmentsOf(node)]);
  };
  const argument = use.childForFieldName('argument');
  if (argument) visit(argument, [], 0);
  return leaves;
}

/** A leading `::` makes no difference here: both forms can name a crate. */
function segmentsOf(path: Node | null): string[] {
  const segments = path?.text.replaceAll(/\s|r#/gu, '').split('::') ?? [];
  return segments.filter(Boolean).slice(0, 64);
}

/** One statement for each path. If a module is imported by its own name, the names are its used members. */
function group(leaves: readonly Leaf[], used: UsedNames): { specifier: string; names: string[] }[] {
  const groups = new Map<string, Set<string>>();
  for (const { path, name, alias } of leaves) {
    const members = /^\p{Ll}/u.test(name) && !['self', 'super', 'crate'].includes(name) ? used(alias ?? name) : [];
    const isModule = path.length === 0 || members.length > 0;
    const specifier = (isModule ? [...path, name] : path).join('::');
    const names = groups.get(specifier) ?? new Set();
    for (const each of isModule ? members : [name]) names.add(each);
    groups.set(specifier, names);
  }
  return [...groups].map(([specifier, names]) => ({ specifier, names: [...names] }));
}

/** The inline modules around a node, outermost first. */
function inlineModules(node: Node): string[] {
  const names: string[] = [];
  let around = node.parent;
  for (let depth = 0; around && depth < 64; depth += 1, around = around.parent)
    if (around.type === 'mod_item') names.unshift(fieldText(around, 'name'));
  return names;
}

/** The path in a `#[path = "…"]` before a module. */
function givenPath(item: Node): string | undefined {
  let before = item.previousNamedSibling;
  while (before?.type === 'attribute_item') {
    const attribute = before.firstNamedChild;
    if (attribute?.firstNamedChild?.text === 'path') return attribute.childForFieldName('value')?.firstNamedChild?.text;
    before = before.previousNamedSibling;
  }
  return undefined;
}
