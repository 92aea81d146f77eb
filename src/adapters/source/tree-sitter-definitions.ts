/** Turns the nodes of a query into definitions: their nesting, names and shown text. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { Definition } from '../../ports/parsed-source.ts';
import { fixedLimits } from '../../settings.ts';
import { fitDefinition, fitInnerComment, fitLines } from './definition-text.ts';
import { firstRow, lastRow, lineStarts, type Source, type Span, textStart } from './source-rows.ts';
import { childrenOf, type Grammar, type Group } from './tree-sitter-grammar.ts';

/** A definition that a query found. `isWholeLine`: it begins with its line. */
export type Found = {
  node: Node;
  name: Node;
  kind: string | undefined;
  body?: Node | undefined;
  isWholeLine?: boolean;
};
type Placed = {
  name: string;
  kind: string | undefined;
  node: Node;
  span: Span;
  /** The row of the name. Attributes and decorators are above it. */
  row: number;
  body: Node | undefined;
  members: Placed[];
};

/**
 * A longer function is shown by its signature, a longer type by the signatures of its members, anything else by its
 * beginning.
 */
const wholeUpTo = { lines: 20, characters: 2_000 };
const maxLines = 60;
const maxMembers = 200;
/** Max characters of the text around a group, and of a value that members repeat. */
const longestFrame = 500;
/** Max characters of attributes and decorators; half of it for those of a member. */
const longestAbove = 600;

/** The definitions in the order of the text, without definitions inside functions. */
export function collectDefinitions({
  found,
  preceding,
  text,
  grammar,
}: {
  found: readonly Found[];
  preceding: readonly Node[];
  text: string;
  grammar: Grammar;
}): Definition[] {
  const lines = lineStarts(text);
  const placed = place(found, { grammar, lines });
  const commentAt = new Map(preceding.map((node) => [lastRow(node), node]));
  const source = { text, lines, grammar };
  const frames = new Map<number, Frame>();
  return placed.map((each) => {
    const { node, span, name } = each;
    const frame = frameOf(grammar.findGroup?.(node), frames, source);
    const shown = frame?.isSmall ? frame.node : span;
    const first = firstRow(shown, commentAt, source);
    const documentation = text.slice(lines[first] ?? 0, lines[shown.startPosition.row] ?? 0);
    const whole = frame?.isSmall ? text.slice(textStart(shown, source), shown.endIndex).trimEnd() : undefined;
    const told = fitDefinition(documentation, whole ?? tell(each, source));
    return {
      name,
      startLine: first + 1,
      endLine: lastRow(shown) + 1,
      text: frame && !frame.isSmall ? within(frame, told, span.startIndex) : told,
    };
  });
}

/**
 * The text around a group. `repeated`: for members that repeat an earlier value, by their start, the earlier member.
 */
type Frame = { node: Node; isSmall: boolean; header: string; footer: string; repeated: Map<number, string> };

/** The frame of a group. All members of the group get the same one. */
function frameOf(group: Group | undefined, frames: Map<number, Frame>, source: Source): Frame | undefined {
  if (group === undefined) return undefined;
  const { node, list } = group;
  const known = frames.get(list.id);
  if (known) return known;
  const { text } = source;
  const members = childrenOf(list);
  const [first, last] = [group.first ?? members[0], members.at(-1)];
  // Without brackets, the list is one definition with several names.
  if (first === undefined || last === undefined || list.lastChild === null) return undefined;
  const isOpen = list.lastChild.isNamed;
  if (isOpen && group.first === undefined) return undefined;
  const repeated = new Map<number, string>();
  let value: string | undefined;
  for (const member of members) {
    if (member.type !== 'const_spec' && member.type !== 'enumerator') continue;
    if (member.childForFieldName('value')) value = text.slice(textStart(member, source), member.endIndex);
    else if (value !== undefined) repeated.set(member.startIndex, value.slice(0, longestFrame));
  }
  const frame = {
    node,
    repeated,
    isSmall: isSmall(node, node.startIndex),
    header: text.slice(textStart(node, source), first.startIndex).trimEnd().slice(0, longestFrame),
    footer: isOpen ? '' : text.slice(list.lastChild.startIndex, node.endIndex).slice(0, longestFrame),
  };
  frames.set(list.id, frame);
  return frame;
}

/** The text of one member of a long group. */
function within({ header, repeated, footer }: Frame, told: string, start: number): string {
  const value = repeated.get(start);
  const parts = [header, value ?? '', '…', told, footer];
  return parts.filter((part) => part !== '').join('\n');
}

