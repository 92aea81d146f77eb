/** Kotlin: imports, the package with the names that are used, and definitions of types and functions (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { afterLast } from '../../texts/after-last.ts';
import { withoutUnknownSyntax } from './kotlin-syntax.ts';
import { childrenOf, fieldText, type Grammar, lineOf, onceForFile, usedExcept } from './tree-sitter-grammar.ts';

/**
 * The grammar reads some declarations, such as `annotation class A` and `@B internal fun a() {`, as infix calls. Later
 * declarations can be inside such a call. So a type in it has the kind `module`, and other types inside keep their own
 * names.
 */
const infixCall = `
  [(infix_expression . (identifier) @keyword . (identifier) @name)
   (infix_expression . (infix_expression (identifier) @keyword .) . (identifier) @name)
   (infix_expression . (_) . (identifier) @keyword . [
     (identifier) @name
     (call_expression . (identifier) @name)
     (call_expression . (call_expression . (identifier) @name))])] @definition`;

/**
 * Forms: `` for one declaration, `alias N` for one that is called `N` here, `wildcard` for those of a package (or
 * type), `package` for the file's own package. If an import names nothing, its names are those that the file uses;
 * `.name` for what is used of something, which an extension can be.
 */
export const kotlin: Grammar = {
  wasm: '@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm',
  query: `
    [(source_file) (package_header) (import)] @import
    ((class_declaration name: (identifier) @name [(class_body) (enum_class_body)]? @body) @definition (#set! kind "type"))
    ((object_declaration name: (identifier) @name (class_body)? @body) @definition (#set! kind "type"))
    ((companion_object "companion" @name (class_body)? @body) @definition (#set! kind "type"))
    (${infixCall} (#any-of? @keyword "class" "interface" "object") (#set! kind "module"))
    (${infixCall} (#eq? @keyword "fun"))
    (function_declaration name: (identifier) @name (function_body)? @body) @definition
    (secondary_constructor "constructor" @name (block)? @body) @definition
    (property_declaration (variable_declaration (identifier) @name) [(getter) (setter)]? @body) @definition
    (property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @definition
    (type_alias type: (identifier) @name) @definition
    (enum_entry (identifier) @name) @definition
    (user_type . (identifier) @used)
    (primary_expression/identifier) @used
    (callable_reference (identifier) @used)
    ((navigation_expression (_) . (identifier) @used .) (#set! of "."))
    ((infix_expression . (_) . (identifier) @used) (#set! of "."))
    ([(variable_declaration (identifier) @used)
      (parameter (identifier) @used . (_))
      (class_parameter (identifier) @used . (_))
      (type_parameter (identifier) @used)
      (class_declaration name: (identifier) @used)
      (object_declaration name: (identifier) @used)
      (function_declaration name: (identifier) @used)] (#set! of "declared"))
    [(line_comment) (block_comment)] @preceding`,
  prepare: withoutUnknownSyntax,
  readImport(node, used): ImportStatement[] {
    const line = lineOf(node);
    if (node.type === 'source_file') {
      const isNamed = childrenOf(node).some(({ type }) => type === 'package_header');
      const names = isNamed ? [] : namesIn(used);
      return names.length === 0 ? [] : [{ specifier: '', names, line, form: 'package' }];
    }
    const [path, alias] = childrenOf(node).filter(
      ({ type }) => type === 'qualified_identifier' || type === 'identifier',
    );
    const specifier = plainPath(path?.text ?? '');
    if (specifier === '') return [];
    if (node.type === 'package_header') return [{ specifier, names: namesIn(used), line, form: 'package' }];
    if (node.children.some((child) => child?.type === '*'))
      return [{ specifier, names: namesIn(used), line, form: 'wildcard' }];
    const names = [afterLast(specifier, '.')];
    return [{ specifier, names, line, ...(alias && { form: `alias ${plainName(alias.text)}` }) }];
  },
  readName(name, definition) {
    if (isHidden(definition)) return undefined;
    if (name.type === 'companion') return plainName(fieldText(definition, 'name')) || 'Companion';
    return plainName(name.text);
  },
};

/** The names that the file does not declare itself: types and functions first, then what may be extensions. */
const namesIn = onceForFile((used) => {
  const plain = usedExcept(used, 'declared');
  return [...plain.map(plainName), ...used('.').map((name) => `.${plainName(name)}`)];
});

const owners = new Set(['source_file', 'class_body', 'enum_class_body', 'ERROR']);

/** Nothing outside can use private members, and what is declared inside a block. */
function isHidden(definition: Node): boolean {
  const owner = definition.parent?.type ?? '';
  if (owner === 'block' || (definition.type === 'property_declaration' && !owners.has(owner))) return true;
  const first = definition.firstNamedChild;
  return owner !== 'source_file' && first?.type === 'modifiers' && hasPrivate(first);
}

function hasPrivate(modifiers: Node): boolean {
  return childrenOf(modifiers).some(({ type, text }) => type === 'visibility_modifier' && text === 'private');
}

/** `` `in` `` as `in`. */
function plainName(text: string): string {
  return text.replaceAll('`', '');
}

/** A path can go over several lines. */
function plainPath(text: string): string {
  return plainName(text).replaceAll(/\s/gu, '');
}
