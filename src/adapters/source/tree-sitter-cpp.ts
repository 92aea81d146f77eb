/** C and C++: `#include` and definitions. The C++ grammar reads both (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import { fieldText, type Grammar, lineOf, onceForFile, usedExcept } from './tree-sitter-grammar.ts';

/**
 * The form of an import is its opening character: `"` or `<`. Names are the types, functions and constants that the
 * file uses.
 */
export const cpp: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm',
  query: `
    (preproc_include path: [(string_literal) (system_lib_string)]) @import
    (function_definition declarator: (_) @name) @definition
    (template_declaration (function_definition declarator: (_) @name)) @definition
    ((class_specifier name: (_) @name body: (_)) @definition (#set! kind "type"))
    ((struct_specifier name: (_) @name body: (_)) @definition (#set! kind "type"))
    ((union_specifier name: (_) @name body: (_)) @definition (#set! kind "type"))
    ((enum_specifier name: (_) @name body: (_)) @definition (#set! kind "module"))
    ((template_declaration (class_specifier name: (_) @name body: (_))) @definition (#set! kind "type"))
    ((template_declaration (struct_specifier name: (_) @name body: (_))) @definition (#set! kind "type"))
    ((function_definition type: [(class_specifier !body) (struct_specifier !body)] declarator: (identifier) @name)
      @definition (#set! kind "type"))
    (type_definition declarator: (_) @name) @definition
    ((type_definition type: (_ body: (_)) declarator: (_) @name) @definition (#set! kind "module"))
    (alias_declaration name: (_) @name) @definition
    (template_declaration (alias_declaration name: (_) @name)) @definition
    (concept_definition name: (_) @name) @definition
    (declaration declarator: (_) @name) @definition
    ((declaration type: (_ body: (_)) declarator: (_) @name) @definition (#set! kind "module"))
    (template_declaration (declaration declarator: (_) @name)) @definition
    (field_declaration declarator: (_) @name) @definition
    ((enumerator name: (_) @name) @definition (#set! kind "type"))
    (preproc_def name: (_) @name) @definition
    (preproc_function_def name: (_) @name) @definition
    (type_identifier) @used
    (qualified_identifier scope: (namespace_identifier) @qualifier name: [(identifier) (type_identifier)] @used)
    (qualified_identifier scope: (namespace_identifier) @qualifier name: (template_type name: (_) @used))
    (call_expression function: (identifier) @used)
    (call_expression function: (qualified_identifier name: (identifier) @used))
    (call_expression function: (template_function name: (identifier) @used))
    ((identifier) @used (#match? @used "[A-Z_]"))
    (comment) @preceding`,
  prepare: withoutHeaderNames,
  readImport(node, used) {
    const path = fieldText(node, 'path');
    const specifier = path.slice(1, -1).trim();
    return specifier === '' ? [] : [{ specifier, names: ownNames(used), line: lineOf(node), form: path.slice(0, 1) }];
  },
  // A file that includes a header also gets what the header includes.
  readExports(node) {
    const specifier = fieldText(node, 'path').slice(1, -1).trim();
    return specifier === '' ? [] : [{ name: '*', local: '*', specifier, line: lineOf(node) }];
  },
  readName: declaredName,
  findGroup(definition) {
    const list = definition.type === 'enumerator' ? definition.parent : null;
    const enumeration = list?.parent;
    const around = enumeration?.parent;
    const node = around?.type === 'type_definition' || around?.type === 'declaration' ? around : enumeration;
    return list && node ? { node, list } : undefined;
  },
};

/**
 * The grammar knows no names of headers in conditions, and loses what is below: `#if A && __has_include(<version>)`. Here
 * they become other names of the same length.
 */
function withoutHeaderNames(text: string): string {
  return text.replaceAll(/^[ \t]{0,99}#[ \t]{0,99}(?:el)?if\b.{0,999}/gmu, (condition) =>
    condition.replaceAll(/(?<=\()[<"][^<>"]{0,200}[>"](?=\))/gu, (name) => '_'.repeat(name.length)),
  );
}

/** The used names that are not names of the standard library, which is in no header of the workspace. */
const ownNames = onceForFile((used) => usedExcept(used, 'std'));

const deepestDeclarator = 32;

/** The name inside pointers, arrays, initialisers and parameters: `*f(int)` declares `f`, `A::f()` declares `A.f`. */
function declaredName(declarator: Node): string | undefined {
  let node: Node | null = declarator;
  let owner = '';
  for (let depth = 0; node && depth < deepestDeclarator; depth += 1) {
    if (
      /identifier$|^operator_name$|^destructor_name$|^operator_cast$/u.test(node.type) &&
      node.type !== 'qualified_identifier'
    )
      return `${owner}${node.text}`;
    if (node.type === 'qualified_identifier') {
      // Without `::`, the scope is an attribute macro that the grammar does not recognise.
      const scope = node.childForFieldName('scope');
      const isScope = node.children.some((child) => child?.type === '::' && !child.isMissing);
      if (isScope && scope) owner = `${fieldText(scope, 'name') || scope.text}.`;
      node = node.childForFieldName('name');
    } else if (node.type === 'template_function' || node.type === 'template_type')
      node = node.childForFieldName('name');
    else node = node.childForFieldName('declarator') ?? node.firstNamedChild;
  }
  return undefined;
}
