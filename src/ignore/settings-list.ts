/** Reads lists of texts in the settings of other tools, which are JSON with comments. */
import { fixedLimits } from '../settings.ts';
import { withoutMark } from '../texts/decode-text.ts';
import { parseForeignJson } from '../texts/json-source.ts';
import { createPositions, type SourceNode } from '../texts/source-tree.ts';

type Listed = { values: { value: string; line: number }[] } | { problem: string; line: number };

/** The entries of the list at these keys, with their lines. Empty if there is no list. */
export function readList(text: string, keys: readonly string[]): Listed {
  const content = withoutMark(text);
  if (content.trim() === '') return { values: [] };
  const source = parseForeignJson(content);
  const placeOf = createPositions(content);
  const lineAt = (offset: number): number => placeOf(offset).line;
  if ('problem' in source) return { problem: source.problem.message, line: lineAt(source.problem.offset) };
  let node: SourceNode | undefined = source.root;
  for (const key of keys) {
    if (node !== undefined && node.value !== null && !(node.value instanceof Map))
      return { problem: `"${key}" must be inside an object`, line: lineAt(node.offset) };
    node = node?.value instanceof Map ? node.value.get(key)?.node : undefined;
  }
  if (node === undefined || node.value === null) return { values: [] };
  const name = keys.join('.');
  const { lines } = fixedLimits.ignoreFiles;
  if (!Array.isArray(node.value)) return { problem: `"${name}" is not a list`, line: lineAt(node.offset) };
  if (node.value.length > lines)
    return { problem: `"${name}" has more than ${lines} entries`, line: lineAt(node.offset) };
  const values: { value: string; line: number }[] = [];
  for (const { value, offset } of node.value) {
    const line = lineAt(offset);
    if (typeof value !== 'string') return { problem: `an entry of "${name}" is not text`, line };
    values.push({ value, line });
  }
  return { values };
}
