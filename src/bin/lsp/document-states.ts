/** The documents that an editor has open, with their texts as they are shown. */
import { type Connection, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { EditedDocument } from './open-documents.ts';

type DocumentStates = Readonly<{
  get(uri: string): TextDocument | undefined;
  all(): Iterable<EditedDocument>;
}>;

/** `onRest` is called for a document that was opened, or has not changed for `typingMs`. */
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
  // Of what is opened, nothing says whether it is what is on disk. This is called when it is opened, too.
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
    // What was told of a document is withdrawn with it.
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  documents.listen(connection);
  return { get: (uri) => documents.get(uri), all: () => states.values() };
}
