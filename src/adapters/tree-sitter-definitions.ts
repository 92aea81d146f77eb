/** From the nodes that a query found to definitions: which contain which, what they are called, what is told of them. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Definition } from '../parsed-source.ts';
import type { Grammar } from './tree-sitter-grammar.ts';

/** A definition as a query finds it. */
export type Found = { node: Node; name: Node; kind: string | undefined };
type Placed = {
  name: string;
  kind: string | undefined;
  node: Node;
  start: number;
  end: number;
  body: Node | undefined;
  members: Placed[];
};

const mostDefinitions = 5_000;
/** Longer functions are told by their signature, types by those of their members; what has neither by its beginning. */
const wholeUpTo = { lines: 20, characters: 2_000 };
const mostLines = 60;
const longestText = 4_000;
const mostMembers = 200;
const mostCommentLines = 80;

/** In the order of the text. What lies inside a function is its own affair. */
export function collectDefinitions(source: {
  found: readonly Found[];
  preceding: readonly Node[];
  text: string;
  grammar: Grammar;
}): Definition[] {
  const { preceding, text, grammar } = source;
  const placed = place(source.found, grammar);
  const lines = lineStarts(text);
  const commentAt = new Map(preceding.map((node) => [lastRow(node), node]));
  return placed.map((each) => {
    const first = firstRow(each.node, commentAt, { text, lines });
    const documentation = text.slice(lines[first] ?? 0, lines[each.node.startPosition.row] ?? 0);
    return {
      name: each.name,
      startLine: first + 1,
      endLine: lastRow(each.node) + 1,
      text: `${documentation}${tell(each, { text, lines, grammar })}`.replaceAll('\r\n', '\n').slice(0, longestText),
    };
  });
}

/** Containers are known when their members come: nodes are sorted by where they begin, wider ones first. */
function place(found: readonly Found[], grammar: Grammar): Placed[] {
  const sorted = found
    .map((each) => ({ ...each, start: each.node.startIndex, end: each.node.endIndex, at: each.name.startIndex }))
    .sort((a, b) => a.start - b.start || b.end - a.end || Number(b.kind !== undefined) - Number(a.kind !== undefined));
  const seen = new Set<number>();
  const around: Placed[] = [];
  const placed: Placed[] = [];
  for (const { node, name, kind, start, end, at } of sorted) {
    while ((around.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= start) around.pop();
    // `var a, b` is one node with two names.
    const same = around.at(-1);
    if (same?.kind === undefined && same?.start === start && same.end === end) around.pop();
    // A decorated or exported definition is found with what is around it, and again by itself.
    if (seen.has(at)) continue;
    seen.add(at);
    const owner = around.at(-1);
    if ((owner && owner.kind === undefined) || placed.length >= mostDefinitions) continue;
    const own = grammar.readName ? grammar.readName(name, node) : name.text;
    if (own === undefined || own === '') continue;
    const isApart =
      owner === undefined || (owner.kind === 'module' && kind !== undefined) || own.startsWith(`${owner.name}.`);
    const each: Placed = {
      name: isApart ? own : `${owner.name}.${own}`,
      kind,
      node,
      start,
      end,
      body: bodyOf(node),
      members: [],
    };
    owner?.members.push(each);
    placed.push(each);
    around.push(each);
  }
  return placed;
}

/** The body of a definition, or of what a decorator or template is written around. */
function bodyOf(node: Node): Node | undefined {
  return node.childForFieldName('body') ?? node.lastNamedChild?.childForFieldName('body') ?? undefined;
}

type Source = { text: string; lines: readonly number[] };

/** The row where the comments begin that end right above a definition and stand alone in their lines. */
function firstRow(node: Node, commentAt: ReadonlyMap<number, Node>, { text, lines }: Source): number {
  const own = node.startPosition.row;
  let first = own;
  while (first > 0 && own - first < mostCommentLines) {
    const comment = commentAt.get(first - 1);
    if (comment === undefined || comment.startPosition.row >= first) break;
    const { row } = comment.startPosition;
    if (text.slice(lines[row] ?? 0, comment.startIndex).trim() !== '') break;
    first = row;
  }
  return first;
}

function tell(definition: Placed, { text, lines, grammar }: Source & { grammar: Grammar }): string {
  const { node, kind, body, end, members } = definition;
  const from = textStart(definition, { text, lines });
  const isSmall = lastRow(node) - node.startPosition.row < wholeUpTo.lines && end - from <= wholeUpTo.characters;
  if (isSmall) return text.slice(from, end).trimEnd();
  // Tables and plain structures have nothing to leave out but their end.
  if (body === undefined || (kind !== undefined && members.length === 0))
    return text.slice(from, Math.min(end, lines[node.startPosition.row + mostLines] ?? end)).trimEnd();
  const documentation = grammar.findDocumentation?.(body);
  const head = documentation ? text.slice(from, documentation.endIndex) : text.slice(from, body.startIndex).trimEnd();
  if (kind === undefined) return head;
  const told = members.slice(0, mostMembers).map((member) => {
    const start = textStart(member, { text, lines });
    return text.slice(start, member.body?.startIndex ?? Math.min(member.end, start + 300)).trimEnd();
  });
  return [head, ...new Set(told)].join('\n');
}

/** Where the line begins, for the indentation, unless something else stands before the definition. */
function textStart({ node, start }: Placed, { text, lines }: Source): number {
  const lineStart = lines[node.startPosition.row] ?? start;
  return text.slice(lineStart, start).trim() === '' ? lineStart : start;
}

/** A node that takes in its line end is over in the line before. */
function lastRow(node: Node): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row - 1 : row;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
