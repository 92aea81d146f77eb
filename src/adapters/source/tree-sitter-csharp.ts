/** C#: `using`, namespaces with the types that are used, and definitions of types and their members (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { afterLast } from '../../texts/after-last.ts';
import { childrenOf, fieldText, type Grammar, lineOf, onceForFile } from './tree-sitter-grammar.ts';

/**
 * Forms: `` for `using A.B`, `static` for the members of a type, `alias N` for what is called `N` here, `namespace` for
 * a namespace that the file declares, `qualified` for a type with its namespace, `file` for the types that the whole
 * file uses, `extension` for the methods that it calls on something, `call` for those that it calls on nothing, which
 * `static` names too. Other names are the types that the file uses.
 */
export const csharp: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm',
  query: `
    [(compilation_unit) (using_directive) (namespace_declaration) (file_scoped_namespace_declaration)] @import
    [(qualified_name) (ERROR)] @import
    ((class_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((struct_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((record_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((interface_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((enum_declaration name: (identifier) @name) @definition (#set! kind "type"))
    (delegate_declaration name: (identifier) @name) @definition
    (method_declaration name: (identifier) @name) @definition
    (constructor_declaration name: (identifier) @name) @definition
    (property_declaration name: (identifier) @name) @definition
    (event_declaration name: (identifier) @name) @definition
    (field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition
    (event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition
    (enum_member_declaration name: (identifier) @name) @definition
    (_ type: (identifier) @used)
    (_ returns: (identifier) @used)
    (_ type: (generic_name (identifier) @used))
    (_ returns: (generic_name (identifier) @used))
    (base_list [(identifier) @used (generic_name (identifier) @used)])
    (type_argument_list [(identifier) @used (generic_name (identifier) @used)])
    (nullable_type (generic_name (identifier) @used))
    (as_expression right: [(identifier) @used (generic_name (identifier) @used)])
    (is_expression right: [(identifier) @used (generic_name (identifier) @used)])
    (constant_pattern (identifier) @used)
    (attribute name: [(identifier) @used (generic_name (identifier) @used)])
    (member_access_expression expression: [(identifier) @used (generic_name (identifier) @used)])
    (invocation_expression
      function: (identifier) @function
      arguments: (argument_list (argument (identifier) @used))
      (#eq? @function "nameof"))
    ([(class_declaration (modifier) @partial name: (identifier) @used)
      (struct_declaration (modifier) @partial name: (identifier) @used)
      (record_declaration (modifier) @partial name: (identifier) @used)
      (interface_declaration (modifier) @partial name: (identifier) @used)]
      (#eq? @partial "partial"))
    (invocation_expression
      function: (member_access_expression
        "." @qualifier
        name: [(identifier) @used (generic_name (identifier) @used)]))
    (invocation_expression
      function: (conditional_access_expression
        (member_binding_expression "." @qualifier name: [(identifier) @used (generic_name (identifier) @used)])))
    (invocation_expression
      function: [(identifier) @used (generic_name (identifier) @used)]
      arguments: (argument_list "(" @qualifier))
    (comment) @preceding`,
  readImport(node, used): ImportStatement[] {
    const line = lineOf(node);
    // If a text has syntax errors, the whole file can be an error node, and a namespace can be only a name.
    if (node.type === 'ERROR' && node.parent !== null) return [];
    if (node.type === 'compilation_unit' || node.type === 'ERROR') {
      const statements = [
        { specifier: '', names: typesIn(used), line, form: 'file' },
        { specifier: '', names: used('.'), line, form: 'extension' },
        { specifier: '', names: used('('), line, form: 'call' },
      ];
      return statements.filter(({ names }) => names.length > 0);
    }
    const isBroken = node.parent?.type === 'ERROR' && node.previousSibling?.type === 'namespace';
    if (node.type === 'qualified_name' && !isBroken) return isOfStatement(node.parent) ? [] : readQualified(node);
    if (node.type !== 'using_directive') {
      const specifier = plainName(isBroken ? node.text : fieldText(node, 'name'));
      return specifier === '' ? [] : [{ specifier, names: typesIn(used), line, form: 'namespace' }];
    }
    const specifier = plainName(childrenOf(node).at(-1)?.text ?? '');
    if (specifier === '') return [];
    const alias = fieldText(node, 'name');
    if (alias !== '') return [{ specifier, names: [afterLast(specifier, '.')], line, form: `alias ${alias}` }];
    const isStatic = node.children.some((child) => child?.type === 'static');
    if (isStatic) return [{ specifier, names: used('('), line, form: 'static' }];
    return [{ specifier, names: typesIn(used), line }];
  },
  readName: (name, definition) => (isHidden(definition) ? undefined : name.text),
};

/** The names that begin like a type. Variables whose members are used are not looked up. */
const typesIn = onceForFile((used) => used('').filter((name) => /^\p{Lu}/u.test(name)));

const owners = new Set(['class_declaration', 'struct_declaration', 'record_declaration']);
const access = new Set(['public', 'protected', 'internal']);

/** Attributes and modifiers come before these children of a definition. */
const mostModifiers = 8;

/**
 * Nothing outside can use private members, which are those that say nothing else. Those with attributes may be for a
 * tool, such as the fields of a Unity script, and those of a partial class are for its other files.
 */
function isHidden(definition: Node): boolean {
  const owner = definition.parent?.parent;
  if (!owner || !owners.has(owner.type)) return false;
  if (isType(definition) || modifiersOf(owner).includes('partial')) return false;
  return !modifiersOf(definition).some((word) => access.has(word) || word === 'attribute_list');
}

function isType({ type }: Node): boolean {
  return /^(?:class|struct|record|interface|enum|delegate)_/u.test(type);
}

/** The modifiers of a definition, and the types of other children among the first. */
function modifiersOf(node: Node): string[] {
  const words: string[] = [];
  for (let at = 0; at < mostModifiers; at += 1) {
    const child = node.namedChild(at);
    if (child) words.push(child.type === 'modifier' ? child.text : child.type);
  }
  return words;
}

/** Whether a name is part of a `using`, of a namespace declaration, or of a longer name. */
function isOfStatement(parent: Node | null): boolean {
  return parent === null || /^(?:qualified_name|using_directive|.*namespace_declaration)$/u.test(parent.type);
}

function readQualified(node: Node): ImportStatement[] {
  const specifier = plainName(fieldText(node, 'qualifier'));
  const name = plainName(fieldText(node, 'name'));
  if (specifier === '' || name === '') return [];
  return [{ specifier, names: [name], line: lineOf(node), form: 'qualified' }];
}

/** `global::A.B<C>` as `A.B`. Empty if it is no name. */
function plainName(text: string): string {
  const name = text
    .replace(/^global::/u, '')
    .split('<', 1)[0]
    ?.replaceAll(/[\s@]/gu, '');
  return name !== undefined && /^[\p{L}\p{N}_.]+$/u.test(name) ? name : '';
}
