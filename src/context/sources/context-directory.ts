/** The context directories from the mounted directory down to the working one (CC-20 … CC-23). */
import { joinPath } from '../../access/paths.ts';
import { type ContextDirectory, levelsBelow, ownersBetween, workingContextDirectory } from '../directories.ts';
import { loadDirectory } from '../load-directory.ts';
import type { ContextSource } from './source.ts';

/** The mounted directory's is `static`, those below it are `dynamic`. */
export const contextDirectories: ContextSource = {
  plan(where) {
    const { mountedDirectory, workingDirectory, clientContextPath, scopes } = where;
    const plan = (owner: string): ContextDirectory => ({
      scope: owner === mountedDirectory ? 'static' : 'dynamic',
      owner,
      path: joinPath(owner, clientContextPath),
      depth: levelsBelow(mountedDirectory, owner),
    });
    if (scopes.has('dynamic'))
      return ownersBetween(mountedDirectory, workingDirectory).map((owner) => ({
        directory: plan(owner),
        load: loadDirectory,
      }));
    if (!scopes.has('static')) return [];
    // CC-20: what the static scope falls back to when the mounted directory has no context directory.
    const otherwise = { ...workingContextDirectory(where), scope: 'static' as const };
    const isElsewhere = workingDirectory !== mountedDirectory;
    return [{ directory: plan(mountedDirectory), load: loadDirectory, ...(isElsewhere && { otherwise }) }];
  },
};
