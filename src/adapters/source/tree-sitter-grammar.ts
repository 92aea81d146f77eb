/** What the extractor needs for one language. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';
import type { GrammarFile } from './grammar-files.ts';

/**
 * The names that a file uses, by qualifier; `''` for names without one. In the order of first use, up to a limit. A
 * query can give names a kind instead of a qualifier: `#set! of "function"`.
 */
export type UsedNames = (qualifier: string) => readonly string[];

/**
 * Definitions that need the text around them, such as constants declared together. `list`: the node with the brackets,
 * or one that ends without a bracket. `first`: the first member, if other nodes come before.
 */
export type Group = Readonly<{ node: Node; list: Node; first?: Node }>;

/**
 * `query` captures: `@import` statements; `@inside`, what is in brackets or quotes and the grammar does not
 * parse; `@definition` with its `@name`, and with its `@body` if the grammar has it beside the definition or without
 * a field; `@used` names, with a `@qualifier` if they have one; `@unused`, names without a qualifier that are no use
 * after all; `@preceding`, comments that belong to the definition below. A definition whose first words the grammar has
 * beside it `begins` with its `line`. A definition with a `kind` contains others. If it is `type`, the names
 * of its members begin with its name (`Type.member`). If it is `module`, only the names of members without a kind do.
 * Definitions without a kind hide what is inside them.
 */
export type Grammar = Readonly<{
  wasm: GrammarFile;
  query: string;
  /** Whether what precedes a definition, other than comments, can be apart from it by an empty line. */
  isSpaced?: true;
  /** The text as the grammar can read it, of the same length. Names are read from it, the text that is shown is not. */
  prepare?(text: string): string;
  /** The import statements of one `@import`. */
  readImport(node: Node, used: UsedNames): ImportStatement[];
  /** The names of one `@import` that importers of this file get too. */
  readExports?(node: Node): ExportedName[];
  /** The name of a definition, if it is not the text of `@name`. */
  readName?(name: Node, definition: Node): string | undefined;
  /** Documentation inside a body. */
  findDocumentation?(body: Node): Node | undefined;
  /** The group of a definition, such as constants that are declared together. */
  findGroup?(definition: Node): Group | undefined;
}>;

/** Makes something of the used names once for a file, so that all its statements share it. */
export function onceForFile<Made>(make: (used: UsedNames) => Made): (used: UsedNames) => Made {
  const known = new WeakMap<UsedNames, { made: Made }>();
  return (used) => {
    const entry = known.get(used) ?? { made: make(used) };
    known.set(used, entry);
    return entry.made;
  };
}

/** The names without a qualifier, except those of a kind, such as what the file declares itself. */
export function usedExcept(used: UsedNames, kind: string): string[] {
  const others = new Set(used(kind));
  return used('').filter((name) => !others.has(name));
}

/** The line where a node begins, from 1. */
export function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}

/** The text of a child with this name in the grammar; `''` if there is none. */
export function fieldText(node: Node, field: string): string {
  return node.childForFieldName(field)?.text ?? '';
}

/** The named children of a node, in order. */
export function childrenOf(node: Node, field?: string): Node[] {
  const children = field === undefined ? node.namedChildren : node.childrenForFieldName(field);
  return children.filter((child) => child !== null);
}
