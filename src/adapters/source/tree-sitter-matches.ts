/** Finds the matches of a query in a text, and what they mean: imports, definitions, comments and used names. */
import type { Node, Parser, Query, QueryMatch, Range, Tree } from '@vscode/tree-sitter-wasm';
import type { Found } from './tree-sitter-definitions.ts';
import type { UsedNames } from './tree-sitter-grammar.ts';

/** Max parts of a text that are parsed separately. */
const maxInside = 200;
/** Max used names without a qualifier, for the whole file. */
export const mostNames = 20_000;
/** Max used names of one qualifier. */
const mostOfQualifier = 2_000;
const longestQualifier = 200;

type Matching = { parser: Parser; query: Query; trees: Tree[]; isLate(): boolean };

/**
 * Finds matches in a text, and in the parts that `@inside` captures, which are parsed separately. The caller deletes
 * `trees`.
 */
export function matchAll(text: string, { parser, query, trees, isLate }: Matching): QueryMatch[] | undefined {
  const progressCallback = isLate;
  const matches: QueryMatch[] = [];
  const ranges: (Range | undefined)[] = [undefined];
  for (const range of ranges) {
    const tree = parser.parse(text, null, { progressCallback, ...(range && { includedRanges: [range] }) });
    if (tree === null) {
      parser.reset();
      return undefined;
    }
    trees.push(tree);
    const found = query.matches(tree.rootNode, { progressCallback });
    if (isLate()) return undefined;
    for (const match of found) {
      const [first] = match.captures;
      // The root of a part is not the file.
      if (range !== undefined && first?.node.parent === null) continue;
      if (first?.name !== 'inside') matches.push(match);
      else if (ranges.length < maxInside) ranges.push(withoutBrackets(first.node));
    }
  }
  return matches;
}

function withoutBrackets({ startIndex, endIndex, startPosition, endPosition }: Node): Range {
  return {
    startIndex: startIndex + 1,
    startPosition: { ...startPosition, column: startPosition.column + 1 },
    endIndex: Math.max(startIndex + 1, endIndex - 1),
    endPosition: { ...endPosition, column: Math.max(0, endPosition.column - 1) },
  };
}

/** What the matches of a query are, by their first capture. */
export function sortMatches(matches: readonly QueryMatch[]) {
  const imports: Node[] = [];
  const preceding: Node[] = [];
  const found: Found[] = [];
  const used = new Map<string, Set<string>>();
  const unused = new Set(
    matches.flatMap(({ captures: [first] }) => (first?.name === 'unused' ? [first.node.startIndex] : [])),
  );
  for (const { captures, setProperties } of matches) {
    const [first] = captures;
    if (first === undefined) continue;
    const node = first.node;
    const capture = (name: string): Node | undefined => captures.find((each) => each.name === name)?.node;
    if (first.name === 'import') imports.push(node);
    else if (first.name === 'preceding') preceding.push(node);
    else if (first.name === 'definition') {
      const name = capture('name');
      const { kind = null, begins } = setProperties ?? {};
      if (name)
        found.push({ node, name, kind: kind ?? undefined, body: capture('body'), isWholeLine: begins === 'line' });
    } else if (setProperties?.of || first.name !== 'used' || !unused.has(node.startIndex))
      addUsed(used, { name: capture('used'), qualifier: capture('qualifier'), of: setProperties?.of ?? '' });
  }
  return { imports, used: listNames(used), found, preceding };
}

type Used = { name: Node | undefined; qualifier: Node | undefined; of: string };

function addUsed(used: Map<string, Set<string>>, { name, qualifier, of }: Used): void {
  if (name === undefined || (qualifier && qualifier.endIndex - qualifier.startIndex > longestQualifier)) return;
  // A name that the parser only assumed is empty.
  if (name.isMissing) return;
  const key = qualifier?.text ?? of;
  const names = used.get(key) ?? new Set();
  if (names.size < (qualifier ? mostOfQualifier : mostNames)) names.add(name.text);
  used.set(key, names);
}

/** Returns the same list for the same qualifier, so that many imports can share it. */
function listNames(used: ReadonlyMap<string, ReadonlySet<string>>): UsedNames {
  const lists = new Map([...used].map(([qualifier, names]) => [qualifier, [...names]]));
  return (qualifier) => lists.get(qualifier) ?? none;
}

const none: readonly string[] = [];
