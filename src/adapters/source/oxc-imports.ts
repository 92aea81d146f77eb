/** What a syntax tree of TypeScript or JavaScript says about other modules: every form of import, and names by which it is imported. */
import {
  type BindingPattern,
  type CallExpression,
  type ImportExpression,
  type Node,
  type Program,
  Visitor,
} from 'oxc-parser';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';

/** How a module is asked for: decides which conditions of a package hold. */
type Form = 'import' | 're-export' | 'dynamic' | 'require' | 'type';
type Found = { specifier: string; names: Set<string>; start: number; form: Form };
/**
 * A local name that stands for something of another module; `*` for all of it. What CommonJS loads as a whole is
 * `default`: mostly a value that the module has put in the place of its exports.
 */
type Binding = { specifier: string; name: string };

/** `lineOf` gives the line of an offset. */
export function findImports(
  program: Program,
  lineOf: (offset: number) => number,
): { imports: ImportStatement[]; exports: ExportedName[] } {
  const found: Found[] = [];
  const exports: ExportedName[] = [];
  const bindings = new Map<string, Binding>();
  const namespaces = new Map<string, Found>();
  const seen = new Set<Node>();

  const add = (specifier: string, start: number, form: Form, names: readonly string[] = []): Found => {
    const entry = { specifier, names: new Set(names), start, form };
    found.push(entry);
    return entry;
  };
  /** `const pattern = <module>`: names that are taken out, or a name for the whole. */
  const bind = (pattern: BindingPattern, entry: Found): void => {
    if (pattern.type === 'Identifier') {
      namespaces.set(pattern.name, entry);
      bindings.set(pattern.name, { specifier: entry.specifier, name: 'default' });
    } else if (pattern.type === 'ObjectPattern')
      for (const property of pattern.properties) {
        const name = property.type === 'Property' && !property.computed ? nameOf(property.key) : undefined;
        if (name === undefined) continue;
        entry.names.add(name);
        const { value } = property as { value: BindingPattern };
        if (value.type === 'Identifier') bindings.set(value.name, { specifier: entry.specifier, name });
      }
  };
  const addLoaded = (node: Node): Found | undefined => {
    const loaded = loadedModule(node);
    if (loaded === undefined) return undefined;
    seen.add(loaded.node);
    return add(loaded.specifier, loaded.node.start, loaded.form);
  };
  const addExport = (name: string, start: number, binding: { local: string; specifier?: string }): void => {
    if (binding.specifier !== undefined || binding.local !== name)
      exports.push({ name, ...binding, line: lineOf(start) });
  };
  const exportLocal = (name: string, local: string, start: number): void => {
    const from = bindings.get(local);
    addExport(name, start, from ? { local: from.name, specifier: from.specifier } : { local });
  };
  /** `module.exports = …` and `exports.name = …`. */
  const exportValue = (name: string, value: Node): void => {
    const loaded = loadedModule(value);
    if (loaded) {
      const { specifier } = loaded;
      addExport(name, value.start, { local: 'default', specifier });
      if (name === 'default') addExport('*', value.start, { local: '*', specifier });
    } else if (value.type === 'Identifier') exportLocal(name, value.name, value.start);
    else if (value.type === 'ObjectExpression' && name === 'default')
      for (const property of value.properties) {
        const key = property.type === 'Property' && !property.computed ? nameOf(property.key) : undefined;
        if (key !== undefined) exportValue(key, (property as { value: Node }).value);
      }
  };

  // Imports first: what is exported may have been imported further below.
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration') continue;
    const specifier = statement.source.value;
    const entry = add(specifier, statement.start, statement.importKind === 'type' ? 'type' : 'import');
    for (const each of statement.specifiers) {
      if (each.type === 'ImportNamespaceSpecifier') {
        namespaces.set(each.local.name, entry);
        bindings.set(each.local.name, { specifier, name: '*' });
        continue;
      }
      const name = each.type === 'ImportSpecifier' ? (nameOf(each.imported) ?? 'default') : 'default';
      entry.names.add(name);
      bindings.set(each.local.name, { specifier, name });
    }
  }
  const visitor = new Visitor({
    ExportNamedDeclaration(node) {
      const entry = node.source && add(node.source.value, node.start, 're-export');
      for (const each of node.specifiers) {
        const local = nameOf(each.local) ?? '';
        const name = nameOf(each.exported) ?? '';
        entry?.names.add(local);
        if (node.source) addExport(name, each.start, { local, specifier: node.source.value });
        else exportLocal(name, local, each.start);
      }
    },
    ExportAllDeclaration(node) {
      const specifier = node.source.value;
      add(specifier, node.start, 're-export');
      addExport(nameOf(node.exported) ?? '*', node.start, { local: '*', specifier });
    },
    ExportDefaultDeclaration({ declaration }) {
      if (declaration.type === 'Identifier') exportLocal('default', declaration.name, declaration.start);
      else if ('id' in declaration && declaration.id?.type === 'Identifier')
        exportLocal('default', declaration.id.name, declaration.start);
    },
    TSExportAssignment({ expression }) {
      exportValue('default', expression);
    },
    AssignmentExpression({ left, right }) {
      const name = left.type === 'MemberExpression' ? exportedBy(left) : undefined;
      if (name !== undefined) exportValue(name, right);
    },
    TSImportEqualsDeclaration({ id, moduleReference, start }) {
      if (moduleReference.type === 'TSExternalModuleReference')
        bind(id, add(moduleReference.expression.value, start, 'require'));
    },
    TSImportType({ source, qualifier, start }) {
      let first = qualifier;
      while (first?.type === 'TSQualifiedName') first = first.left as typeof qualifier;
      const name = nameOf(first);
      add(source.value, start, 'type', name === undefined ? [] : [name]);
    },
    VariableDeclarator({ id, init }) {
      const entry = init && addLoaded(init.type === 'AwaitExpression' ? init.argument : init);
      if (entry) bind(id, entry);
    },
    MemberExpression({ object, property, computed }) {
      const name = computed ? undefined : nameOf(property);
      if (name === undefined) return;
      if (object.type === 'Identifier') namespaces.get(object.name)?.names.add(name);
      // `then` is the promise's own; what it is given is in its call.
      else if (name !== 'then') addLoaded(unwrapped(object))?.names.add(name);
    },
    TSQualifiedName({ left, right }) {
      if (left.type === 'Identifier') namespaces.get(left.name)?.names.add(right.name);
    },
    JSXMemberExpression({ object, property }) {
      if (object.type === 'JSXIdentifier') namespaces.get(object.name)?.names.add(property.name);
    },
    CallExpression(node) {
      const { callee, arguments: given } = node;
      const [handler] = given;
      // import('./a').then(({ b }) => …)
      if (callee.type === 'MemberExpression' && !callee.computed && nameOf(callee.property) === 'then') {
        const entry = addLoaded(callee.object);
        const [parameter] =
          handler?.type === 'ArrowFunctionExpression' || handler?.type === 'FunctionExpression' ? handler.params : [];
        if (entry && parameter && parameter.type !== 'RestElement' && parameter.type !== 'TSParameterProperty')
          bind(parameter, entry);
      } else if (!seen.has(node)) addLoaded(node);
    },
    ImportExpression(node) {
      if (!seen.has(node)) addLoaded(node);
    },
  });
  visitor.visit(program);
  return {
    imports: found
      .sort((a, b) => a.start - b.start)
      .map(({ specifier, names, start, form }) => ({ specifier, names: [...names], line: lineOf(start), form })),
    exports,
  };
}

