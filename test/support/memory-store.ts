import type { Store, StoredRoot } from '../../src/ports.ts';

/** A `Store` that forgets everything with the process. */
export function createMemoryStore(): Store {
  const roots = new Map<string, StoredRoot>();
  return {
    listRoots: () => [...roots.values()].map((root) => ({ ...root })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    addRoot(root) {
      if (roots.has(root.path)) return false;
      roots.set(root.path, { path: root.path, grantedAt: root.grantedAt });
      return true;
    },
    removeRoot: (path) => roots.delete(path),
    close() {},
  };
}
