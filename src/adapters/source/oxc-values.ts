/** Finds the values at the top of TypeScript or JavaScript that classes make, such as `const cart = new Cart()`. */
import type { Node, Program } from 'oxc-parser';
import type { ExportedName } from '../../ports/parsed-source.ts';
import { exportedBy, nameOf, unwrapped } from './oxc-nodes.ts';

/** `bindings`: what is imported, by its name here. Values count if their class is imported or in the file. */
export function findMadeValues(
  program: Program,
  bindings: ReadonlyMap<string, { specifier: string; name: string }>,
  lineOf: (offset: number) => number,
): ExportedName[] {
  const classes = new Set(
    program.body.map(declaredBy).map((each) => each?.type === 'ClassDeclaration' && each.id?.name),
  );
  return program.body.flatMap(valuesOf).flatMap(({ name, node }): ExportedName[] => {
    const maker = makerOf(node);
    const from = maker === undefined ? undefined : bindings.get(maker);
    const made = { name, isMade: true, line: lineOf(node.start) } as const;
    if (from) return from.name === '*' ? [] : [{ ...made, local: from.name, specifier: from.specifier }];
    return maker !== undefined && classes.has(maker) ? [{ ...made, local: maker }] : [];
  });
}

function declaredBy(statement: Node): Node | null {
  return 'declaration' in statement ? statement.declaration : statement;
}

/** The values that a statement gives names to, exported or not, because another statement can export them. */
function valuesOf(statement: Node): { name: string; node: Node }[] {
  const declared = declaredBy(statement);
  if (declared?.type === 'VariableDeclaration')
    return declared.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init ? [{ name: id.name, node: init }] : [],
    );
  if (statement.type === 'ExportDefaultDeclaration') return [{ name: 'default', node: statement.declaration }];
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression') return [];
  const { left, right } = statement.expression;
  const name = exportedBy(left);
  return name === undefined ? [] : [{ name, node: right }];
}

/** The class that makes a value: `new Cart()`, `known ?? new Cart()`, `Cart.open()` with a capital letter. */
function makerOf(node: Node): string | undefined {
  const value = unwrapped(node);
  if (value.type === 'LogicalExpression') return makerOf(value.right);
  if (value.type === 'TSAsExpression' || value.type === 'TSSatisfiesExpression') return makerOf(value.expression);
  if (value.type !== 'NewExpression' && value.type !== 'CallExpression') return undefined;
  const { callee } = value;
  if (value.type === 'NewExpression') return callee.type === 'Identifier' ? callee.name : undefined;
  const object = callee.type === 'MemberExpression' ? nameOf(callee.object) : undefined;
  return object !== undefined && /^\p{Lu}/u.test(object) ? object : undefined;
}
