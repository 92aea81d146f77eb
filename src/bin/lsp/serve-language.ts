/** The language server: answers an editor about its documents. */
import {
  CodeLensRefreshRequest,
  type Connection,
  type InitializeResult,
  TextDocumentSyncKind,
} from 'vscode-languageserver';
import { isInside } from '../../access/paths.ts';
import type { EventType } from '../../events/event.ts';
import type { SteadyDaemon } from '../client/steady-daemon.ts';
import { addContextRequests } from './context-requests.ts';
import { helpEditing } from './editing-help.ts';
import { createFolders, type Folders } from './folders.ts';

type Serving = { daemon: SteadyDaemon; clientContextPath: string; version: string };

/** Serves a connection that does not listen yet. */
export function serveLanguage(connection: Connection, { daemon, clientContextPath, version }: Serving): void {
  const folders = createFolders(connection, daemon);
  const edited = helpEditing(connection, { folders, clientContextPath });
  addContextRequests(connection, folders, edited);
  let canRefresh = false;
  connection.onInitialize(({ capabilities, workspaceFolders, rootUri }): InitializeResult => {
    folders.change(workspaceFolders ?? (rootUri ? [{ uri: rootUri }] : []), []);
    canRefresh = capabilities.workspace?.codeLens?.refreshSupport === true;
    return {
      serverInfo: { name: 'contextd', version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        completionProvider: { triggerCharacters: [':', ' ', '"', '-', '['] },
        hoverProvider: true,
        codeLensProvider: {},
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });
  connection.onInitialized(() => {
    // Only now, because the library's own handler would replace an earlier one.
    connection.onNotification('workspace/didChangeWorkspaceFolders', ({ event }: FoldersChanged) =>
      folders.change(event.added, event.removed),
    );
    const stream = tellChanges(connection, { daemon, folders, canRefresh });
    connection.onExit(() => stream.close());
  });
}

type FoldersChanged = { event: { added: { uri: string }[]; removed: { uri: string }[] } };
type ToldDirectories = { mountedDirectories: readonly string[]; mountedDirectory: string };

const followed = [
  'context-changed',
  'policy-changed',
  'supplementary-changed',
  'resync',
] as const satisfies EventType[];

/** Passes on events about the open folders. */
function tellChanges(
  connection: Connection,
  { daemon, folders, canRefresh }: { daemon: SteadyDaemon; folders: Folders; canRefresh: boolean },
): { close(): void } {
  const isOpen = (path: string): boolean =>
    folders.paths().some((folder) => isInside(folder, path) || isInside(path, folder));
  return daemon.follow(followed, ({ type, data }) => {
    const { mountedDirectories = [], mountedDirectory } = data as Partial<ToldDirectories>;
    const about = mountedDirectory === undefined ? mountedDirectories : [mountedDirectory];
    if (type !== 'resync' && !about.some(isOpen)) return;
    void connection.sendNotification('contextd/changed', data);
    // The editor has ended.
    if (canRefresh) connection.sendRequest(CodeLensRefreshRequest.type).catch(() => {});
  });
}
