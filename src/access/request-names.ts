/** Converts paths between their real names and the names that a request uses (AN-03). Path arithmetic only. */
import type { Root } from '../ports/ports.ts';
import { isInside, joinPath, relativePath } from './paths.ts';

/**
 * `real`: the path below the real names of roots. `shown`: the path by the name that the request used. If a path had
 * another name of the same place, `shown` does not restore it.
 */
export type RequestNames = { real(path: string): string; shown(path: string): string };

/** `mounted`: the mounted directory, by the name in the request and by its real path. Paths are absolute. */
export function requestNames(mounted: Root, roots: readonly Root[]): RequestNames {
  const byLink = roots.filter((root) => root.path !== root.realPath).toSorted((a, b) => b.path.length - a.path.length);
  // The mounted directory first, then the roots whose name the request used.
  const near = [mounted, ...byLink.filter(({ path }) => isInside(path, mounted.path))];
  return {
    real(path) {
      const root = [mounted, ...byLink].find((each) => isInside(each.path, path));
      return root === undefined ? path : joinPath(root.realPath, relativePath(root.path, path));
    },
    shown(path) {
      const root = near.find((each) => isInside(each.realPath, path));
      return root === undefined ? path : joinPath(root.path, relativePath(root.realPath, path));
    },
  };
}
