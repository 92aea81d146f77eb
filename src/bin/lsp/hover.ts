/** Explains keys, and the effects of a file. */
import { type Hover, MarkupKind, type Position } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { visibleText } from '../../texts/visible-text.ts';
import type { Effect } from './effects.ts';
import { placeAt } from './place.ts';
import { describe, schemaOf } from './schema.ts';
import type { WrittenFile } from './written-file.ts';

/** Keys whose values are about files. */
const aboutFiles: readonly string[] = ['globs', 'appliesTo', 'applyTo', 'paths', 'trigger', 'alwaysApply'];

/** `undefined` if there is nothing to explain. */
export function hoverAt(
  document: TextDocument,
  at: Position,
  { file, effects }: { file: WrittenFile; effects: readonly Effect[] },
): Hover | undefined {
  const place = placeAt(document, at, file);
  const schema = schemaOf(file);
  const path = [...(place?.path ?? []), ...(place?.key === undefined ? [] : [place.key])];
  const last = path.findLast((part) => typeof part === 'string');
  const means = place && schema && describe(schema, path);
  const isAboutFiles = file.kind === 'context-file' && aboutFiles.includes(String(last));
  const effect = effects.find(({ line }) => line === at.line || isAboutFiles);
  const parts = [means === undefined ? '' : `**${last}**: ${means}`, effect === undefined ? '' : told(effect)];
  const value = parts.filter((part) => part !== '').join('\n\n');
  return value === '' ? undefined : { contents: { kind: MarkupKind.Markdown, value } };
}

function told({ title, files }: Effect): string {
  const names = files.map((path) => `- \`${visibleText(path).replaceAll('`', "'")}\``);
  return [`This ${title}${names.length === 0 ? '.' : ':'}`, ...(names.length === 0 ? [] : ['', ...names])].join('\n');
}
