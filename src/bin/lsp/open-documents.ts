/** The open documents of an editor, for a request for context. */
import { fileURLToPath } from 'node:url';
import type { Position, Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { normalizePath } from '../../access/paths.ts';
import type { OpenDocument } from '../../prompt/context-request.ts';
import { fixedLimits } from '../../settings.ts';
import type { Warning } from '../../warnings.ts';

/** `isSaved`: the shown text is the same as on disk. `changedAt`: for sorting. */
export type EditedDocument = { document: TextDocument; isSaved: boolean; changedAt: number };

/** The place in the document that a request is about. */
export type Focus = Readonly<{ path: string; position?: Position; selection?: Range }>;

/** Leaves room for the rest of the request. */
const maxBytes = fixedLimits.http.bodyBytes - 64 * 1024;
const maxDocuments = 256;

/** Absolute and normalised. `undefined` if it is not a local file. */
export function pathOf(uri: string): string | undefined {
  try {
    return normalizePath(fileURLToPath(uri));
  } catch {
    return undefined;
  }
}

/**
 * The document in focus first, then unsaved ones, each by the time of the last change. The texts of saved documents,
 * and of those that do not fit, are left out, so that they are read from disk.
 */
export function describeDocuments(
  edited: Iterable<EditedDocument>,
  focus: Focus | undefined,
): { documents: OpenDocument[]; warnings: Warning[] } {
  const warnings: Warning[] = [];
  const noRoom = (path: string): void => {
    const message = 'What is not saved of this document finds no room in the request; what is on disk counts.';
    warnings.push({ code: 'limit_total_bytes', message, path });
  };
  const onDisk = [...edited].flatMap((each) => {
    const path = pathOf(each.document.uri);
    return path === undefined ? [] : [{ ...each, path, isFocus: path === focus?.path }];
  });
  const ordered = onDisk.sort(
    (a, b) =>
      Number(b.isFocus) - Number(a.isFocus) || Number(a.isSaved) - Number(b.isSaved) || b.changedAt - a.changedAt,
  );
  const isOpen = ordered[0]?.isFocus ?? false;
  const active = focus === undefined || isOpen ? [] : [{ path: focus.path, isActive: true, ...placesIn(focus) }];
  const room = maxDocuments - active.length;
  let left = maxBytes;
  const documents = ordered.slice(0, room).map(({ document, path, isSaved, isFocus }): OpenDocument => {
    const atFocus = isFocus ? { isActive: true, ...placesIn(focus) } : {};
    const described = { path, language: document.languageId.slice(0, 64), ...atFocus };
    if (isSaved) return described;
    const content = document.getText().toWellFormed();
    const bytes = Buffer.byteLength(JSON.stringify(content));
    if (bytes > left) {
      noRoom(path);
      return described;
    }
    left -= bytes;
    return { ...described, content };
  });
  for (const { path, isSaved } of ordered.slice(room)) if (!isSaved) noRoom(path);
  return { documents: [...active, ...documents], warnings };
}

function placesIn({ position, selection }: Partial<Focus> = {}): Pick<OpenDocument, 'cursor' | 'selection'> {
  const place = ({ line, character }: Position) => ({ line, column: character });
  return {
    ...(position && { cursor: place(position) }),
    ...(selection && { selection: { start: place(selection.start), end: place(selection.end) } }),
  };
}