/** Sorts nodes by start, wider ones first, so that containers come before their members. */
function place(found: readonly Found[], { grammar, lines }: Omit<Source, 'text'> & { grammar: Grammar }): Placed[] {
  const sorted = found
    .map((each) => ({ ...each, span: spanOf(each, lines), at: each.name.startIndex, row: each.name.startPosition.row }))
    .map((each) => ({ ...each, start: each.span.startIndex, end: each.span.endIndex }))
    .sort(
      (a, b) =>
        a.start - b.start ||
        b.end - a.end ||
        Number(b.kind !== undefined) - Number(a.kind !== undefined) ||
        Number(b.body !== undefined) - Number(a.body !== undefined),
    );
  const seen = new Set<number>();
  const around: Placed[] = [];
  const placed: Placed[] = [];
  for (const { node, span, row, name, kind, body, start, end, at } of sorted) {
    while ((around.at(-1)?.span.endIndex ?? Number.POSITIVE_INFINITY) <= start) around.pop();
    // The query finds a decorated or exported definition twice: with the text around it, and alone.
    if (seen.has(at)) continue;
    seen.add(at);
    // `var a, b` is one node with two names.
    const same = around.at(-1);
    if (same?.kind === undefined && same?.span.startIndex === start && same.span.endIndex === end) around.pop();
    const owner = around.at(-1);
    if ((owner && owner.kind === undefined) || placed.length >= fixedLimits.sources.ofEach) continue;
    const own = (grammar.readName ? grammar.readName(name, node) : name.text) ?? '';
    const isApart =
      owner === undefined || (owner.kind === 'module' && kind !== undefined) || own.startsWith(`${owner.name}.`);
    const each: Placed = {
      name: isApart ? own : `${owner.name}.${own}`,
      kind,
      node,
      span,
      row,
      body: body ?? bodyOf(node),
      members: [],
    };
    // What is inside a hidden function is hidden too.
    if (own !== '' || kind === undefined) around.push(each);
    if (own === '') continue;
    owner?.members.push(each);
    placed.push(each);
  }
  return placed;
}

/** From its first word to the end of its body, which the grammar can have beside it. */
function spanOf({ node, body, isWholeLine }: Found, lines: readonly number[]): Span {
  const { row } = node.startPosition;
  return {
    startIndex: isWholeLine ? (lines[row] ?? node.startIndex) : node.startIndex,
    startPosition: isWholeLine ? { row, column: 0 } : node.startPosition,
    endIndex: Math.max(node.endIndex, body?.endIndex ?? 0),
    endPosition: body && body.endIndex > node.endIndex ? body.endPosition : node.endPosition,
  };
}

/** The body of a definition, also inside a decorator or template. */
function bodyOf(node: Node): Node | undefined {
  return node.childForFieldName('body') ?? node.lastNamedChild?.childForFieldName('body') ?? undefined;
}

function tell(definition: Placed, source: Source & { grammar: Grammar }): string {
  const { span, kind, body, members } = definition;
  const end = span.endIndex;
  const { text, lines, grammar } = source;
  const from = textStart(span, source);
  if (isSmall(span, from)) return text.slice(from, end).trimEnd();
  // Tables and plain structures have no bodies to leave out, so only their end is cut.
  if (body === undefined || (kind !== undefined && members.length === 0)) {
    const cut = lines[Math.max(span.startPosition.row, definition.row) + maxLines] ?? end;
    const beginning = headOf(definition, { until: Math.min(cut, end), max: longestAbove }, source).trimEnd();
    return cut < end ? `${beginning}\n…` : beginning;
  }
  const told = members.slice(0, kind === undefined ? 0 : maxMembers).map((member) => {
    const start = Math.max(textStart(member.span, source), lines[member.row] ?? 0);
    const until = member.body?.startIndex ?? Math.min(member.span.endIndex, start + 300);
    return headOf(member, { until, max: longestAbove / 2 }, source).trimEnd();
  });
  const shown = [...new Set(told), ...(kind !== undefined && members.length > maxMembers ? ['…'] : [])];
  const head = headOf(definition, { until: body.startIndex, max: longestAbove }, source);
  const documentation = grammar.findDocumentation?.(body);
  const length = shown.reduce((sum, each) => sum + each.length + 1, head.length);
  const inner = documentation && fitInnerComment(text.slice(body.startIndex, documentation.endIndex), length);
  return [inner === undefined ? head.trimEnd() : `${head}${inner}`, ...shown].join('\n');
}

/** A definition up to a place in it, with the beginning of long attributes or decorators above its name. */
function headOf({ span, row }: Placed, { until, max }: { until: number; max: number }, source: Source): string {
  const { text, lines } = source;
  const from = textStart(span, source);
  const own = lines[row] ?? from;
  if (own - from <= max || own >= until) return text.slice(from, until);
  return `${fitLines(text.slice(from, own).trimEnd(), max)}\n${text.slice(own, until)}`;
}

function isSmall(node: Span, from: number): boolean {
  return lastRow(node) - node.startPosition.row < wholeUpTo.lines && node.endIndex - from <= wholeUpTo.characters;
}
