/** Swift: modules that are imported, names that the file uses, and definitions of types and their members (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { blank } from './blank-text.ts';
import { childrenOf, type Grammar, lineOf, onceForFile } from './tree-sitter-grammar.ts';

/**
 * Forms: none for a module, `testable` for one that is tested, `declaration` for one thing of a module, `file` for what
 * the whole file uses, which its own module can have. Names are those that the file uses: types, functions that it
 * calls, and `.name` for members, which can be those of an extension.
 */
export const swift: Grammar = {
  wasm: '@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm',
  query: `
    [(source_file) (ERROR) (import_declaration)] @import
    ((class_declaration name: [(type_identifier) (user_type)] @name) @definition (#set! kind "type"))
    ((protocol_declaration name: (type_identifier) @name) @definition (#set! kind "type"))
    (typealias_declaration name: (type_identifier) @name) @definition
    (associatedtype_declaration name: (type_identifier) @name) @definition
    (function_declaration "func" . name: _ @name) @definition
    (protocol_function_declaration name: (simple_identifier) @name) @definition
    (init_declaration name: "init" @name) @definition
    (deinit_declaration "deinit" @name) @definition
    (subscript_declaration "subscript" @name) @definition
    (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)
      computed_value: (computed_property) @body) @definition
    (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition
    (protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition
    (enum_entry name: (simple_identifier) @name) @definition
    (macro_declaration (simple_identifier) @name) @definition
    (user_type (type_identifier) @used)
    (call_expression . (simple_identifier) @used)
    (navigation_expression target: (simple_identifier) @used)
    (constructor_expression constructed_type: (user_type . (type_identifier) @used))
    ((navigation_suffix suffix: (simple_identifier) @used) (#set! of "."))
    ((prefix_expression operation: "." target: (simple_identifier) @used) (#set! of "."))
    [(comment) (multiline_comment)] @preceding`,
  prepare: (text) => withoutNewWords(withoutHashes(text)),
  readImport(node, used): ImportStatement[] {
    const line = lineOf(node);
    if (node.type !== 'import_declaration') {
      const names = node.parent === null ? allNames(used) : [];
      return names.length === 0 ? [] : [{ specifier: '', names, line, form: 'file' }];
    }
    const path = childrenOf(node).find(({ type }) => type === 'identifier')?.text ?? '';
    const [specifier = '', ...rest] = path.split('.');
    const isDeclaration = rest.length > 0 && declarationKinds.has(node.child(1)?.type ?? '');
    if (specifier === '') return [];
    if (isDeclaration) return [{ specifier, names: [rest.at(-1) ?? ''], line, form: 'declaration' }];
    const isTestable = node.text.includes('@testable');
    return [{ specifier, names: allNames(used), line, ...(isTestable && { form: 'testable' }) }];
  },
  readName(name, definition) {
    if (definition.type === 'deinit_declaration') return undefined;
    // Without a private type, its members would look like definitions of their own.
    if (!/^(?:class|protocol)_declaration$/u.test(definition.type) && isPrivate(definition)) return undefined;
    return name.type === 'user_type' ? `extension ${name.text}` : name.text;
  },
  findGroup(definition) {
    const list = definition.parent;
    const owner = list?.type === 'class_body' ? list.parent : null;
    return list && owner && owner.childForFieldName('name')?.type === 'user_type' ? { node: owner, list } : undefined;
  },
};

const declarationKinds = new Set(['typealias', 'struct', 'class', 'enum', 'protocol', 'let', 'var', 'func']);

const allNames = onceForFile((used) => [...used(''), ...used('.').map((name) => `.${name}`)]);

/**
 * This build of the grammar reads nothing after a `#`. So conditions of the compiler become comments, and other words
 * after a `#` become names.
 */
function withoutHashes(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', from)) {
    const instead = insteadOf(text, at);
    pieces.push(text.slice(from, at), instead);
    from = at + instead.length;
  }
  return `${pieces.join('')}${text.slice(from)}`;
}

/** The grammar knows `nonisolated` and `throws`, but nothing in brackets after them. */
function withoutNewWords(text: string): string {
  return text.replaceAll(/(?<=\b(?:nonisolated|throws))\([\w.]{1,99}\)/gu, blank);
}

const conditions = new Set(['if', 'elseif', 'else', 'endif', 'error', 'warning', 'sourceLocation']);
const longestWord = 20;
const longestCondition = 200;

/** The text that replaces a `#` and what belongs to it. It has the same length. */
function insteadOf(text: string, at: number): string {
  const [word = ''] = /^[a-zA-Z]*/u.exec(text.slice(at + 1, at + 1 + longestWord)) ?? [];
  if (conditions.has(word)) return '//'.padEnd(word.length + 1);
  const length = text.slice(at, at + longestCondition).indexOf(')') + 1;
  if ((word === 'available' || word === 'unavailable') && length > 0)
    return `true${blank(text.slice(at + 'true'.length, at + length))}`;
  // Of a raw string, `#"a"#` or `##"a"##`.
  const isOfText =
    /^#{0,9}["/]/u.test(text.slice(at, at + 10)) || /["/]#{0,9}$/u.test(text.slice(Math.max(0, at - 10), at));
  return isOfText ? ' ' : '_';
}

/** Whether only the file itself can use the definition. `private(set)` does not restrict reading. */
function isPrivate(definition: Node): boolean {
  const modifiers = definition.namedChild(0);
  if (modifiers?.type !== 'modifiers') return false;
  return childrenOf(modifiers).some(
    ({ type, text }) => type === 'visibility_modifier' && (text === 'private' || text === 'fileprivate'),
  );
}
