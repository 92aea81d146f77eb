/** Python: imports anywhere in a file, and definitions of modules and classes (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, fieldText, type Grammar, lineOf, type UsedNames } from './tree-sitter-grammar.ts';

/**
 * `import a.b` has the form `import`, and as names the used attributes of `a.b`. `from .a import b` has the form
 * `from`. In both, each name has as members what is used of it, also in quoted annotations. `fixtures` has the
 * parameters of all functions, without functions of the file: pytest finds the fixtures of these names.
 */
export const python: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm',
  query: `
    [(module) (import_statement) (import_from_statement)] @import
    (function_definition name: (identifier) @name) @definition
    (decorated_definition definition: (function_definition name: (identifier) @name)) @definition
    ((class_definition name: (identifier) @name) @definition (#set! kind "type"))
    ((decorated_definition definition: (class_definition name: (identifier) @name)) @definition (#set! kind "type"))
    (expression_statement (assignment left: (identifier) @name)) @definition
    (expression_statement (assignment left: (pattern_list (identifier) @name))) @definition
    (type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition
    (attribute object: [(identifier) (attribute)] @qualifier attribute: (identifier) @used)
    ((parameters [(identifier) @used (typed_parameter . (identifier) @used)]) (#set! of "parameter"))
    ((function_definition name: (identifier) @used) (#set! of "declared"))
    (type (string) @inside)
    (comment) @preceding`,
  readImport(node, used) {
    if (node.type === 'import_statement') return readPlain(node, used);
    if (node.type === 'import_from_statement') return readFrom(node, used);
    const own = new Set(used('declared'));
    const names = used('parameter').filter((name) => !own.has(name));
    return names.length === 0 ? [] : [{ specifier: 'conftest', names, line: 1, form: 'fixtures' }];
  },
  readExports(node) {
    if (node.type === 'module') return childrenOf(node).flatMap(valuesMadeBy);
    return node.type === 'import_from_statement' ? exportsOf(node) : [];
  },
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
    const local = isAliased ? fieldText(child, 'alias') : specifier;
    const names = used(local);
    const members = membersOf(names.map((name) => [name, used(`${local}.${name}`)]));
    return { specifier: withoutSpace(specifier), names, ...members, line: lineOf(node), form: 'import' };
  });
}

function readFrom(node: Node, used: UsedNames): ImportStatement[] {
  const specifier = withoutSpace(fieldText(node, 'module_name'));
  const isWildcard = childrenOf(node).some(({ type }) => type === 'wildcard_import');
  const listed = childrenOf(node, 'name').map((child) => {
    const isAliased = child.type === 'aliased_import';
    return [
      isAliased ? fieldText(child, 'name') : child.text,
      isAliased ? fieldText(child, 'alias') : child.text,
    ] as const;
  });
  if (specifier === '' || (!isWildcard && listed.length === 0)) return [];
  const names = isWildcard ? ['*'] : listed.map(([name]) => name);
  const members = membersOf([
    ...listed.map(([name, local]) => [name, used(local)] as const),
    // What is used of a module can have members, too.
    ...listed.flatMap(([, local]) => used(local).map((each) => [each, used(`${local}.${each}`)] as const)),
  ]);
  return [{ specifier, names, ...members, line: lineOf(node), form: 'from' }];
}

/** Each name can be a module. The first of two with the same name counts. */
function membersOf(used: (readonly [name: string, members: readonly string[]])[]): Pick<ImportStatement, 'members'> {
  const members = new Map<string, readonly string[]>();
  for (const [name, all] of used) if (all.length > 0 && !members.has(name)) members.set(name, all);
  return members.size > 0 ? { members: [...members] } : {};
}

/** Everything that a module imports can be imported from it. */
function exportsOf(node: Node): ExportedName[] {
  const line = lineOf(node);
  return readFrom(node, () => []).flatMap(({ specifier, names }) => {
    if (names[0] === '*') return [{ name: '*', local: '*', specifier, line }];
    return childrenOf(node, 'name').map((child, index) => {
      const local = names[index] ?? child.text;
      return { name: child.type === 'aliased_import' ? fieldText(child, 'alias') : local, local, specifier, line };
    });
  });
}

/** `cart = Cart()` and `cart = Cart.open()`. Only classes begin with a capital letter. */
function valuesMadeBy(statement: Node): ExportedName[] {
  const assignment = statement.type === 'expression_statement' ? statement.firstNamedChild : undefined;
  const [left, right] = [assignment?.childForFieldName('left'), assignment?.childForFieldName('right')];
  if (assignment?.type !== 'assignment' || left?.type !== 'identifier' || right?.type !== 'call') return [];
  const called = right.childForFieldName('function');
  const maker = called?.type === 'attribute' ? called.childForFieldName('object') : called;
  if (maker?.type !== 'identifier' || !/^_?\p{Lu}/u.test(maker.text)) return [];
  return [{ name: left.text, local: maker.text, madeFrom: 'class', line: lineOf(statement) }];
}

/** `a . b` is valid Python. */
function withoutSpace(dotted: string): string {
  return dotted.replaceAll(/[\s\\]/gu, '');
}
