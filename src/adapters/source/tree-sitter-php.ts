/** PHP: `use`, names that code uses in full or of its namespace, `require`, and definitions (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { afterLast } from '../../texts/after-last.ts';
import { childrenOf, fieldText, type Grammar, lineOf, onceForFile, type UsedNames } from './tree-sitter-grammar.ts';
import { readRequiredPath } from './tree-sitter-php-paths.ts';

/**
 * Forms: none for a class of a `use`, `function` and `const` for one of these, `qualified` and `qualified-function` for
 * what code names in full, `namespace` for the classes that the file uses without a qualifier, `functions` for such
 * functions, `require` for a path, `require-guess` for a path of which only the end is known. Names without a backslash
 * in front are full all the same. The traits that a class uses count as members, so that they are shown.
 */
export const php: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm',
  query: `
    [(program) (ERROR)] @import
    [(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
    ((class_declaration name: (name) @name) @definition (#set! kind "type"))
    ((interface_declaration name: (name) @name) @definition (#set! kind "type"))
    ((trait_declaration name: (name) @name) @definition (#set! kind "type"))
    ((enum_declaration name: (name) @name) @definition (#set! kind "type"))
    (function_definition name: (name) @name) @definition
    (method_declaration name: (name) @name) @definition
    (property_declaration (property_element name: (variable_name (name) @name))) @definition
    (const_declaration (const_element . (name) @name)) @definition
    (enum_case name: (name) @name) @definition
    (use_declaration . [(name) (qualified_name)] @name) @definition
    ((expression_statement (function_call_expression function: (name) @function
      arguments: (arguments . (argument (string (string_content) @name))))) @definition (#eq? @function "define"))
    (named_type (name) @used)
    (base_clause (name) @used)
    (class_interface_clause (name) @used)
    (use_declaration (name) @used)
    (attribute (name) @used)
    (object_creation_expression (name) @used)
    (class_constant_access_expression . (name) @used)
    (scoped_call_expression scope: (name) @used)
    (scoped_property_access_expression scope: (name) @used)
    (binary_expression operator: "instanceof" right: (name) @used)
    ((function_call_expression function: (name) @used) (#set! of "function"))
    ((name) @used (#match? @used "^[A-Z][A-Z0-9_]+$") (#set! of "constant"))
    (comment) @preceding`,
  readImport(node, used): ImportStatement[] {
    if (node.type === 'ERROR' || node.type === 'program') return node.parent === null ? readFile(node, used) : [];
    const path = readRequiredPath(node);
    if (path === undefined) return [];
    const form = path.isGuess ? 'require-guess' : 'require';
    return [{ specifier: path.specifier, names: allNames(used), line: lineOf(node), form }];
  },
  readName: (name, definition) => (isHidden(definition) ? undefined : name.text),
};

/** Attributes and modifiers come before these children of a definition. */
const mostModifiers = 6;

/**
 * Nothing outside can use private members of a class, except by their attributes, such as the columns of an entity.
 * Those of a trait belong to the classes that use it. Members of a class without a name are of no use either.
 */
function isHidden(definition: Node): boolean {
  const owner = definition.parent?.parent?.type;
  if (owner === 'anonymous_class') return true;
  const types: string[] = [];
  for (let at = 0; at < mostModifiers; at += 1) {
    const child = definition.namedChild(at);
    if (child) types.push(child.type === 'visibility_modifier' ? child.text : child.type);
  }
  return types.includes('private') && !types.includes('attribute_list') && owner !== 'trait_declaration';
}

/** All names that a required file may define. */
const allNames = onceForFile((used) => [
  ...new Set([...used(''), ...used('function'), ...used('constant')].filter((name) => !ownWords.has(name))),
]);

const ownWords = new Set(['self', 'static', 'parent', 'define', '__DIR__', '__FILE__', '__CLASS__', '__NAMESPACE__']);

/** One name of a `use`. */
type Use = { full: string; alias: string; kind: 'type' | 'function' | 'const'; line: number };

