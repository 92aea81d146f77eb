/** Go: imports with the used names of each package, and definitions of packages (RT-02). */
import { fieldText, type Grammar, lineOf } from './tree-sitter-grammar.ts';

/**
 * The form of an import is its given name: an alias, `.`, `_`, or empty. Without an alias, the last part of the path,
 * without a version, counts as the package's name. If the package has another name, the import has no names.
 */
export const go: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm',
  query: `
    (import_spec) @import
    (function_declaration name: (identifier) @name) @definition
    (method_declaration name: (field_identifier) @name) @definition
    (type_spec name: (type_identifier) @name) @definition
    (type_alias name: (type_identifier) @name) @definition
    (type_declaration . [(type_spec name: (_) @name) (type_alias name: (_) @name)] .) @definition
    (const_spec name: (identifier) @name) @definition
    (const_declaration . (const_spec name: (identifier) @name) .) @definition
    (var_spec name: (identifier) @name) @definition
    (var_declaration . (var_spec name: (identifier) @name) .) @definition
    (selector_expression operand: (identifier) @qualifier field: (field_identifier) @used)
    (qualified_type package: (package_identifier) @qualifier name: (type_identifier) @used)
    (comment) @preceding`,
  readImport(node, used) {
    const specifier = fieldText(node, 'path').slice(1, -1);
    if (specifier === '') return [];
    const form = fieldText(node, 'name');
    const names = form === '.' ? ['*'] : form === '_' ? [] : used(form || packageName(specifier));
    return [{ specifier, names, line: lineOf(node), form }];
  },
  readName(name, definition) {
    if (definition.type !== 'method_declaration') return name.text;
    const receiver = definition.childForFieldName('receiver')?.descendantsOfType('type_identifier')[0]?.text;
    return receiver === undefined ? name.text : `${receiver}.${name.text}`;
  },
  findGroup(definition) {
    const list = /_(?:spec|alias)$/u.test(definition.type) ? definition.parent : null;
    const node = list?.type === 'var_spec_list' ? list.parent : list;
    return list && node ? { node, list } : undefined;
  },
};

function packageName(path: string): string {
  const parts = path.split('/');
  const last = parts.at(-1) ?? '';
  return (/^v\d+$/u.test(last) ? parts.at(-2) : last)?.replace(/^go-|[.-]go$|\.v\d+$/gu, '') ?? last;
}
