/**
 * Path arithmetic on absolute, `/`-separated paths, without disk access. Containment is decided by whole components,
 * never by string prefix (S-34).
 */

/** Removes `.`, resolves `..` and repeated `/` of an absolute path; never leaves `/`, never ends in `/`. */
export function normalizePath(absolutePath: string): string {
  // Most paths are normalised already. This check is twenty times faster than splitting a path with thousands of
  // components.
  if (absolutePath.startsWith('/') && !/\/\.{0,2}(?:\/|$)/u.test(absolutePath)) return absolutePath;
  const segments: string[] = [];
  for (const segment of absolutePath.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/**
 * Appends `path` to `base`, which is absolute. An absolute `path` is returned without `base`. The result is normalised.
 */
export function joinPath(base: string, path: string): string {
  return normalizePath(path.startsWith('/') ? path : `${base}/${path}`);
}

/** A path below a directory. Faster than `joinPath`, for a `path` that is known to be relative and normalised. */
export function pathBelow(directory: string, path: string): string {
  return directory === '/' ? `/${path}` : `${directory}/${path}`;
}

/** The path that `${directory}/${name}` should be, also where the directory is `/`. */
export function withOneSlash(path: string): string {
  return path.startsWith('//') ? path.slice(1) : path;
}

/** True when `path` is `directory` itself or lies below it. Both must be normalised. */
export function isInside(directory: string, path: string): boolean {
  return directory === '/' || path === directory || (path[directory.length] === '/' && path.startsWith(directory));
}

/**
 * `path` relative to `base`, both normalised. Begins with `..` if `path` is not below `base`; `.` if both are the same.
 */
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

/** The parent directory of `path`; `/` for an entry of `/`. */
export function parentPath(path: string): string {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
}

/**
 * The directories below `top` down to `bottom`, which is included and must be inside `top`. None if both are the same.
 */
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
