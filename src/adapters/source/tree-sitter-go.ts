/** Go: imports with the used names of each package, and definitions of packages (RT-02). */
import { childrenOf, fieldText, type Grammar, lineOf, onceForFile, usedExcept } from './tree-sitter-grammar.ts';

/**
 * The form of an import is its given name: an alias, `.`, `_`, or empty. Without an alias, the last part of the path,
 * without a version, counts as the package's name. If the package has another name, the import has no names. The form
 * `package` stands for the file's own package. Its names are those that the file uses; `.name` for what is used of a
 * value.
 */
export const go: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm',
  query: `
    [(package_clause) (import_spec)] @import
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
    [(identifier) (type_identifier)] @used
    (composite_literal
      type: [(type_identifier) (qualified_type) (generic_type)]
      body: (literal_value (keyed_element . (literal_element (identifier) @unused))))
    (literal_element (literal_value (keyed_element . (literal_element (identifier) @unused))))
    (qualified_type name: (type_identifier) @unused)
    ((selector_expression field: (field_identifier) @used) (#set! of "."))
    ([(short_var_declaration left: (expression_list (identifier) @used))
      (range_clause left: (expression_list (identifier) @used))
      (parameter_declaration name: (identifier) @used)
      (type_parameter_declaration name: (identifier) @used)
      (function_declaration name: (identifier) @used)
      (type_spec name: (type_identifier) @used)
      (type_alias name: (type_identifier) @used)
      (const_spec name: (identifier) @used)
      (var_spec name: (identifier) @used)] (#set! of "declared"))
    (comment) @preceding`,
  readImport(node, used) {
    if (node.type === 'package_clause') {
      const [name] = childrenOf(node);
      return name ? [{ specifier: name.text, names: namesIn(used), line: lineOf(node), form: 'package' }] : [];
    }
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

/** The names that the file does not declare itself, for example as variables. */
const namesIn = onceForFile((used) => {
  const names = usedExcept(used, 'declared').filter((name) => name !== '_');
  return [...names, ...used('.').map((name) => `.${name}`)];
});

function packageName(path: string): string {
  const parts = path.split('/');
  const last = parts.at(-1) ?? '';
  return (/^v\d+$/u.test(last) ? parts.at(-2) : last)?.replace(/^go-|[.-]go$|\.v\d+$/gu, '') ?? last;
}
