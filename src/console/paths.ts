/** Paths as the daemon tells them: absolute, with `/` between their components. */

/** The last component. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The directory that holds it. */
export function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Without the mounted directory in front, when it lies there; `.` for that itself. */
export function relativeTo(mountedDirectory: string, path: string): string {
  if (path === mountedDirectory) return '.';
  const inside = mountedDirectory === '/' ? '/' : `${mountedDirectory}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}
