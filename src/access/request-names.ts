/** Paths by real names, and by those that a request uses (AN-03). Path arithmetic only. */
import type { Root } from '../ports/ports.ts';
import { isInside, joinPath, relativePath } from './paths.ts';

/**
 * `real`: by the real names of roots. `shown`: by the name that the request used, also what was called by another name of
 * its place before: the one need not undo the other.
 */
export type RequestNames = { real(path: string): string; shown(path: string): string };

/** `mounted`: the mounted directory by the name of the request, and where it really lies. Paths are absolute. */
export function requestNames(mounted: Root, roots: readonly Root[]): RequestNames {
  const byLink = roots.filter((root) => root.path !== root.realPath).toSorted((a, b) => b.path.length - a.path.length);
  // The mounted directory first, then the roots by whose name it was asked for.
  const near = [mounted, ...byLink.filter(({ path }) => isInside(path, mounted.path))];
  return {
    real(path) {
      const root = [...near, ...byLink].find((each) => isInside(each.path, path));
      return root === undefined ? path : joinPath(root.realPath, relativePath(root.path, path));
    },
    shown(path) {
      const root = near.find((each) => isInside(each.realPath, path));
      return root === undefined ? path : joinPath(root.path, relativePath(root.realPath, path));
    },
  };
}
