/** Lua: `require` and similar calls with a literal name, what is used of the modules, and definitions (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, fieldText, type Grammar, lineOf, type UsedNames } from './tree-sitter-grammar.ts';

const field = '(field name: (identifier) @name value: [(function_definition) (table_constructor) (string) (number)])';

/**
 * The form is `file` for a path, `own` for what a name says below the file's own module, and else a module. Names are what
 * the file uses of the module by the variable that has it, and `members` what it uses of these.
 */
export const lua: Grammar = {
  wasm: '@tree-sitter-grammars/tree-sitter-lua/tree-sitter-lua.wasm',
  query: `
    ((function_call name: (identifier) @keyword) @import
      (#any-of? @keyword "require" "dofile" "loadfile" "pcall" "xpcall"))
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
    ((chunk (return_statement (expression_list . (table_constructor ${field} @definition)))) (#set! kind "field"))
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
    const found = requiredBy(node);
    if (found === undefined || found.form !== undefined) return [];
    const exported = { local: '*', specifier: found.specifier, line: lineOf(node) };
    const { parent } = node;
    if (parent?.type === 'field') {
      const name = fieldText(parent, 'name');
      // What a table does not have itself.
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

/** What a module that is called as a function has. */
const called = ['__call', 'new'];

/** What the file calls, made once for a file. */
function calledIn(used: UsedNames): ReadonlySet<string> {
  const known = calls.get(used) ?? new Set([...used(''), ...used('called')]);
  calls.set(used, known);
  return known;
}

const calls = new WeakMap<UsedNames, ReadonlySet<string>>();

function membersOf(members: readonly (readonly [string, readonly string[]])[]): Pick<ImportStatement, 'members'> {
  const some = members.filter(([, names]) => names.length > 0);
  return some.length === 0 ? {} : { members: some };
}

/** Of what makes objects, also the methods that are called on some object. */
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
  if (named === undefined || !/^(?:require|dofile|loadfile)$/u.test(keyword ?? '')) return undefined;
  const form = keyword === 'require' ? undefined : 'file';
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

/** `first`: `a` of `require('x').a`. `variable`: which one has the module, or what is used of it. */
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

/** Whether a field is of the table that the file returns, or of one at its top. */
function isReturned(node: Node): boolean {
  const statement = node.parent?.parent?.parent;
  const top = statement?.type === 'assignment_statement' ? statement.parent : statement;
  return top?.parent?.type === 'chunk';
}
