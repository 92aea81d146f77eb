/** Paths of items, as they are kept and as the answer to a request shows them (AN-03). Path arithmetic only. */
import { isInside, joinPath, relativePath } from '../access/paths.ts';
import type { Workspace } from '../engine-core.ts';
import type { Root } from '../ports/ports.ts';

/** `kept`: by real names. `shown`: by the name that the request used. The one undoes the other. */
export type ItemPaths = { kept(path: string): string; shown(path: string): string };

export function itemPaths({ mountedDirectory, world }: Workspace, place: string): ItemPaths {
  const byLink = world.reach.roots
    .filter((root) => root.path !== root.realPath)
    .toSorted((a, b) => b.path.length - a.path.length);
  const mounted: Root = { path: mountedDirectory, realPath: place };
  // The mounted directory first, then the roots by whose name it was asked for.
  const near = [mounted, ...byLink.filter(({ path }) => isInside(path, mountedDirectory))];
  return {
    kept(path) {
      const root = [...near, ...byLink].find((each) => isInside(each.path, path));
      return root === undefined ? path : joinPath(root.realPath, relativePath(root.path, path));
    },
    shown(path) {
      const root = near.find((each) => isInside(each.realPath, path));
      return root === undefined ? path : joinPath(root.path, relativePath(root.realPath, path));
    },
  };
}
