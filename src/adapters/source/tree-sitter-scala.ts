/** Scala 2 and 3: packages, imports, what a file uses, and definitions of types, objects and extensions (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, fieldText, type Grammar, lineOf, onceForFile, usedExcept } from './tree-sitter-grammar.ts';

/**
 * Forms: `` for one name, `alias N` for one that is called `N` here, `wildcard` for those of a package or object,
 * `package` for each package whose names the file sees, the innermost first. The names of the last two are those that
 * the file uses; `.name` for what is used of something, which an extension can be. `members`: what is used of an
 * imported name, which can be a package.
 */
export const scala: Grammar = {
  wasm: 'tree-sitter-scala/tree-sitter-scala.wasm',
  query: `
    [(compilation_unit) (import_declaration) (export_declaration)] @import
    ((class_definition name: (_) @name) @definition (#set! kind "type"))
    ((trait_definition name: (_) @name) @definition (#set! kind "type"))
    ((object_definition name: (_) @name) @definition (#set! kind "type"))
    ((enum_definition name: (_) @name) @definition (#set! kind "type"))
    (enum_case_definitions (simple_enum_case name: (_) @name)) @definition
    (enum_case_definitions (full_enum_case name: (_) @name)) @definition
    (function_definition name: (_) @name) @definition
    (function_declaration name: (_) @name) @definition
    (given_definition name: (_) @name) @definition
    (type_definition name: (_) @name) @definition
    ([(val_definition pattern: [(identifier) (operator_identifier)] @name)
      (val_definition pattern: (identifiers (identifier) @name))
      (var_definition pattern: (identifier) @name)
      (val_declaration name: (_) @name)
      (var_declaration name: (_) @name)] @definition)
    [(type_identifier) (identifier) (operator_identifier)] @used
    [(field_expression field: (_) @unused)
     (infix_expression operator: (_) @unused)
     (interpolated_string_expression interpolator: (_) @unused)
     (import_declaration (identifier) @unused)
     (export_declaration (identifier) @unused)
     (namespace_selectors (identifier) @unused)
     (arrow_renamed_identifier (_) @unused)
     (as_renamed_identifier (_) @unused)
     (package_identifier (_) @unused)]
    ([(field_expression field: (_) @used)
      (infix_expression operator: (_) @used)
      (interpolated_string_expression interpolator: (_) @used)] (#set! of "."))
    (field_expression value: (identifier) @qualifier field: (_) @used)
    (stable_type_identifier . (identifier) @qualifier . (type_identifier) @used .)
    ([(class_definition name: (_) @used)
      (trait_definition name: (_) @used)
      (object_definition name: (_) @used)
      (enum_definition name: (_) @used)
      (function_definition name: (_) @used)
      (type_definition name: (_) @used)
      (val_definition pattern: (identifier) @used)
      (var_definition pattern: (identifier) @used)
      (parameter name: (_) @used)
      (class_parameter name: (_) @used)
      (binding name: (_) @used)
      (type_parameters name: (_) @used)] (#set! of "#declared"))
    [(comment) (block_comment)] @preceding`,
  // Two backticks mean nothing in Scala, and the grammar takes long for many of them.
  prepare: (text) => text.replaceAll('``', '  '),
  readImport(node, used): ImportStatement[] {
    const names = namesIn(used);
    const line = lineOf(node);
    if (node.type === 'compilation_unit')
      return packagesIn(node)
        .filter((specifier) => specifier !== '' || names.length > 0)
        .map((specifier) => ({ specifier, names, line: 1, form: 'package' }));
    return selectorsOf(node).map(({ path, name, alias }) => {
      if (name === undefined) return { specifier: path, names, line, form: 'wildcard' };
      const members = used(alias ?? name);
      const form = alias === undefined ? {} : { form: `alias ${alias}` };
      const specifier = path === '' ? name : `${path}.${name}`;
      return { specifier, names: [name], line, ...form, ...(members.length > 0 && { members: [[name, members]] }) };
    });
  },
  readExports(node): ExportedName[] {
    if (node.type !== 'export_declaration') return [];
    return selectorsOf(node).map(({ path, name = '*', alias = name }) => ({
      name: alias,
      local: name,
      specifier: path,
      line: lineOf(node),
    }));
  },
  readName: (name, definition) => (isHidden(definition) ? undefined : plainName(name.text)),
  findGroup(definition) {
    const node = definition.parent;
    if (node?.type !== 'extension_definition') return undefined;
    const first = childrenOf(node, 'body').find((child) => child.isNamed);
    return { node, list: node, ...(first && { first }) };
  },
};

