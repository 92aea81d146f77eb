/** Finds what values and types at the top of TypeScript or JavaScript are made from: `new Cart()`, `typeof cart`. */
import type { Node, Program } from 'oxc-parser';
import type { ExportedName } from '../../ports/parsed-source.ts';
import { exportedBy, nameOf, unwrapped } from './oxc-nodes.ts';

/** Max values that a type names. */
const maxValues = 3;

type Bindings = ReadonlyMap<string, { specifier: string; name: string }>;
/**
 * `from`: the name, in this file, of the value or class that `name` comes from. Without `madeFrom`, both names mean the
 * same value.
 */
type Origin = { name: string; start: number; from: string; madeFrom?: NonNullable<ExportedName['madeFrom']> };

/**
 * `bindings`: the imports, by their name in this file. An origin counts only if it is imported or defined in the file.
 */
export function findOrigins(program: Program, bindings: Bindings, lineOf: (offset: number) => number): ExportedName[] {
  const values = program.body.flatMap(valuesOf);
  const own = new Set(values.map(({ name }) => name));
  for (const statement of program.body) {
    const declared = declaredBy(statement);
    const isNamed = declared?.type === 'ClassDeclaration' || declared?.type === 'FunctionDeclaration';
    if (isNamed && declared.id) own.add(declared.id.name);
  }
  const origins = [...values.flatMap(makersOf), ...program.body.flatMap(typesOf)];
  return origins.flatMap(({ name, start, from, madeFrom }): ExportedName[] => {
    const imported = bindings.get(from);
    const made = { name, ...(madeFrom && { madeFrom }), line: lineOf(start) };
    if (imported)
      return imported.name === '*' ? [] : [{ ...made, local: imported.name, specifier: imported.specifier }];
    return own.has(from) ? [{ ...made, local: from }] : [];
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

function makersOf({ name, node }: { name: string; node: Node }): Origin[] {
  const value = unwrapped(node);
  // The exports already say which name is exported by default.
  if (value.type === 'Identifier') return name === 'default' ? [] : [{ name, start: node.start, from: value.name }];
  const from = makerOf(node);
  return from === undefined ? [] : [{ name, start: node.start, from, madeFrom: 'class' }];
}

/** `type Cart = z.infer<typeof cart>`, `type Size = (typeof sizes)[number]` */
function typesOf(statement: Node): Origin[] {
  const declared = declaredBy(statement);
  if (declared?.type !== 'TSTypeAliasDeclaration') return [];
  const { id, typeAnnotation, start } = declared;
  return valuesIn(typeAnnotation)
    .slice(0, maxValues)
    .map((from) => ({ name: id.name, start, from, madeFrom: 'value' }));
}

/** The values that a type is the type of. */
function valuesIn(type: Node | null | undefined): string[] {
  switch (type?.type) {
    case 'TSTypeQuery':
      return type.exprName.type === 'Identifier' ? [type.exprName.name] : [];
    case 'TSTypeReference':
      return type.typeArguments?.params.flatMap(valuesIn) ?? [];
    case 'TSIndexedAccessType':
      return [...valuesIn(type.objectType), ...valuesIn(type.indexType)];
    case 'TSUnionType':
    case 'TSIntersectionType':
      return type.types.flatMap(valuesIn);
    case 'TSArrayType':
      return valuesIn(type.elementType);
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return valuesIn(type.typeAnnotation);
    default:
      return [];
  }
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