/** The module that `require('x')` or `import('x')` loads, where it is written as a literal. */
function loadedModule(
  node: Node,
): { specifier: string; form: Form; node: CallExpression | ImportExpression } | undefined {
  if (node.type === 'ImportExpression') {
    const specifier = literal(node.source);
    return specifier === undefined ? undefined : { specifier, form: 'dynamic', node };
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require') return;
  const specifier = node.arguments[0] && literal(node.arguments[0]);
  return specifier === undefined ? undefined : { specifier, form: 'require', node };
}

/** `exports.name` and `module.exports.name` are `name`, `module.exports` is the default. */
function exportedBy(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.computed) return undefined;
  const { object } = node;
  const name = nameOf(node.property);
  if (object.type === 'Identifier' && object.name === 'module' && name === 'exports') return 'default';
  const isExports = (object.type === 'Identifier' && object.name === 'exports') || exportedBy(object) === 'default';
  return isExports ? name : undefined;
}

function unwrapped(node: Node): Node {
  if (node.type === 'ParenthesizedExpression') return unwrapped(node.expression);
  return node.type === 'AwaitExpression' ? unwrapped(node.argument) : node;
}

function literal(node: Node): string | undefined {
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

function nameOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Identifier') return node.name;
  return node ? literal(node) : undefined;
}
