/** Finds every form of import in TypeScript or JavaScript, and the exported names. */
import {
  type BindingPattern,
  type CallExpression,
  type ImportDeclaration,
  type Node,
  type Program,
  Visitor,
} from 'oxc-parser';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';
import { angularFiles } from './oxc-angular.ts';
import { unknownNames } from './oxc-markup.ts';
import { boundNames, exportedBy, type Form, loadedModule, nameOf, unwrapped } from './oxc-nodes.ts';
import { findOrigins } from './oxc-origins.ts';

type Found = { specifier: string; names: Set<string>; members: Map<string, Set<string>>; start: number; form: Form };
/**
 * A local name for something of another module; `*` means the whole module. A whole module from CommonJS is `default`,
 * because the module usually replaces its exports by one value.
 */
type Binding = { specifier: string; name: string };
/** An exported name. `local`: its name where it is defined, which is this file, or the module of `specifier`. */
type Exported = { name: string; start: number; local: string; specifier?: string };

/** `Card.Root` in markup. */
const memberUse = /(?<![\w$.])([\w$]{1,100})\.([\w$]{1,100})/gu;

/** The imports and exports of one file. */
function createFileImports(lineOf: (offset: number) => number) {
  return {
    lineOf,
    found: [] as Found[],
    exports: [] as ExportedName[],
    bindings: new Map<string, Binding>(),
    /**
     * By the name in this file of a module, or of an import that can be a module: the names that the file uses of it.
     */
    members: new Map<string, Set<string>>(),
    seen: new Set<Node>(),
    called: new Set<string>(),
    declared: new Set<string>(),
  };
}
type FileImports = ReturnType<typeof createFileImports>;

/** `lineOf`: the line of an offset. `markup`: text that is no script and uses what the program imports. */
export function findImports(
  program: Program,
  { lineOf, markup }: { lineOf: (offset: number) => number; markup: string },
): { imports: ImportStatement[]; exports: ExportedName[] } {
  const file = createFileImports(lineOf);

  // Imports first, because an export may use an import further below.
  for (const statement of program.body) if (statement.type === 'ImportDeclaration') takeImport(file, statement);
  createVisitor(file).visit(program);
  if (file.members.size > 0)
    for (const [, module = '', name = ''] of markup.matchAll(memberUse)) file.members.get(module)?.add(name);
  const imports = file.found.sort((a, b) => a.start - b.start).map((each) => statementOf(each, file));
  const unknown = markup === '' ? [] : unknownNames(file, markup);
  if (unknown.length > 0) imports.push({ specifier: '', names: unknown, line: 1, form: 'auto' });
  return { imports, exports: [...file.exports, ...findOrigins(program, file.bindings, lineOf)] };
}

function statementOf({ specifier, names, members, start, form }: Found, { lineOf }: FileImports): ImportStatement {
  const used = [...members].filter(([, all]) => all.size > 0).map(([name, all]) => [name, [...all]] as const);
  return {
    specifier,
    names: [...names],
    ...(used.length > 0 && { members: used }),
    line: lineOf(start),
    form,
  };
}

function add(file: FileImports, found: Omit<Found, 'names' | 'members'>): Found {
  const entry = { ...found, names: new Set<string>(), members: new Map<string, Set<string>>() };
  file.found.push(entry);
  return entry;
}

/** `const pattern = <module>`: single names, or one name for the whole module. */
function bind(file: FileImports, pattern: BindingPattern, entry: Found): void {
  if (pattern.type === 'Identifier') {
    file.members.set(pattern.name, entry.names);
    file.bindings.set(pattern.name, { specifier: entry.specifier, name: 'default' });
  } else if (pattern.type === 'ObjectPattern')
    for (const property of pattern.properties) {
      const name = property.type === 'Property' && !property.computed ? nameOf(property.key) : undefined;
      if (name === undefined) continue;
      entry.names.add(name);
      const { value } = property as { value: BindingPattern };
      if (value.type === 'Identifier') file.bindings.set(value.name, { specifier: entry.specifier, name });
    }
}

function addLoaded(file: FileImports, node: Node): Found | undefined {
  const loaded = loadedModule(node);
  if (loaded === undefined) return undefined;
  file.seen.add(loaded.node);
  const { specifier, form } = loaded;
  return add(file, { specifier, start: loaded.node.start, form });
}

function addExport(file: FileImports, { start, ...exported }: Exported): void {
  if (exported.specifier !== undefined || exported.local !== exported.name)
    file.exports.push({ ...exported, line: file.lineOf(start) });
}

function exportLocal(file: FileImports, exported: Omit<Exported, 'specifier'>): void {
  const from = file.bindings.get(exported.local);
  addExport(file, from ? { ...exported, local: from.name, specifier: from.specifier } : exported);
}

/** `module.exports = …` and `exports.name = …`. */
function exportValue(file: FileImports, name: string, value: Node): void {
  const loaded = loadedModule(value);
  const { start } = value;
  if (loaded) {
    const { specifier } = loaded;
    addExport(file, { name, start, local: 'default', specifier });
    if (name === 'default') addExport(file, { name: '*', start, local: '*', specifier });
  } else if (value.type === 'Identifier') exportLocal(file, { name, start, local: value.name });
  else if (value.type === 'ObjectExpression' && name === 'default')
    for (const property of value.properties) {
      const key = property.type === 'Property' && !property.computed ? nameOf(property.key) : undefined;
      if (key !== undefined) exportValue(file, key, (property as { value: Node }).value);
    }
}

