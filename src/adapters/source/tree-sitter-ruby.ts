/** Ruby: `require` and similar calls with a literal path, and definitions of modules and classes (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import { childrenOf, fieldText, type Grammar, lineOf } from './tree-sitter-grammar.ts';

/**
 * The form is the method: `require`, `require_relative`, `load` or `autoload`. Names are the constants that the file
 * uses.
 */
export const ruby: Grammar = {
  wasm: 'tree-sitter-ruby',
  query: `
    ((call method: (identifier) @method) @import
      (#any-of? @method "require" "require_relative" "load" "autoload"))
    ((module name: (_) @name) @definition (#set! kind "module"))
    ((class name: (_) @name) @definition (#set! kind "module"))
    (method name: (_) @name) @definition
    (singleton_method name: (_) @name) @definition
    (assignment left: (constant) @name) @definition
    (constant) @used
    (comment) @preceding`,
  readImport(node, used) {
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
