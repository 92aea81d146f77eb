/**
 * Pure path arithmetic on absolute, `/`-separated paths. Containment is decided by whole components, never by string
 * prefix (S-34).
 */

/** Removes `.`, resolves `..` and repeated `/` of an absolute path; never leaves `/`, never ends in `/`. */
export function normalizePath(absolutePath: string): string {
  // Most are already, and looking is twenty times quicker than taking one apart that has thousands of components.
  if (absolutePath.startsWith('/') && !/\/\.{0,2}(?:\/|$)/u.test(absolutePath)) return absolutePath;
  const segments: string[] = [];
  for (const segment of absolutePath.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** `path` below `base`, both absolute; an absolute `path` is taken as it is. The result is normalised. */
export function joinPath(base: string, path: string): string {
  return normalizePath(path.startsWith('/') ? path : `${base}/${path}`);
}

/** True when `path` is `directory` itself or lies below it. Both must be normalised. */
export function isInside(directory: string, path: string): boolean {
  return directory === '/' || path === directory || (path[directory.length] === '/' && path.startsWith(directory));
}

/** `path` relative to `base`, with leading `..` where it lies elsewhere; `.` when both are the same. Both normalised. */
export function relativePath(base: string, path: string): string {
  if (base === path) return '.';
  if (isInside(base, path)) return path.slice(base === '/' ? 1 : base.length + 1);
  const from = base.split('/').filter(Boolean);
  const to = path.split('/').filter(Boolean);
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}

/** The last component. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The directory that holds `path`; `/` for what lies at the top. */
export function parentPath(path: string): string {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
}

/** The directories below `top` on the way down to `bottom`, which must lie inside it, and `bottom`; none when both are the same. */
export function* directoriesDown(top: string, bottom: string): Generator<string> {
  for (let current = top; current !== bottom; ) {
    const end = bottom.indexOf('/', current.length + 1);
    current = end < 0 ? bottom : bottom.slice(0, end);
    yield current;
  }
}

/** The directories from `top` down to `bottom`, both included. `bottom` must lie inside `top`. */
export function directoriesBetween(top: string, bottom: string): string[] {
  return [top, ...directoriesDown(top, bottom)];
}