function takeImport(file: FileImports, statement: ImportDeclaration): void {
  const specifier = statement.source.value;
  const form = statement.importKind === 'type' ? 'type' : 'import';
  const entry = add(file, { specifier, start: statement.start, form });
  for (const each of statement.specifiers) {
    if (each.type === 'ImportNamespaceSpecifier') {
      file.members.set(each.local.name, entry.names);
      file.bindings.set(each.local.name, { specifier, name: '*' });
      continue;
    }
    const name = each.type === 'ImportSpecifier' ? (nameOf(each.imported) ?? 'default') : 'default';
    entry.names.add(name);
    file.bindings.set(each.local.name, { specifier, name });
    const used = entry.members.get(name) ?? new Set();
    entry.members.set(name, used);
    file.members.set(each.local.name, used);
  }
}

function takeCall(file: FileImports, node: CallExpression): void {
  const { callee, arguments: given } = node;
  const [handler] = given;
  if (callee.type === 'Identifier') file.called.add(callee.name);
  // import('./a').then(({ b }) => …)
  if (callee.type === 'MemberExpression' && !callee.computed && nameOf(callee.property) === 'then') {
    const entry = addLoaded(file, callee.object);
    const [parameter] =
      handler?.type === 'ArrowFunctionExpression' || handler?.type === 'FunctionExpression' ? handler.params : [];
    if (entry && parameter && parameter.type !== 'RestElement' && parameter.type !== 'TSParameterProperty')
      bind(file, parameter, entry);
  } else if (!file.seen.has(node)) addLoaded(file, node);
}

function createVisitor(file: FileImports): Visitor {
  return new Visitor({
    ExportNamedDeclaration(node) {
      const specifier = node.source?.value;
      const entry =
        specifier === undefined ? undefined : add(file, { specifier, start: node.start, form: 're-export' });
      for (const each of node.specifiers) {
        const local = nameOf(each.local) ?? '';
        const exported = { name: nameOf(each.exported) ?? '', start: each.start, local };
        entry?.names.add(local);
        if (specifier === undefined) exportLocal(file, exported);
        else addExport(file, { ...exported, specifier });
      }
    },
    ExportAllDeclaration({ source, exported, start }) {
      const specifier = source.value;
      add(file, { specifier, start, form: 're-export' });
      addExport(file, { name: nameOf(exported) ?? '*', start, local: '*', specifier });
    },
    ExportDefaultDeclaration({ declaration }) {
      const { start } = declaration;
      if (declaration.type === 'Identifier') exportLocal(file, { name: 'default', start, local: declaration.name });
      else if ('id' in declaration && declaration.id?.type === 'Identifier')
        exportLocal(file, { name: 'default', start, local: declaration.id.name });
    },
    TSExportAssignment({ expression }) {
      exportValue(file, 'default', expression);
    },
    AssignmentExpression({ left, right }) {
      const name = left.type === 'MemberExpression' ? exportedBy(left) : undefined;
      if (name !== undefined) exportValue(file, name, right);
    },
    TSImportEqualsDeclaration({ id, moduleReference, start }) {
      if (moduleReference.type === 'TSExternalModuleReference')
        bind(file, id, add(file, { specifier: moduleReference.expression.value, start, form: 'require' }));
    },
    TSImportType({ source, qualifier, start }) {
      let first = qualifier;
      while (first?.type === 'TSQualifiedName') first = first.left as typeof qualifier;
      const name = nameOf(first);
      const entry = add(file, { specifier: source.value, start, form: 'type' });
      if (name !== undefined) entry.names.add(name);
    },
    FunctionDeclaration({ id }) {
      if (id) file.declared.add(id.name);
    },
    VariableDeclarator({ id, init }) {
      for (const name of boundNames(id)) file.declared.add(name);
      const entry = init && addLoaded(file, init.type === 'AwaitExpression' ? init.argument : init);
      if (entry) bind(file, id, entry);
    },
    MemberExpression({ object, property, computed }) {
      const name = computed ? undefined : nameOf(property);
      if (name === undefined) return;
      if (object.type === 'Identifier') file.members.get(object.name)?.add(name);
      // `then` belongs to the promise. Its call shows the names.
      else if (name !== 'then') addLoaded(file, unwrapped(object))?.names.add(name);
    },
    TSQualifiedName({ left, right }) {
      if (left.type === 'Identifier') file.members.get(left.name)?.add(right.name);
    },
    JSXMemberExpression({ object, property }) {
      if (object.type === 'JSXIdentifier') file.members.get(object.name)?.add(property.name);
    },
    CallExpression(node) {
      takeCall(file, node);
    },
    Decorator({ expression }) {
      for (const { specifier, start } of angularFiles(expression)) add(file, { specifier, start, form: 'import' });
    },
    ImportExpression(node) {
      if (!file.seen.has(node)) addLoaded(file, node);
    },
  });
}
