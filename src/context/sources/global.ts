/** The context directory of the user (CC-19). */
import { joinPath } from '../../access/paths.ts';
import type { ContextDirectory } from '../directories.ts';
import { loadDirectory } from '../load-directory.ts';
import type { ContextSource } from './source.ts';

export const globalDirectory: ContextSource = {
  plan({ scopes, globalContextPath, clientContextPath }) {
    if (!scopes.has('global')) return [];
    return [{ directory: globalContextDirectory(globalContextPath, clientContextPath), load: loadDirectory }];
  },
};

/** `<base>/<clientContextPath>`, or `base` itself if it already ends with the client context path. */
export function globalContextDirectory(base: string, clientContextPath: string): ContextDirectory {
  const appended = joinPath(base, clientContextPath);
  const suffix = `/${clientContextPath}`;
  if (!clientContextPath.split('/').includes('..') && base.endsWith(suffix)) {
    return { scope: 'global', owner: base.slice(0, -suffix.length) || '/', path: base, depth: -1 };
  }
  return { scope: 'global', owner: base, path: appended, depth: -1 };
}
