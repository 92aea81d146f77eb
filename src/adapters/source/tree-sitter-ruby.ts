/**
 * Ruby: `require` and similar calls with a literal path, the constants that a file uses, and definitions of modules and
 * classes (RT-02).
 */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, fieldText, type Grammar, lineOf, type UsedNames } from './tree-sitter-grammar.ts';

/**
 * The form is the method: `require`, `require_relative`, `load` or `autoload`, or `constants` or `factories` for the
 * whole file. Names are the constants that the file uses; of `constants`, with their modules (`Shop::Cart`, `::Cart`),
 * and the associations of a model (`:carts`); of `factories`, those of FactoryBot (`:cart`).
 */
export const ruby: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm',
  query: `
    (program) @import
    ((call method: (identifier) @method) @import
      (#any-of? @method "require" "require_relative" "load" "autoload"))
    ((module name: (_) @name) @definition (#set! kind "module"))
    ((class name: (_) @name) @definition (#set! kind "module"))
    (method name: (_) @name) @definition
    (singleton_method name: (_) @name) @definition
    (assignment left: (constant) @name) @definition
    (constant) @used
    ((pair key: (hash_key_symbol) @key value: (string (string_content) @used)) (#eq? @key "class_name") (#set! of "model"))
    ((call method: (identifier) @method arguments: (argument_list . (simple_symbol) @used))
      (#any-of? @method "belongs_to" "has_one" "has_many" "has_and_belongs_to_many") (#set! of "association"))
    ((call method: (identifier) @method arguments: (argument_list . (simple_symbol) @used))
      (#any-of? @method "create" "build" "build_stubbed" "attributes_for" "create_list" "build_list" "create_pair" "build_pair")
      (#set! of "factory"))
    (call receiver: (constant) block: (do_block (body_statement
      ((call method: (identifier) @method arguments: (argument_list . (simple_symbol) @name) block: (_)) @definition
        (#eq? @method "factory") (#set! kind "type")))))
    (comment) @preceding`,
  readImport(node, used) {
    if (node.type === 'program') return [...constantsOf(node, used), ...factoriesOf(used)];
    const form = fieldText(node, 'method');
    const given = node.childForFieldName('arguments');
    const [first, second] = given ? childrenOf(given) : [];
    const named = form === 'autoload' ? second : first;
    // Other objects may have methods with these names. Those of Kernel are called without a receiver, or on a module.
    const receiver = node.childForFieldName('receiver');
    if (named === undefined || (receiver && receiver.type !== 'constant' && form !== 'autoload')) return [];
    const line = lineOf(node);
    const names = form === 'autoload' ? [first?.text.replace(/^:/u, '') ?? ''] : used('');
    const specifier = literalText(named);
    if (specifier !== undefined) return [{ specifier, names, line, form }];
    const relative = expandedPath(named);
    return relative === undefined ? [] : [{ specifier: relative, names, line, form: 'require_relative' }];
  },
  readExports(node) {
    if (fieldText(node, 'method') !== 'autoload') return [];
    return ruby
      .readImport(node, () => [])
      .flatMap(({ specifier, names: [name], line }) => (name ? [{ name, local: name, specifier, line }] : []));
  },
  readName: (name) => (name.type === 'scope_resolution' ? fieldText(name, 'name') : name.text),
};

/** Max lines that are searched for constants. */
const linesOfConstants = 10_000;

function constantsOf(program: Node, used: UsedNames): ImportStatement[] {
  const end = { row: linesOfConstants, column: 0 };
  const found = program.descendantsOfType(['constant', 'scope_resolution'], { row: 0, column: 0 }, end);
  // A name of a definition, or a part of a longer name, is no use.
  const uses = found.filter((node) => node !== null && !withOwnName.has(node.parent?.type ?? ''));
  const written = uses.map((node) => node?.text ?? '').filter((text) => /^(?:::)?[A-Z]/u.test(text));
  const names = [...new Set([...written, ...used('model'), ...used('association')])];
  return names.length === 0 ? [] : [{ specifier: '', names, line: 1, form: 'constants' }];
}

function factoriesOf(used: UsedNames): ImportStatement[] {
  const names = used('factory');
  return names.length === 0 ? [] : [{ specifier: '', names, line: 1, form: 'factories' }];
}

const withOwnName = new Set(['scope_resolution', 'class', 'module']);

/** The text of a string without interpolation. */
function literalText(node: Node): string | undefined {
  if (node.type !== 'string') return undefined;
  const parts = childrenOf(node);
  return parts.length === 1 && parts[0]?.type === 'string_content' ? parts[0].text : undefined;
}

/** `File.expand_path('../x', __FILE__)` and `File.join(__dir__, 'x')`, as a path relative to the file's directory. */
function expandedPath(node: Node): string | undefined {
  if (node.type !== 'call' || fieldText(node, 'receiver') !== 'File') return undefined;
  const given = node.childForFieldName('arguments');
  const parts = given ? childrenOf(given) : [];
  const method = fieldText(node, 'method');
  const texts = parts.map(literalText);
  if (method === 'join' && parts[0]?.text === '__dir__' && texts.slice(1).every((text) => text !== undefined))
    return texts.slice(1).join('/');
  if (method !== 'expand_path' || texts[0] === undefined) return undefined;
  if (parts[1]?.text === '__dir__') return texts[0];
  // The path is relative to the file itself, so the first `..` only removes the file's name.
  return parts[1]?.text === '__FILE__' && texts[0].startsWith('../') ? texts[0].slice(3) : undefined;
}
