/** Finds the top-level definitions of TypeScript or JavaScript, and the text of each that a caller needs to read. */
import type { Class, Comment, Node, ObjectExpression, Program } from 'oxc-parser';
import type { Definition } from '../../ports/parsed-source.ts';
import { fitDefinition, fitLines } from './definition-text.ts';
import { boundNames } from './oxc-nodes.ts';

/** A definition of at most this many lines is shown whole. Longer ones are shown without the bodies of functions. */
const wholeLines = 20;
/** Definitions without bodies (types, tables) are shown up to this many lines. */
const beginningLines = 60;
/** Max characters of the decorators of a class; half of it for those of a member. */
const longestAbove = 600;

type Source = { text: string; comments: readonly Comment[]; lineOf(offset: number): number };

/** At most `max` definitions, in the order of the text. */
export function findDefinitions(program: Program, source: Source & { max: number }): Definition[] {
  const definitions: Definition[] = [];
  const docs = documentation(program, source);
  for (const statement of program.body)
    for (const { name, node, start, end = statement.end } of definedBy(statement)) {
      if (definitions.length >= source.max) return definitions;
      const from = docs(start);
      const whole = source.text.slice(start, end);
      definitions.push({
        name,
        startLine: source.lineOf(from),
        endLine: source.lineOf(end - 1),
        text: fitDefinition(
          source.text.slice(from, start),
          isLong(whole, wholeLines) ? shorten(node, start, source) : whole,
        ),
      });
    }
  return definitions;
}

type Defined = { name: string; node: Node; start: number; end?: number };

/**
 * The names that a statement defines. `node`: the part that may be long. `start`: the beginning of the statement with
 * its decorators.
 */
function definedBy(statement: Node): Defined[] {
  const start = startOf(statement);
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      return statement.declaration ? definedBy(statement.declaration).map((each) => ({ ...each, start })) : [];
    case 'ExportDefaultDeclaration': {
      const { declaration } = statement;
      if (declaration.type === 'Identifier') return [];
      const name = 'id' in declaration && declaration.id?.type === 'Identifier' ? declaration.id.name : 'default';
      return [{ name, node: declaration, start }];
    }
    case 'TSExportAssignment':
      return statement.expression.type === 'Identifier' ? [] : [{ name: 'default', node: statement.expression, start }];
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ id, init }) =>
        boundNames(id).map((name) => ({ name, node: init ?? id, start })),
      );
    case 'ExpressionStatement':
      return assigned(statement.expression).flatMap(({ name, node }): Defined[] => [
        { name, node, start },
        ...(name === 'default' && node.type === 'ObjectExpression' ? membersOf(node) : []),
      ]);
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSEnumDeclaration':
    case 'TSModuleDeclaration': {
      const name = statement.id?.type === 'Identifier' ? statement.id.name : undefined;
      return name === undefined ? [] : [{ name, node: statement, start }];
    }
    default:
      return [];
  }
}

/** The definitions inside `module.exports = { … }`. */
function membersOf({ properties }: ObjectExpression): Defined[] {
  return properties.flatMap((property) => {
    if (property.type !== 'Property' || property.computed || property.key.type !== 'Identifier') return [];
    const { key, value, start, end } = property;
    return property.shorthand || value.type === 'Identifier' ? [] : [{ name: key.name, node: value, start, end }];
  });
}

/** Decorators may be before `export`. */
function startOf(statement: Node): number {
  const declared = 'declaration' in statement && statement.declaration ? statement.declaration : statement;
  const first = 'decorators' in declared ? declared.decorators?.[0] : undefined;
  return Math.min(statement.start, first?.start ?? statement.start);
}

