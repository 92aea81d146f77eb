/** Java: imports, the package with the types that are used, and definitions of types and their members (RT-02). */
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, type Grammar, lineOf } from './tree-sitter-grammar.ts';

/**
 * Forms: `` for a type, `wildcard` for the types of a package (or type), `static` for members, `package` for the file's
 * own package. If an import names no types, its names are the types that the file uses.
 */
export const java: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm',
  query: `
    [(import_declaration) (package_declaration)] @import
    ((class_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((interface_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((enum_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((record_declaration name: (identifier) @name) @definition (#set! kind "type"))
    ((annotation_type_declaration name: (identifier) @name) @definition (#set! kind "type"))
    (method_declaration name: (identifier) @name) @definition
    (constructor_declaration name: (identifier) @name) @definition
    (field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition
    (constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition
    (enum_constant name: (identifier) @name) @definition
    (type_identifier) @used
    (method_invocation object: (identifier) @used)
    (field_access object: (identifier) @used)
    (method_reference . (identifier) @used)
    (marker_annotation name: (identifier) @used)
    (annotation name: (identifier) @used)
    [(line_comment) (block_comment)] @preceding`,
  readImport(node, used): ImportStatement[] {
    const children = childrenOf(node);
    const path = children
      .find(({ type }) => type === 'scoped_identifier' || type === 'identifier')
      ?.text.replaceAll(/\s/gu, '');
    if (path === undefined || path === '') return [];
    const line = lineOf(node);
    // Only names that begin like a type. Variables whose members are used are not looked up.
    const types = (): string[] => used('').filter((name) => /^\p{Lu}/u.test(name));
    if (node.type === 'package_declaration') return [{ specifier: path, names: types(), line, form: 'package' }];
    const isStatic = node.children.some((child) => child?.type === 'static');
    const isWildcard = children.some(({ type }) => type === 'asterisk');
    if (isWildcard && isStatic) return [{ specifier: path, names: ['*'], line, form: 'static' }];
    if (isWildcard) return [{ specifier: path, names: types(), line, form: 'wildcard' }];
    const at = path.lastIndexOf('.');
    const last = path.slice(at + 1);
    if (isStatic) return [{ specifier: path.slice(0, Math.max(0, at)), names: [last], line, form: 'static' }];
    return [{ specifier: path, names: [last], line }];
  },
};
