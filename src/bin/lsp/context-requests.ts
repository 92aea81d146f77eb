/** `contextd/context`, `contextd/explain` and `contextd/search`: the daemon's answers about what the editor shows. */
import { homedir } from 'node:os';
import { type Connection, ErrorCodes, LSPErrorCodes, ResponseError } from 'vscode-languageserver';
import { z } from 'zod';
import { parentPath } from '../../access/paths.ts';
import { projectAround } from '../../access/repositories.ts';
import { ContextdError, refuseField } from '../../errors.ts';
import { refuseInput } from '../../texts/parse-input.ts';
import type { Warning } from '../../warnings.ts';
import { CommandFailure } from '../exit-codes.ts';
import { holdsGit } from '../state/paths-on-disk.ts';
import type { Folders } from './folders.ts';
import { describeDocuments, type EditedDocument, type Focus, pathOf } from './open-documents.ts';

const Position = z.object({ line: z.int().min(0), character: z.int().min(0) });

/** The fields in terms of the editor. The others are fields of the daemon's request. */
const Asked = z.looseObject({
  textDocument: z.object({ uri: z.string() }).nullish(),
  position: Position.nullish(),
  selection: z.object({ start: Position, end: Position }).nullish(),
  workspaceFolder: z.string().nullish(),
});

type Edited = () => Iterable<EditedDocument>;

export function addContextRequests(connection: Connection, folders: Folders, edited: Edited): void {
  const answer = (name: string, ask: (asked: Placed) => Promise<unknown>): void => {
    connection.onRequest(`contextd/${name}`, async (params: unknown) => {
      try {
        return await ask(await readAsked(params ?? {}, folders));
      } catch (error) {
        return responseOf(error);
      }
    });
  };
  answer('context', async ({ mountedDirectory, focus, rest }) => {
    const { documents, warnings } = describeDocuments(edited(), focus);
    const body = { mountedDirectory, documents, ...rest };
    const found = await folders.ask<{ warnings: Warning[] }>('/v1/context', body);
    return warnings.length === 0 ? found : { ...found, warnings: [...found.warnings, ...warnings] };
  });
  answer('explain', ({ mountedDirectory, focus, rest }) => {
    const files = focus === undefined ? {} : { files: [focus.path] };
    return folders.ask('/v1/context/explain', { mountedDirectory, ...files, ...rest });
  });
  answer('search', ({ mountedDirectory, rest }) => folders.ask('/v1/search', { mountedDirectory, ...rest }));
}

type Placed = { mountedDirectory: string; focus: Focus | undefined; rest: Record<string, unknown> };

/** Throws `ContextdError`. */
async function readAsked(params: unknown, folders: Folders): Promise<Placed> {
  const parsed = Asked.safeParse(params);
  if (!parsed.success) throw refuseInput('The parameters are not valid.', parsed.error);
  const { textDocument, position, selection, workspaceFolder, ...rest } = parsed.data;
  const path = fileOf(textDocument?.uri, '/textDocument/uri');
  const folder = fileOf(workspaceFolder ?? undefined, '/workspaceFolder') ?? (await folderFor(path, folders));
  if (folder === undefined) {
    const message = 'Say which folder is meant: the editor has not opened exactly one.';
    throw refuseField('invalid_request', '/workspaceFolder', message);
  }
  const focus =
    path === undefined ? undefined : { path, ...(position && { position }), ...(selection && { selection }) };
  return { mountedDirectory: folder, focus, rest };
}

/** For a file outside of all folders, the only folder is used, or the repository of the file, or else its directory. */
async function folderFor(path: string | undefined, folders: Folders): Promise<string | undefined> {
  const [first, ...others] = folders.paths();
  const only = others.length === 0 ? first : undefined;
  if (path === undefined) return only;
  const directory = parentPath(path);
  return folders.of(path) ?? only ?? (await projectAround(directory, homedir(), holdsGit)) ?? directory;
}

function fileOf(uri: string | undefined, pointer: string): string | undefined {
  const path = uri === undefined ? undefined : pathOf(uri);
  if (uri === undefined || path !== undefined) return path;
  const message = 'Only files of this machine have context: the address must begin with "file://".';
  throw refuseField('invalid_request', pointer, message);
}

/** The message of the daemon, or of the command that could not start it. */
function responseOf(error: unknown): ResponseError<unknown> {
  if (error instanceof ContextdError) {
    const { code, message, errors } = error;
    const kind = code === 'invalid_request' ? ErrorCodes.InvalidParams : LSPErrorCodes.RequestFailed;
    const where = errors.map(({ pointer, message: wrong }) => {
      const said = wrong === message ? '' : wrong;
      return [pointer, said].filter((part) => part !== '').join(': ');
    });
    return new ResponseError(kind, [message, where.join('; ')].join(' ').trim(), { code, errors });
  }
  if (error instanceof CommandFailure)
    return new ResponseError(LSPErrorCodes.RequestFailed, error.message, { code: 'unavailable', errors: [] });
  throw error;
}