/** Definitions by assignment: `exports.name = …`, `module.exports = …`, `Any.thing = …`. */
function assigned(expression: Node): { name: string; node: Node }[] {
  if (expression.type !== 'AssignmentExpression') return [];
  const { left, right } = expression;
  // exports = module.exports = value
  const chained = assigned(right);
  if (left.type !== 'MemberExpression' || left.computed || left.property.type !== 'Identifier') return chained;
  const isModule =
    left.object.type === 'Identifier' && left.object.name === 'module' && left.property.name === 'exports';
  const node = assignedValue(right);
  if (node.type === 'Identifier' || node.type === 'CallExpression')
    return isModule ? chained : [{ name: left.property.name, node }];
  return [{ name: isModule ? 'default' : left.property.name, node }, ...chained];
}

function assignedValue(node: Node): Node {
  return node.type === 'AssignmentExpression' ? assignedValue(node.right) : node;
}

/** Returns where the comments directly above an offset begin. */
function documentation(program: Program, { text, comments, lineOf }: Source): (start: number) => number {
  const byEnd = new Map<number, Comment>();
  for (const comment of comments) byEnd.set(comment.end, comment);
  const first = program.hashbang?.end ?? 0;
  return (start) => {
    let from = start;
    for (;;) {
      let before = from;
      while (before > first && /\s/u.test(text[before - 1] as string)) before -= 1;
      const comment = byEnd.get(before);
      if (comment === undefined || lineOf(from) - lineOf(before - 1) > 1) return from;
      // A comment behind code on the same line belongs to that code.
      const lineStart = text.lastIndexOf('\n', comment.start - 1) + 1;
      if (text.slice(lineStart, comment.start).trim() !== '') return from;
      from = comment.start;
    }
  };
}

/** The text of a definition without the bodies of its functions, or its beginning. */
function shorten(node: Node, start: number, source: Source): string {
  const { text } = source;
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.body?.type === 'BlockStatement'
        ? withoutBody(text.slice(start, node.body.start))
        : beginning(text.slice(start, node.end));
    case 'ClassDeclaration':
    case 'ClassExpression':
      return shortenClass(node, start, source);
    default:
      return beginning(text.slice(start, node.end));
  }
}

function shortenClass(node: Class, start: number, source: Source): string {
  const { text } = source;
  const members = node.body.body.flatMap((member) => {
    if (member.type === 'StaticBlock' || isPrivate(member)) return [];
    const isMethod = member.type === 'MethodDefinition' || member.type === 'TSAbstractMethodDefinition';
    const block = isMethod ? member.value.body : null;
    const { above, from } = decoratorsOf(member, { start: member.start, max: longestAbove / 2 }, text);
    const whole = text.slice(from, member.end);
    const shown = block && isLong(whole.trimStart(), 1) ? withoutBody(text.slice(from, block.start)) : whole;
    return [`  ${above}${isLong(shown, 8) ? beginning(shown, 8) : shown}`];
  });
  const { above, from } = decoratorsOf(node, { start, max: longestAbove }, text);
  return beginning(`${above}${text.slice(from, node.body.start)}{\n${members.join('\n')}\n}`, 2 * beginningLines);
}

/** The decorators of a definition, cut if they are long, and where the rest of it begins. */
function decoratorsOf(
  node: Node,
  { start, max }: { start: number; max: number },
  text: string,
): { above: string; from: number } {
  const from = ('decorators' in node ? node.decorators?.at(-1)?.end : undefined) ?? start;
  return { above: fitLines(text.slice(start, from), max), from };
}

function isPrivate(member: Node): boolean {
  return (
    ('accessibility' in member && member.accessibility === 'private') ||
    ('key' in member && member.key.type === 'PrivateIdentifier')
  );
}

function withoutBody(header: string): string {
  return `${header.trimEnd()} { … }`;
}

function isLong(text: string, lines: number): boolean {
  return text.split('\n', lines + 1).length > lines;
}

function beginning(text: string, lines = beginningLines): string {
  const kept = text.split('\n', lines + 1);
  return kept.length <= lines ? text : `${kept.slice(0, lines).join('\n')}\n…`;
}