function readFile(root: Node, used: UsedNames): ImportStatement[] {
  const found = root.descendantsOfType([
    'namespace_definition',
    'namespace_use_declaration',
    'qualified_name',
    'relative_name',
  ]);
  const nodes = found.filter((node) => node !== null);
  const namespaces = nodes.filter(({ type }) => type === 'namespace_definition');
  const uses = nodes.filter(({ type }) => type === 'namespace_use_declaration').flatMap(readUse);
  const aliases = new Map(uses.filter(({ kind }) => kind === 'type').map(({ alias, full }) => [alias, full]));
  const functions = new Set(uses.filter(({ kind }) => kind === 'function').map(({ alias }) => alias));
  const own = namespaces.map((node) => ({ specifier: fieldText(node, 'name'), line: lineOf(node) }));
  if (own.length === 0) own.push({ specifier: '', line: 1 });
  const types = used('').filter((name) => !aliases.has(name) && !ownWords.has(name.toLowerCase()));
  const called = used('function').filter((name) => !functions.has(name));
  const { statements, prefixes } = readQualified(nodes, { aliases, own: own[0]?.specifier ?? '' });
  const plain = new Set(used(''));
  const classes = own.map((each) => ({ ...each, names: types, form: 'namespace' }));
  const calls = own.map((each) => ({ ...each, names: called, form: 'functions' }));
  return [
    // A namespace also shows where others are.
    ...(types.length > 0 || namespaces.length > 0 ? classes : []),
    // `use A\B as C` means no class if the file uses only `C\D`.
    ...uses.filter(({ alias, kind }) => kind !== 'type' || plain.has(alias) || !prefixes.has(alias)).map(statementOf),
    ...statements,
    ...(called.length > 0 ? calls : []),
  ];
}

function statementOf({ full, kind, line }: Omit<Use, 'alias'>): ImportStatement {
  return { specifier: full, names: [afterLast(full, '\\')], line, ...(kind !== 'type' && { form: kind }) };
}

/** `use A\B, C as D`, `use function A\f`, `use A\{B, function f}`. */
function readUse(node: Node): Use[] {
  const line = lineOf(node);
  const prefix = childrenOf(node).find(({ type }) => type === 'namespace_name')?.text;
  const group = node.childForFieldName('body');
  const parts = childrenOf(group ?? node);
  // To the grammar, a comma before the closing brace is an error: a name without text.
  const isComplete = !node.hasError || (group?.text.endsWith('}') && !parts.some((each) => each.hasError && each.text));
  const clauses = parts.filter(({ type, text }) => type === 'namespace_use_clause' && text !== '');
  // Without braces, `function` or `const` before the first name applies to all names.
  const ofAll = isComplete ? kindOf(group ? node : clauses[0]) : 'type';
  return clauses.flatMap((clause) => {
    const name = childrenOf(clause).find(({ type }) => type === 'qualified_name' || type === 'name');
    // While a `use` is being typed, the next function can look like a part of it.
    if (name === undefined || (!isComplete && kindOf(clause) !== 'type')) return [];
    const full = withoutSlash(`${prefix === undefined ? '' : `${withoutSlash(prefix)}\\`}${name.text}`);
    const alias = fieldText(clause, 'alias') || afterLast(full, '\\');
    return [{ full, alias, kind: ofAll === 'type' ? kindOf(clause) : ofAll, line }];
  });
}

function kindOf(node: Node | undefined): Use['kind'] {
  const word = node && fieldText(node, 'type').toLowerCase();
  return word === 'function' || word === 'const' ? word : 'type';
}

/** Names that are written with a backslash, each once, and the aliases that they begin with. */
function readQualified(
  nodes: readonly Node[],
  { aliases, own }: { aliases: ReadonlyMap<string, string>; own: string },
): { statements: ImportStatement[]; prefixes: Set<string> } {
  const found = new Map<string, ImportStatement>();
  const prefixes = new Set<string>();
  const below = own === '' ? '' : `${own}\\`;
  for (const node of nodes) {
    if (node.type !== 'qualified_name' && node.type !== 'relative_name') continue;
    const { parent, text } = node;
    if (parent?.type === 'namespace_use_clause') continue;
    const [first = '', ...rest] = text.split('\\');
    const alias = aliases.get(first);
    if (alias !== undefined) prefixes.add(first);
    const full =
      first === '' ? rest.join('\\') : node.type === 'relative_name' ? `${below}${rest.join('\\')}` : `${below}${text}`;
    const specifier = alias === undefined ? full : `${alias}\\${rest.join('\\')}`;
    const form = parent?.type === 'function_call_expression' ? 'qualified-function' : 'qualified';
    const key = `${form} ${specifier}`;
    if (!found.has(key)) found.set(key, { specifier, names: [afterLast(specifier, '\\')], line: lineOf(node), form });
  }
  return { statements: [...found.values()], prefixes };
}

function withoutSlash(name: string): string {
  return name.startsWith('\\') ? name.slice(1) : name;
}
