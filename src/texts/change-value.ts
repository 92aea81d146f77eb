/** Changes one value of a JSON or YAML text. Everything else stays as it is written. */

import { applyEdits, modify } from 'jsonc-parser';
import { type Document, isMap, isNode, isScalar, type Pair, parseDocument, stringify } from 'yaml';

type Path = readonly string[];
type Change = { path: Path; value: unknown };

/** `text` is JSON that was read before. */
export function changeJsonValue(text: string, path: Path, value: unknown): string {
  const tabSize = /^( +)"/mu.exec(text)?.[1]?.length ?? 2;
  const formattingOptions = { tabSize, insertSpaces: !/^\t/mu.test(text), eol: text.includes('\r\n') ? '\r\n' : '\n' };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}

/** `text` is YAML that was read before, so that it is within the limits. */
export function changeYamlValue(text: string, path: Path, value: unknown): string {
  const isCrlf = text.includes('\r\n');
  const plain = text.replaceAll('\r\n', '\n');
  const document = parseYaml(plain);
  const spliced = spliceYaml(plain, document, { path, value });
  document.setIn(path, value);
  const wanted: unknown = document.toJS();
  const changed =
    spliced !== undefined && saysInYaml(spliced, wanted)
      ? spliced
      : document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return isCrlf ? changed.replaceAll('\n', '\r\n') : changed;
}

function saysInYaml(text: string, wanted: unknown): boolean {
  const document = parseYaml(text);
  return document.errors.length === 0 && JSON.stringify(document.toJS()) === JSON.stringify(wanted);
}

/** Parses YAML to change it. Its errors are in the document. The last two options avoid quadratic time. */
export function parseYaml(text: string): Document.Parsed {
  return parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    logLevel: 'silent',
    uniqueKeys: false,
    prettyErrors: false,
  });
}

/** Replaces only the characters of the value, or adds a line for it. Undefined if this is not possible. */
function spliceYaml(text: string, document: Document.Parsed, { path, value }: Change): string | undefined {
  const map = document.getIn(path.slice(0, -1));
  if (!isMap(map)) return undefined;
  const key = path.at(-1) as string;
  const written = stringify(value, { lineWidth: 0, collectionStyle: 'flow', flowCollectionPadding: false }).trim();
  const present = document.getIn(path, true);
  if (isNode(present) && present.range) {
    const [start, end] = present.range;
    // The range of a list ends with the line of its last entry.
    const behind = text.slice(start, end).endsWith('\n') ? '\n' : '';
    return text.slice(0, start) + written + behind + text.slice(end);
  }
  const { key: first } = (map.items[0] ?? {}) as Partial<Pair>;
  const last = map.items.at(-1)?.value;
  if (map.flow === true || !isScalar(first) || !first.range || !isNode(last) || !last.range) return undefined;
  const [start] = first.range;
  const [, end] = last.range;
  const newline = text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
  const at = newline < 0 ? text.length : newline;
  const indent = ' '.repeat(start - (text.lastIndexOf('\n', start) + 1));
  return `${text.slice(0, at)}\n${indent}${key}: ${written}${text.slice(at)}`;
}
