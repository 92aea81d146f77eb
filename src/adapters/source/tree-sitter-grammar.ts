/** What the extractor needs to know about one language. */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ExportedName, ImportStatement } from '../../ports/parsed-source.ts';

/** The names a file uses, by what they are qualified with: `''` for those that stand alone. In the order of first use, and bounded. */
export type UsedNames = (qualifier: string) => readonly string[];

/** Definitions that are nothing without what stands around all of them: `list` is the node that has the brackets. */
export type Group = Readonly<{ node: Node; list: Node }>;

/**
 * `query` captures `@import` statements; what holds statements `@inside` brackets that the grammar does not look into; `@definition` with its `@name`; `@used` names, with a `@qualifier` where they have
 * one; and what belongs to the definition below it, as `@preceding`. A definition contains others when `kind` is `type`,
 * whose members bear its name (`Type.member`), or `module`, in which only what is no type does. Others hide what is in them.
 */
export type Grammar = Readonly<{
  /** The file of `@vscode/tree-sitter-wasm` without its ending. */
  wasm: string;
  query: string;
  /** The statements that one `@import` stands for. */
  readImport(node: Node, used: UsedNames): ImportStatement[];
  /** The names that one `@import` makes known to those who import this file. */
  readExports?(node: Node): ExportedName[];
  /** The name of a definition where it is not the text of `@name`. */
  readName?(name: Node, definition: Node): string | undefined;
  /** Documentation that is written inside a body. */
  findDocumentation?(body: Node): Node | undefined;
  /** The group that a definition is one of, as constants that are declared together. */
  findGroup?(definition: Node): Group | undefined;
}>;

/** The line a node begins in, from 1. */
export function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}

/** The text of a child that has a name in the grammar; `''` when there is none. */
export function fieldText(node: Node, field: string): string {
  return node.childForFieldName(field)?.text ?? '';
}

/** Children that are nodes of the grammar's own, in order. */
export function childrenOf(node: Node, field?: string): Node[] {
  const children = field === undefined ? node.namedChildren : node.childrenForFieldName(field);
  return children.filter((child) => child !== null);
}
