/** Which roots a user granted. This module loads nothing. */
import type { GrantedRoot } from './roots.ts';

/** Nobody granted the places of the global context, and they can be others at the next start. */
export function isGranted({ origin }: Pick<GrantedRoot, 'origin'>): boolean {
  return origin !== 'global';
}

/** The directories that a user granted. */
export function grantedPaths(roots: readonly Pick<GrantedRoot, 'origin' | 'path'>[]): string[] {
  return roots.filter(isGranted).map(({ path }) => path);
}
