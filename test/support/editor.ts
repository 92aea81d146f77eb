/** An editor as a language server sees one: what it opens, types and asks, over the standard streams of `contextd lsp`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import {
  createMessageConnection,
  type Diagnostic,
  type InitializeResult,
  type MessageConnection,
  type ShowMessageRequestParams,
} from 'vscode-languageserver/node';
import { entryPath } from './daemon.ts';

export type Editor = {
  connection: MessageConnection;
  initialized: InitializeResult;
  /** Questions that the user was asked. */
  questions: ShowMessageRequestParams[];
  /** Told so far, by path. */
  diagnostics: Map<string, Diagnostic[]>;
  changes: { type: string }[];
  refreshes: number;
  errors: () => string;
  open(path: string, text: string, languageId?: string): Promise<void>;
  /** Replaces a range, or all of the text. */
  type(path: string, text: string, range?: { start: Place; end: Place }): Promise<void>;
  save(path: string): Promise<void>;
  close(path: string): Promise<void>;
  ask<Answer>(method: string, params: object): Promise<Answer>;
  tell(method: string, params: object): Promise<void>;
  /** The exit code. */
  exit(): Promise<number | null>;
};
type Place = { line: number; character: number };

type Options = {
  folders: readonly string[];
  /** Not with a daemon that `env` names. */
  stateDirectory?: string;
  home: string;
  /** What the user answers when asked. Default: no. */
  allow?: boolean;
  /** More variables of the environment. */
  env?: Record<string, string>;
};

export const uriOf = (path: string): string => pathToFileURL(path).href;

export async function openEditor({ folders, stateDirectory, home, allow, env }: Options): Promise<Editor> {
  const command = [entryPath, 'lsp', ...(stateDirectory === undefined ? [] : ['--state-dir', stateDirectory])];
  const child = spawn(process.execPath, command, { env: { PATH: process.env.PATH, HOME: home, ...env }, cwd: '/' });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const connection = createMessageConnection(child.stdout, child.stdin);
  const questions: ShowMessageRequestParams[] = [];
  const diagnostics = new Map<string, Diagnostic[]>();
  const changes: { type: string }[] = [];
  const told = { refreshes: 0 };
  connection.onRequest('window/showMessageRequest', (params: ShowMessageRequestParams) => {
    questions.push(params);
    return params.actions?.find(({ title }) => title === (allow ? 'Allow' : 'Not now')) ?? null;
  });
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('workspace/codeLens/refresh', () => {
    told.refreshes += 1;
    return null;
  });
  type Published = { uri: string; diagnostics: Diagnostic[] };
  connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics: found }: Published) => {
    diagnostics.set(decodeURIComponent(new URL(uri).pathname), found);
  });
  connection.onNotification('contextd/changed', (change: { type: string }) => {
    changes.push(change);
  });
  connection.listen();
  const versions = new Map<string, number>();
  const ask = <Answer>(method: string, params: object) => connection.sendRequest<Answer>(method, params);
  const initialized = await ask<InitializeResult>('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { codeLens: { refreshSupport: true }, workspaceFolders: true } },
    workspaceFolders: folders.map((path) => ({ uri: uriOf(path), name: path })),
  });
  await connection.sendNotification('initialized', {});
  return {
    connection,
    initialized,
    questions,
    diagnostics,
    changes,
    get refreshes() {
      return told.refreshes;
    },
    errors: () => errors,
    open: (path, text, languageId = 'markdown') =>
      connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: uriOf(path), languageId, version: 1, text },
      }),
    type(path, text, range) {
      const version = (versions.get(path) ?? 1) + 1;
      versions.set(path, version);
      const contentChanges = [range === undefined ? { text } : { range, text }];
      return connection.sendNotification('textDocument/didChange', {
        textDocument: { uri: uriOf(path), version },
        contentChanges,
      });
    },
    save: (path) => connection.sendNotification('textDocument/didSave', { textDocument: { uri: uriOf(path) } }),
    close: (path) => connection.sendNotification('textDocument/didClose', { textDocument: { uri: uriOf(path) } }),
    ask,
    tell: (method, params) => connection.sendNotification(method, params),
    async exit() {
      const ended = once(child, 'exit') as Promise<[number | null]>;
      if (child.exitCode === null) {
        await connection.sendRequest('shutdown');
        await connection.sendNotification('exit');
      }
      const [code] = child.exitCode === null ? await ended : [child.exitCode];
      connection.dispose();
      return code;
    },
  };
}
