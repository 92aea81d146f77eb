/** The open folders of an editor, and whether the daemon may read them. */
import type { Connection } from 'vscode-languageserver';
import { isInside } from '../../access/paths.ts';
import { ContextdError } from '../../errors.ts';
import { shellWord } from '../../texts/shell-word.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { SteadyDaemon } from '../client/steady-daemon.ts';
import { realPathOf } from '../state/paths-on-disk.ts';
import { pathOf } from './open-documents.ts';

export type Folders = Readonly<{
  paths(): readonly string[];
  change(added: readonly { uri: string }[], removed: readonly { uri: string }[]): void;
  /** The innermost folder that contains a path, by any of its names. */
  of(path: string): string | undefined;
  /** Asks the daemon about a folder. If it may not read it yet, asks the user first. Throws the daemon's problem. */
  ask<Result>(path: string, body: { mountedDirectory: string }): Promise<Result>;
}>;

const grant = 'Allow';

export function createFolders({ window }: Pick<Connection, 'window'>, { ask }: SteadyDaemon): Folders {
  let folders: readonly string[] = [];
  /** The user is asked once per folder, even if several requests wait for the answer. */
  const questions = new Map<string, Promise<boolean>>();

  const askUser = async (folder: string): Promise<boolean> => {
    const question = `May contextd read ${visibleText(folder)} to find context for models? It may until you revoke it.`;
    const answer = await window.showInformationMessage(question, { title: grant }, { title: 'Not now' });
    if (answer?.title !== grant) return false;
    try {
      await ask({ method: 'POST', path: '/v1/roots', body: { path: folder } });
      return true;
    } catch (error) {
      // The token of an agent cannot allow it.
      if (error instanceof ContextdError && error.code === 'forbidden_scope') return false;
      throw error;
    }
  };
  const isGranted = (folder: string): Promise<boolean> => {
    const asked = questions.get(folder) ?? askUser(folder);
    questions.set(folder, asked);
    // Asks again after a failure, or if a granted folder was revoked since, but not after "Not now", nor in vain.
    asked.then(
      (granted) => granted && questions.delete(folder),
      () => questions.delete(folder),
    );
    return asked;
  };

  return {
    paths: () => folders,
    change(added, removed) {
      const gone = new Set(removed.map(({ uri }) => pathOf(uri)));
      const come = added.flatMap(({ uri }) => pathOf(uri) ?? []);
      folders = [...new Set([...folders.filter((path) => !gone.has(path)), ...come])];
    },
    of(path) {
      const holds = (folder: string) => isInside(folder, path) || isInside(realPathOf(folder), realPathOf(path));
      return folders.filter(holds).toSorted((a, b) => b.length - a.length)[0];
    },
    async ask<Result>(path: string, body: { mountedDirectory: string }) {
      const request = { method: 'POST', path, body } as const;
      try {
        return await ask<Result>(request);
      } catch (error) {
        if (!(error instanceof ContextdError) || error.code !== 'path_outside_roots') throw error;
        if (await isGranted(body.mountedDirectory)) return ask<Result>(request);
        const mend = `contextd roots grant ${shellWord(body.mountedDirectory)}`;
        throw new ContextdError(error.code, `contextd may not read this folder. To allow it: ${mend}`);
      }
    },
  };
}
