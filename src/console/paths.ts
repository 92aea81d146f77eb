/** Paths as the daemon returns them: absolute, with `/` between components. */

/** The last component. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The directory that contains the path. */
export function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** The path without the mounted directory, if it is inside; `.` for the directory itself. */
export function relativeTo(mountedDirectory: string, path: string): string {
  if (path === mountedDirectory) return '.';
  const inside = mountedDirectory === '/' ? '/' : `${mountedDirectory}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}
