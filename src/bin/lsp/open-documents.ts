/** What an editor has open, as a request for context says it. */
import { fileURLToPath } from 'node:url';
import type { Position, Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { normalizePath } from '../../access/paths.ts';
import type { OpenDocument } from '../../prompt/context-request.ts';
import { fixedLimits } from '../../settings.ts';
import type { Warning } from '../../warnings.ts';

/** `isSaved`: what is shown is what is on disk. `changedAt` orders them. */
export type EditedDocument = { document: TextDocument; isSaved: boolean; changedAt: number };

/** Of the document that is asked about. */
export type Focus = Readonly<{ path: string; position?: Position; selection?: Range }>;

/** Leaves room in a request for the rest of it. */
const mostBytes = fixedLimits.http.bodyBytes - 64 * 1024;
const mostDocuments = 256;

/** Absolute and normalised; undefined for what is no local file. */
export function pathOf(uri: string): string | undefined {
  try {
    return normalizePath(fileURLToPath(uri));
  } catch {
    return undefined;
  }
}

/** The one in focus first, then those that were changed last. Texts that are saved, or find no room, are left to the disk. */
export function describeDocuments(
  edited: Iterable<EditedDocument>,
  focus: Focus | undefined,
): { documents: OpenDocument[]; warnings: Warning[] } {
  const warnings: Warning[] = [];
  const isFocus = ({ document }: EditedDocument): boolean => pathOf(document.uri) === focus?.path;
  const ordered = [...edited].sort((a, b) => Number(isFocus(b)) - Number(isFocus(a)) || b.changedAt - a.changedAt);
  let left = mostBytes;
  const documents = ordered.slice(0, mostDocuments).flatMap(({ document, isSaved, ...rest }): OpenDocument[] => {
    const path = pathOf(document.uri);
    if (path === undefined) return [];
    const described = { path, language: document.languageId.slice(0, 64) };
    const atFocus = isFocus({ document, isSaved, ...rest }) ? { isActive: true, ...placesIn(focus) } : {};
    if (isSaved) return [{ ...described, ...atFocus }];
    const content = document.getText().toWellFormed();
    const bytes = Buffer.byteLength(JSON.stringify(content));
    if (bytes <= left) {
      left -= bytes;
      return [{ ...described, content, ...atFocus }];
    }
    const message = 'What is not saved of this document finds no room in the request; what is on disk counts.';
    warnings.push({ code: 'limit_total_bytes', message, path });
    return [{ ...described, ...atFocus }];
  });
  const isOpen = documents.some(({ isActive }) => isActive);
  const active = focus === undefined || isOpen ? [] : [{ path: focus.path, isActive: true, ...placesIn(focus) }];
  return { documents: [...active, ...documents].slice(0, mostDocuments), warnings };
}

function placesIn({ position, selection }: Partial<Focus> = {}): Pick<OpenDocument, 'cursor' | 'selection'> {
  const place = ({ line, character }: Position) => ({ line, column: character });
  return {
    ...(position && { cursor: place(position) }),
    ...(selection && { selection: { start: place(selection.start), end: place(selection.end) } }),
  };
}
