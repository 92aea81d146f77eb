/** Lua: `require` and similar calls with a literal name, what is used of the modules, and definitions (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, fieldText, type Grammar, lineOf, onceForFile, type UsedNames } from './tree-sitter-grammar.ts';

const values = '(function_definition) (table_constructor) (function_call) (string) (number) (true) (false)';
const field = `(field name: (identifier) @name value: [${values}])`;
/** `reload_module` and others are functions of projects that load a module as `require` does. */
const requiring = ['require', 'prequire', 'safe_require', 'try_require', 'reload_module'];
const loading = ['dofile', 'loadfile'];

/**
 * The form is `file` for a path, `own` for what a name says below the file's own module, and else a module. Names are
 * what the file uses of the module by the variable that has it, and `members` what it uses of these.
 */
export const lua: Grammar = {
  wasm: '@tree-sitter-grammars/tree-sitter-lua/tree-sitter-lua.wasm',
  query: `
    ((function_call name: (identifier) @keyword) @import
      (#any-of? @keyword ${[...requiring, ...loading].map((each) => `"${each}"`).join(' ')} "pcall" "xpcall"))
    (chunk (return_statement) @import)
    (function_declaration name: [
      (identifier) @name
      (dot_index_expression field: (identifier) @name)
      (method_index_expression method: (identifier) @name)]) @definition
    (assignment_statement (variable_list . (dot_index_expression field: (identifier) @name))
      (expression_list . (function_definition body: (block) @body))) @definition
    (assignment_statement (variable_list . (dot_index_expression field: (identifier) @name))) @definition
    ((chunk (variable_declaration (assignment_statement
      (variable_list . (identifier) @name) (expression_list . (table_constructor)))) @definition) (#set! kind "module"))
    ((chunk (variable_declaration (assignment_statement
      (expression_list . (table_constructor ${field} @definition))))) (#set! kind "field"))
    ((chunk (return_statement (expression_list . [
      (table_constructor ${field} @definition)
      (function_call arguments: (arguments (table_constructor ${field} @definition)))]))) (#set! kind "field"))
    (dot_index_expression table: [(identifier) (dot_index_expression table: (identifier))] @qualifier
      field: (identifier) @used)
    (method_index_expression table: [(identifier) (dot_index_expression table: (identifier))] @qualifier
      method: (identifier) @used)
    ((method_index_expression method: (identifier) @used) (#set! of ":"))
    (function_call name: (identifier) @used)
    ((function_call name: (dot_index_expression) @used) (#set! of "called"))
    (comment) @preceding`,
  readImport(node, used): ImportStatement[] {
    const found = requiredBy(node);
    if (found === undefined) return [];
    const { specifier, form, isCaught } = found;
    const { first, variable } = usesOf(node, isCaught ? 1 : 0);
    const line = lineOf(node);
    const given = { specifier, line, ...(form !== undefined && { form }) };
    const usesOfValue = (text: string): readonly string[] =>
      calledIn(used).has(text) ? [...used(text), ...called] : used(text);
    const direct = variable === undefined ? [] : usesOfValue(variable);
    if (first !== undefined) return [{ ...given, names: [first], ...membersOf([[first, direct]]) }];
    const members = direct.map((name): [string, readonly string[]] => [name, usesOfValue(`${variable}.${name}`)]);
    return [{ ...given, names: withMethods(direct, used), ...membersOf(members) }];
  },
  readExports(node): ExportedName[] {
    if (node.type === 'return_statement') return returnedBy(node);
    const found = requiredBy(node);
    if (found === undefined || found.form !== undefined) return [];
    const exported = { local: '*', specifier: found.specifier, line: lineOf(node) };
    const { parent } = node;
    if (parent?.type === 'field') {
      const name = fieldText(parent, 'name');
      // `__index` has the fields that the table itself does not have.
      if (name === '__index') return [{ name: '*', ...exported }];
      return isReturned(parent) ? [{ name, ...exported }] : [];
    }
    if (parent?.type !== 'expression_list') return [];
    if (parent.parent?.type === 'return_statement' && parent.parent.parent?.type === 'chunk')
      return [{ name: '*', ...exported }];
    const variable = variableOf(node, 0);
    return variable?.type === 'dot_index_expression' ? [{ name: fieldText(variable, 'field'), ...exported }] : [];
  },
};

/** If a module is called as a function, it has one of these. */
const called = ['__call', 'new'];

const calledIn = onceForFile((used): ReadonlySet<string> => new Set([...used(''), ...used('called')]));

