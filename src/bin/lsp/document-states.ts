/** The open documents of an editor, with their shown texts. */
import { type Connection, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { EditedDocument } from './open-documents.ts';

type DocumentStates = Readonly<{
  get(uri: string): TextDocument | undefined;
  all(): Iterable<EditedDocument>;
}>;

/** `onRest` is called when a document was opened, or has not changed for `typingMs`. */
export function followDocuments(
  connection: Connection,
  { typingMs, onRest }: { typingMs: number; onRest: (uri: string) => void },
): DocumentStates {
  const documents = new TextDocuments(TextDocument);
  const states = new Map<string, EditedDocument>();
  const timers = new Map<string, NodeJS.Timeout>();
  let changes = 0;
  const set = (document: TextDocument, isSaved: boolean): void => {
    changes += 1;
    states.set(document.uri, { document, isSaved, changedAt: changes });
  };
  const restLater = (uri: string, waitMs: number): void => {
    clearTimeout(timers.get(uri));
    const timer = setTimeout(() => {
      timers.delete(uri);
      onRest(uri);
    }, waitMs);
    timers.set(uri, timer);
  };
  // Also called when a document is opened. Then it is not known whether it is the same as on disk.
  documents.onDidChangeContent(({ document }) => {
    const isNew = !states.has(document.uri);
    set(document, false);
    restLater(document.uri, isNew ? 0 : typingMs);
  });
  documents.onDidSave(({ document }) => set(document, true));
  documents.onDidClose(({ document: { uri } }) => {
    states.delete(uri);
    clearTimeout(timers.get(uri));
    timers.delete(uri);
    // Removes the findings of the document.
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  documents.listen(connection);
  return { get: (uri) => documents.get(uri), all: () => states.values() };
}
