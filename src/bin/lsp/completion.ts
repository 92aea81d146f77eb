/** Keys and values that are allowed at the cursor. */
import { type CompletionItem, CompletionItemKind, MarkupKind, type Position } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isFence, linesOf, placeAt } from './place.ts';
import { type PlaceInText, type Schema, schemaOf, schemasAt, valuesOf } from './schema.ts';
import type { WrittenFile } from './written-file.ts';

/** Empty if the place is not known. */
export function completionsAt(document: TextDocument, at: Position, file: WrittenFile): CompletionItem[] {
  const schema = schemaOf(file);
  if (schema === undefined) return [];
  const isJson = file.path.endsWith('.json');
  if (file.kind === 'context-file' && at.line === 0) return frontMatter(document, schema);
  const place = placeAt(document, at, file);
  if (place === undefined) return [];
  const found = schemasAt(schema, place.path);
  const items = [
    ...(place.wants === 'value' ? [] : found.flatMap((each) => keysOf(each, place, isJson))),
    ...(place.wants === 'key' ? [] : found.flatMap((each) => valueItems(schema, each, isJson))),
  ];
  const range = { start: place.from, end: place.to ?? at };
  const unique = new Map(items.map((item) => [item.label, item]));
  return [...unique.values()].map(({ insertText = '', ...item }) => ({
    ...item,
    filterText: insertText.replace(/: $/u, ''),
    textEdit: { range, newText: insertText },
  }));
}

/** If the file has no front matter yet, its lines are added. Some editors show an empty file as one with an empty line. */
function frontMatter(document: TextDocument, { properties = {} }: Schema): CompletionItem[] {
  const [first = '', ...rest] = linesOf(document);
  if (first.replaceAll('-', '') !== '' || rest.some(isFence)) return [];
  const keys = ['trigger', 'globs', 'description', 'alwaysApply'].filter((name) => Object.hasOwn(properties, name));
  const newText = ['---', ...keys.map((name) => `${name}: `), '---', ''].join('\n');
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: first.length } };
  const label = 'front matter';
  return [{ label, kind: CompletionItemKind.Snippet, filterText: '---', textEdit: { range, newText } }];
}

function keysOf({ properties = {} }: Schema, { siblings, isFollowed }: PlaceInText, isJson: boolean): CompletionItem[] {
  return Object.entries(properties)
    .filter(([name]) => !siblings.has(name))
    .map(([name, { description }]) => ({
      label: name,
      kind: CompletionItemKind.Property,
      insertText: `${isJson ? JSON.stringify(name) : name}${isFollowed ? '' : ': '}`,
      ...(description !== undefined && { documentation: { kind: MarkupKind.Markdown, value: description } }),
    }));
}

function valueItems(root: Schema, schema: Schema, isJson: boolean): CompletionItem[] {
  return valuesOf(root, schema).map((value) => ({
    label: String(value),
    kind: CompletionItemKind.Value,
    insertText: isJson ? JSON.stringify(value) : String(value),
  }));
}
