/** Finds the place of a cursor in a JSON text that may not be valid yet. */
import { findNodeAtLocation, getLocation, parseTree } from 'jsonc-parser';
import { hasTooMuch } from './json-source.ts';

/** Names in `path` are keys, numbers stand for elements of lists. Offsets count UTF-16 code units. */
type JsonCursor = Readonly<{
  /** The path of the value with the cursor or, if the cursor is at a key, of the object. */
  path: readonly (string | number)[];
  isAtKey: boolean;
  /** The key that the cursor is in. */
  key?: string;
  /** The other keys of the object. */
  siblings: readonly string[];
  /** The text or word around the cursor. If there is none, both are the cursor. */
  start: number;
  end: number;
}>;

/** Undefined for a text that is nested too deep or too long. */
export function cursorInJson(text: string, offset: number): JsonCursor | undefined {
  if (hasTooMuch(text)) return undefined;
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const node = previousNode && offset <= previousNode.offset + previousNode.length ? previousNode : undefined;
  const object = isAtPropertyKey ? path.slice(0, -1) : path;
  const root = isAtPropertyKey ? parseTree(text) : undefined;
  const properties = (root && findNodeAtLocation(root, object)?.children) ?? [];
  const others = properties.filter(({ offset: start, length }) => offset < start || start + length < offset);
  return {
    path: object,
    isAtKey: isAtPropertyKey,
    ...(isAtPropertyKey && node && { key: String(path.at(-1)) }),
    siblings: others.map(({ children }) => String(children?.[0]?.value)),
    start: node?.offset ?? startOfWord(text, offset),
    end: node ? node.offset + node.length : offset,
  };
}

function startOfWord(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && /\w/u.test(text[start - 1] as string)) start -= 1;
  return start;
}
