/** Reads names and modules from nodes of TypeScript or JavaScript. */
import type { CallExpression, ImportExpression, Node } from 'oxc-parser';

/** How a module is imported. It decides which conditions of a package apply. */
export type Form = 'import' | 're-export' | 'dynamic' | 'require' | 'type';

/** The module that `require('x')` or `import('x')` loads, if it is a literal. */
export function loadedModule(
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

/** `exports.name` and `module.exports.name` are `name`; `module.exports` is the default. */
export function exportedBy(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.computed) return undefined;
  const { object } = node;
  const name = nameOf(node.property);
  if (object.type === 'Identifier' && object.name === 'module' && name === 'exports') return 'default';
  const isExports = (object.type === 'Identifier' && object.name === 'exports') || exportedBy(object) === 'default';
  return isExports ? name : undefined;
}

/** Without parentheses and `await`. */
export function unwrapped(node: Node): Node {
  if (node.type === 'ParenthesizedExpression') return unwrapped(node.expression);
  return node.type === 'AwaitExpression' ? unwrapped(node.argument) : node;
}

/** The text of a string without variables. */
export function literal(node: Node): string | undefined {
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** A name that is written as such or as a string. */
export function nameOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Identifier') return node.name;
  return node ? literal(node) : undefined;
}

/** The names that a pattern declares. */
export function boundNames(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => boundNames(each.type === 'Property' ? each.value : each.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each === null ? [] : boundNames(each)));
    default:
      return [];
  }
}
