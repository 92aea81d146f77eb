/** The context directories from the mounted directory down to the working one (CC-20 … CC-23). */
import { contextDirectoryOf, ownersBetween } from '../directories.ts';
import { loadDirectory } from '../load-directory.ts';
import type { ContextSource } from './source.ts';

/** That of the mounted directory is `static`, those below it are `dynamic`. */
export const contextDirectories: ContextSource = {
  plan(where) {
    const { mountedDirectory, workingDirectory, scopes } = where;
    const load = loadDirectory;
    if (scopes.has('dynamic'))
      return ownersBetween(mountedDirectory, workingDirectory).map((owner) => ({
        directory: contextDirectoryOf(owner, where),
        load,
      }));
    if (!scopes.has('static')) return [];
    // CC-20: what the static scope falls back to when the mounted directory has no context directory.
    const otherwise = { ...contextDirectoryOf(workingDirectory, where), scope: 'static' as const };
    const directory = contextDirectoryOf(mountedDirectory, where);
    return [{ directory, load, otherwise: workingDirectory === mountedDirectory ? undefined : otherwise }];
  },
};
