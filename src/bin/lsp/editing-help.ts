/** Help in an editor for files of contextd: findings, completions, explanations and effects. */
import type { Connection } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { ContextdError } from '../../errors.ts';
import { type FileList, listFiles } from '../in-process/list-files.ts';
import { completionsAt } from './completion.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { followDocuments } from './document-states.ts';
import { type Effect, effectsOf } from './effects.ts';
import type { Folders } from './folders.ts';
import { hoverAt } from './hover.ts';
import { type EditedDocument, pathOf } from './open-documents.ts';
import { type WrittenFile, writtenFileAt } from './written-file.ts';

/** Findings are not updated while the user types. */
const typingMs = 200;
/** How long a list of files is used again. */
const listMs = 5_000;

type Written = { document: TextDocument; file: WrittenFile };

/** Returns the open documents: of these files, and all others. */
export function helpEditing(
  connection: Connection,
  { folders, clientContextPath }: { folders: Folders; clientContextPath: string },
): () => Iterable<EditedDocument> {
  const publish = (uri: string): void => {
    const found = written(uri);
    if (found) void connection.sendDiagnostics({ uri, diagnostics: diagnosticsOf(found.document, found.file) });
  };
  const documents = followDocuments(connection, { typingMs, onRest: publish });
  const written = (uri: string): Written | undefined => {
    const path = pathOf(uri);
    const document = documents.get(uri);
    const file = path === undefined ? undefined : writtenFileAt(path, clientContextPath);
    return document && file && { document, file };
  };
  const list = keepLists(clientContextPath);
  const findEffects = async ({ document, file }: Written): Promise<Effect[]> => {
    const folder = folders.of(file.path);
    if (folder === undefined) return [];
    const { uri, version } = document;
    const isStale = () => documents.get(uri) !== document || document.version !== version;
    try {
      return await effectsOf(file, document.getText(), { mountedDirectory: folder, list: () => list(folder), isStale });
    } catch (error) {
      // The folder cannot be read.
      if (error instanceof ContextdError) return [];
      throw error;
    }
  };

  /** An editor asks for lenses and hovers at the same time. */
  const running = new Map<TextDocument, { version: number; effects: Promise<Effect[]> }>();
  const effects = ({ document, file }: Written): Promise<Effect[]> => {
    const current = running.get(document);
    if (current?.version === document.version) return current.effects;
    const next = { version: document.version, effects: findEffects({ document, file }) };
    running.set(document, next);
    const forget = () => running.get(document) === next && running.delete(document);
    next.effects.then(forget, forget);
    return next.effects;
  };

  connection.onCompletion(({ textDocument, position }) => {
    const found = written(textDocument.uri);
    return found ? completionsAt(found.document, position, found.file) : [];
  });
  connection.onHover(async ({ textDocument, position }) => {
    const found = written(textDocument.uri);
    if (!found) return null;
    const { document, file } = found;
    return hoverAt(document, position, { file, effects: await effects(found) }) ?? null;
  });
  connection.onCodeLens(async ({ textDocument }) => {
    const found = written(textDocument.uri);
    if (!found) return [];
    return (await effects(found)).map(({ line, title }) => ({
      range: { start: { line, character: 0 }, end: { line, character: 0 } },
      // Only shown; there is no command to run.
      command: { title, command: '' },
    }));
  });
  return documents.all;
}

function keepLists(clientContextPath: string): (folder: string) => Promise<FileList> {
  const listed = new Map<string, { list: Promise<FileList>; since: number }>();
  return (folder) => {
    const known = listed.get(folder);
    if (known !== undefined && performance.now() - known.since < listMs) return known.list;
    const list = listFiles(folder, clientContextPath);
    listed.set(folder, { list, since: performance.now() });
    list.catch(() => listed.delete(folder));
    return list;
  };
}
