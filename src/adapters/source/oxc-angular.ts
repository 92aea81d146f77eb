/** Finds the files of a component of Angular: they belong to it like imports. */
import type { Node } from 'oxc-parser';
import { literal, nameOf } from './oxc-nodes.ts';

const keys = new Set(['templateUrl', 'styleUrl', 'styleUrls']);

/** Of the expression of a decorator. Paths are relative to its file, also without a dot. */
export function angularFiles(expression: Node): { specifier: string; start: number }[] {
  if (expression.type !== 'CallExpression' || nameOf(expression.callee) !== 'Component') return [];
  const [options] = expression.arguments;
  if (options?.type !== 'ObjectExpression') return [];
  const values = options.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.computed || !keys.has(nameOf(property.key) ?? '')) return [];
    return property.value.type === 'ArrayExpression' ? property.value.elements : [property.value];
  });
  return values.flatMap((value) => {
    const path = value === null ? undefined : literal(value);
    if (value === null || path === undefined) return [];
    return [{ specifier: /^\.{0,2}\//u.test(path) ? path : `./${path}`, start: value.start }];
  });
}
