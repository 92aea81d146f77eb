/** Finds the place of a cursor in a file of contextd that people write. */
import type { Position } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { withoutMark } from '../../texts/decode-text.ts';
import { cursorInJson } from '../../texts/json-cursor.ts';
import type { PlaceInText } from './schema.ts';
import type { WrittenFile } from './written-file.ts';
import { yamlPlace } from './yaml-place.ts';

/** `undefined` where there is nothing to complete or explain, such as in the text of a rule. */
export function placeAt(document: TextDocument, at: Position, { kind, path }: WrittenFile): PlaceInText | undefined {
  if (kind === 'context-config' && path.endsWith('.json')) return jsonPlace(document, at);
  const lines = linesOf(document);
  if (kind !== 'context-file') return yamlPlace(lines, at);
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  const isInFrontMatter = at.line > 0 && isFence(lines[0] ?? '') && (end < 0 || at.line < end);
  if (!isInFrontMatter) return undefined;
  return yamlPlace(['', ...lines.slice(1, end < 0 ? undefined : end)], at);
}

export function linesOf(document: TextDocument): string[] {
  return withoutMark(document.getText()).split(/\r\n|\r|\n/u);
}

export function isFence(line: string): boolean {
  return line.trimEnd() === '---';
}

function jsonPlace(document: TextDocument, at: Position): PlaceInText | undefined {
  const text = document.getText();
  const cursor = cursorInJson(text, document.offsetAt(at));
  if (cursor === undefined) return undefined;
  const { path, isAtKey, key, siblings, start, end } = cursor;
  return {
    path,
    wants: isAtKey ? 'key' : 'value',
    key,
    siblings: new Set(siblings),
    from: document.positionAt(start),
    to: document.positionAt(end),
    isFollowed: text
      .slice(end, end + 256)
      .trimStart()
      .startsWith(':'),
  };
}