/** The names that the file does not declare itself: types and functions first, then what may be extensions. */
const namesIn = onceForFile((used) => {
  const plain = usedExcept(used, '#declared');
  const members = used('.').filter((name) => !ofLibrary.has(name));
  return [...plain.map(plainName), ...members.map((name) => `.${plainName(name)}`)];
});

/** Members of types of the standard library. If a file uses such a name, it seldom means an extension. */
const ofLibrary = new Set(
  `map flatMap filter filterNot withFilter foreach fold foldLeft foldRight reduce exists forall toList toSeq toSet toMap
  toVector toArray toOption toInt toLong toDouble toString isEmpty nonEmpty isDefined size length contains get getOrElse
  orElse collect find head headOption tail last take drop zip mkString sum min max sorted sortBy groupBy apply equals
  hashCode copy == != + - * / % < > <= >= && || :: ::: ++ :+ +: += -= ->`.split(/\s+/u),
);

const mostPackages = 32;

/** `package a.b` and below it `package c`: `a.b.c` and `a.b`. */
function packagesIn(unit: Node): string[] {
  const found: string[] = [];
  const visit = (node: Node, around: string): void => {
    let own = around;
    for (const child of childrenOf(node)) {
      if (found.length >= mostPackages) return;
      const isObject = child.type === 'package_object';
      if (!isObject && child.type !== 'package_clause') continue;
      const name = plainName(fieldText(child, 'name')).replaceAll(/\s/gu, '');
      const path = own === '' ? name : `${own}.${name}`;
      found.push(path);
      const body = child.childForFieldName('body');
      if (body && !isObject) visit(body, path);
      else if (!isObject) own = path;
    }
  };
  visit(unit, '');
  return found.length === 0 ? [''] : [...new Set(found)].reverse();
}

/** `name`: undefined for everything. */
type Selector = { path: string; name?: string; alias?: string };

/** What `import a.B, c.{D, E => F, _}` selects, one by one. */
function selectorsOf(node: Node): Selector[] {
  const found: Selector[] = [];
  let parts: string[] = [];
  const end = (): void => {
    const name = parts.at(-1);
    if (name !== undefined) found.push({ path: parts.slice(0, -1).join('.'), name });
    parts = [];
  };
  const select = (each: Node): void => {
    const path = parts.join('.');
    if (each.type === 'namespace_wildcard') found.push({ path });
    else if (each.type === 'identifier' || each.type === 'operator_identifier')
      found.push({ path, name: plainName(each.text) });
    else if (each.type.endsWith('_renamed_identifier')) {
      const [name, alias] = [plainName(fieldText(each, 'name')), plainName(fieldText(each, 'alias'))];
      if (alias !== '_') found.push({ path, name, alias });
    }
  };
  for (const child of node.children) {
    if (child === null) continue;
    if (child.type === ',') end();
    else if (child.type === 'namespace_selectors' || child.type === 'namespace_wildcard') {
      for (const each of child.type === 'namespace_selectors' ? childrenOf(child) : [child]) select(each);
      parts = [];
    } else if (child.type.endsWith('_renamed_identifier')) {
      select(child);
      parts = [];
    } else if (child.isNamed && !child.type.endsWith('comment')) parts.push(plainName(child.text));
  }
  end();
  return found;
}

const owners = new Set([
  'compilation_unit',
  'package_clause',
  'template_body',
  'enum_body',
  'extension_definition',
  'ERROR',
]);

/** Nothing outside can use private members, and what is declared inside a block. `private[a]` is for a package. */
function isHidden(definition: Node): boolean {
  const owner = definition.parent;
  if (owner === null || !owners.has(owner.type)) return true;
  const isTop = owner.type === 'compilation_unit' || owner.parent?.type === 'package_clause';
  if (isTop) return false;
  const modifiers = childrenOf(definition).flatMap((child) => (child.type === 'modifiers' ? childrenOf(child) : child));
  return modifiers.some((each) => each.type === 'access_modifier' && /^private(?:\[this\])?$/u.test(each.text));
}

/** `` `in` `` as `in`. */
function plainName(text: string): string {
  return text.replaceAll('`', '');
}
