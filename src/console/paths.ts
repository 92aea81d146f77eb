import { isInside, relativePath } from '../access/paths.ts';

/** The path without the mounted directory, if it is inside; `.` for the directory itself. */
export function relativeTo(mountedDirectory: string, path: string): string {
  return isInside(mountedDirectory, path) ? relativePath(mountedDirectory, path) : path;
}
