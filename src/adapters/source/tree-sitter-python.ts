/** Python: imports anywhere in a file, and definitions of modules and classes (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, fieldText, type Grammar, lineOf, type UsedNames } from './tree-sitter-grammar.ts';

/**
 * `import a.b` has the form `import`, and as names the used attributes of `a.b`. `from .a import b` has the form
 * `from`.
 */
export const python: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm',
  query: `
    [(import_statement) (import_from_statement)] @import
    (function_definition name: (identifier) @name) @definition
    (decorated_definition definition: (function_definition name: (identifier) @name)) @definition
    ((class_definition name: (identifier) @name) @definition (#set! kind "type"))
    ((decorated_definition definition: (class_definition name: (identifier) @name)) @definition (#set! kind "type"))
    (expression_statement (assignment left: (identifier) @name)) @definition
    (expression_statement (assignment left: (pattern_list (identifier) @name))) @definition
    (type_alias_statement left: (type (identifier) @name)) @definition
    (attribute object: [(identifier) (attribute)] @qualifier attribute: (identifier) @used)
    (comment) @preceding`,
  readImport: (node, used) => (node.type === 'import_statement' ? readPlain(node, used) : readFrom(node)),
  readExports: (node) => (node.type === 'import_statement' ? [] : exportsOf(node)),
  findDocumentation(body) {
    const first = body.firstNamedChild;
    const inner = first?.type === 'expression_statement' ? first.firstNamedChild : undefined;
    return inner?.type === 'string' ? inner : undefined;
  },
};

function readPlain(node: Node, used: UsedNames): ImportStatement[] {
  return childrenOf(node, 'name').map((child) => {
    const isAliased = child.type === 'aliased_import';
    const specifier = isAliased ? fieldText(child, 'name') : child.text;
    const names = used(isAliased ? fieldText(child, 'alias') : specifier);
    return { specifier: withoutSpace(specifier), names, line: lineOf(node), form: 'import' };
  });
}

function readFrom(node: Node): ImportStatement[] {
  const specifier = withoutSpace(fieldText(node, 'module_name'));
  const isWildcard = childrenOf(node).some(({ type }) => type === 'wildcard_import');
  const listed = childrenOf(node, 'name').map((child) =>
    child.type === 'aliased_import' ? fieldText(child, 'name') : child.text,
  );
  if (specifier === '' || (!isWildcard && listed.length === 0)) return [];
  return [{ specifier, names: isWildcard ? ['*'] : listed, line: lineOf(node), form: 'from' }];
}

/** Everything that a module imports can be imported from it. */
function exportsOf(node: Node): ExportedName[] {
  const line = lineOf(node);
  return readFrom(node).flatMap(({ specifier, names }) => {
    if (names[0] === '*') return [{ name: '*', local: '*', specifier, line }];
    return childrenOf(node, 'name').map((child, index) => {
      const local = names[index] ?? child.text;
      return { name: child.type === 'aliased_import' ? fieldText(child, 'alias') : local, local, specifier, line };
    });
  });
}

/** `a . b` is valid Python. */
function withoutSpace(dotted: string): string {
  return dotted.replaceAll(/[\s\\]/gu, '');
}
