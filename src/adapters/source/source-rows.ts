/** Where definitions and the comments above them begin and end in the lines of a source. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Grammar } from './tree-sitter-grammar.ts';

export type Span = Pick<Node, 'startIndex' | 'endIndex' | 'startPosition' | 'endPosition'>;
/** `lines`: the offset at which each line begins. */
export type Source = { text: string; lines: readonly number[] };

const maxCommentLines = 500;

/** The first row of the comments that end directly above a definition and are alone in their lines. */
export function firstRow(
  node: Span,
  commentAt: ReadonlyMap<number, Node>,
  { text, lines, grammar }: Source & { grammar: Grammar },
): number {
  const own = node.startPosition.row;
  let first = own;
  while (first > 0 && own - first < maxCommentLines) {
    const comment = commentAt.get(first - 1) ?? (grammar.isSpaced && aboveEmptyLine(first, commentAt, { text, lines }));
    if (!comment || comment.startPosition.row >= first) break;
    const { row } = comment.startPosition;
    if (text.slice(lines[row] ?? 0, comment.startIndex).trim() !== '') break;
    first = row;
  }
  return first;
}

/** The node above an empty line that is above `row`, unless it is a comment. */
function aboveEmptyLine(row: number, commentAt: ReadonlyMap<number, Node>, { text, lines }: Source): Node | undefined {
  const above = commentAt.get(row - 2);
  const isEmpty = text.slice(lines[row - 1] ?? 0, lines[row] ?? 0).trim() === '';
  return isEmpty && above?.type !== 'comment' ? above : undefined;
}

/** The beginning of the line, for the indentation, unless there is something else before the definition. */
export function textStart({ startPosition, startIndex }: Span, { text, lines }: Source): number {
  const lineStart = lines[startPosition.row] ?? startIndex;
  return text.slice(lineStart, startIndex).trim() === '' ? lineStart : startIndex;
}

/** If a node includes its line break, its last row is the one before. */
export function lastRow(node: Span): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row - 1 : row;
}

export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