function membersOf(members: readonly (readonly [string, readonly string[]])[]): Pick<ImportStatement, 'members'> {
  const some = members.filter(([, names]) => names.length > 0);
  return some.length === 0 ? {} : { members: some };
}

/** If the file uses something that makes objects, adds the methods that it calls on any object. */
function withMethods(direct: readonly string[], used: UsedNames): readonly string[] {
  if (!direct.some((name) => name === 'new' || name === 'extend' || name === 'create')) return direct;
  return [...new Set([...direct, ...used(':')])];
}

type Required = { specifier: string; form?: string; isCaught: boolean };

function requiredBy(node: Node): Required | undefined {
  const given = node.childForFieldName('arguments');
  const parts = given ? childrenOf(given) : [];
  const isCaught = /^x?pcall$/u.test(fieldText(node, 'name'));
  const keyword = isCaught ? parts[0]?.text : fieldText(node, 'name');
  const named = isCaught ? parts.at(-1) : parts[0];
  if (named === undefined || keyword === undefined) return undefined;
  const form = loading.includes(keyword) ? 'file' : undefined;
  if (form === undefined && !requiring.includes(keyword)) return undefined;
  if (named.type === 'binary_expression' && named.firstNamedChild?.type === 'vararg_expression') {
    const below = textOf(named.lastNamedChild ?? named);
    return below === undefined ? undefined : { specifier: below, form: 'own', isCaught };
  }
  const specifier = textOf(named);
  return specifier ? { specifier, ...(form !== undefined && { form }), isCaught } : undefined;
}

/** The text of a string without escapes. */
function textOf(node: Node): string | undefined {
  const content = node.type === 'string' ? node.childForFieldName('content') : null;
  return content === null || content.text.includes('\\') ? undefined : content.text;
}

/** `first`: `a` of `require('x').a`. `variable`: the variable that gets the module, or `first` of it. */
function usesOf(node: Node, offset: number): { first?: string; variable?: string } {
  const { parent } = node;
  const isUsed = parent?.type === 'dot_index_expression' || parent?.type === 'method_index_expression';
  const first = isUsed ? fieldText(parent, 'field') || fieldText(parent, 'method') : undefined;
  const variable = variableOf(first === undefined ? node : (parent ?? node), offset)?.text;
  return { ...(first !== undefined && { first }), ...(variable !== undefined && { variable }) };
}

/** The variable to which a value is assigned. */
function variableOf(value: Node, offset: number): Node | undefined {
  const list = value.parent;
  if (list?.type !== 'expression_list' || list.parent?.type !== 'assignment_statement') return undefined;
  const at = childrenOf(list).findIndex(({ id }) => id === value.id);
  const variables = list.parent.namedChildren.find((each) => each?.type === 'variable_list');
  return variables ? childrenOf(variables)[at + offset] : undefined;
}

/** Whether a field belongs to the table that the file returns, or to another table at the top of the file. */
function isReturned(node: Node): boolean {
  const statement = node.parent?.parent?.parent;
  const top = statement?.type === 'assignment_statement' ? statement.parent : statement;
  return top?.parent?.type === 'chunk';
}

/** Fields of the returned table that are something of the file, or of a module that it requires. */
function returnedBy(statement: Node): ExportedName[] {
  const [table] = childrenOf(statement.firstNamedChild ?? statement);
  if (table?.type !== 'table_constructor') return [];
  const modules = statement.parent ? requiredVariables(statement.parent) : new Map<string, string>();
  return childrenOf(table).flatMap((each): ExportedName[] => {
    const value = each.childForFieldName('value');
    const name = fieldText(each, 'name');
    if (value === null || name === '') return [];
    const line = lineOf(each);
    if (value.type === 'identifier') return [{ name, local: value.text, line }];
    if (value.type !== 'dot_index_expression') return [];
    const specifier = modules.get(fieldText(value, 'table'));
    return [{ name, local: fieldText(value, 'field'), line, ...(specifier !== undefined && { specifier }) }];
  });
}

/** The modules that variables at the top of a file have. */
function requiredVariables(chunk: Node): Map<string, string> {
  const found = new Map<string, string>();
  for (const declaration of childrenOf(chunk)) {
    const [variables, values] = childrenOf(declaration.firstNamedChild ?? declaration);
    if (declaration.type !== 'variable_declaration' || variables === undefined || values === undefined) continue;
    const names = childrenOf(variables);
    for (const [at, value] of childrenOf(values).entries()) {
      const required = value.type === 'function_call' ? requiredBy(value) : undefined;
      const name = names[at]?.text;
      if (required?.form === undefined && required && name !== undefined) found.set(name, required.specifier);
    }
  }
  return found;
}
