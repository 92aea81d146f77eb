/** Names of items that come from files (AG-03). */
import { baseName, parentPath, relativePath } from '../access/paths.ts';
import type { ContextDirectory } from './directories.ts';
import { isName } from './front-matter-key-forms.ts';

/**
 * Names for the files of one context directory, by path: the path in it, without extension unless two names would be
 * the same. In the global scope, they begin with `~:`; for nested owners, with `<owner relative to the mounted
 * directory>:`.
 */
export function nameContextFiles(
  paths: readonly string[],
  directory: ContextDirectory,
  mountedDirectory: string,
): Map<string, string> {
  const prefix = ownerPrefix(directory, mountedDirectory);
  const counts = new Map<string, number>();
  const named = paths.map((path) => {
    const inDirectory = relativePath(directory.path, path);
    const stem = withoutExtension(inDirectory);
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
    return { path, inDirectory, stem };
  });
  return new Map(
    named.map(({ path, inDirectory, stem }) => [path, `${prefix}${(counts.get(stem) ?? 0) > 1 ? inDirectory : stem}`]),
  );
}

/** The name of an included file: its path relative to the mounted directory without extension. */
export function nameIncludedFile(path: string, mountedDirectory: string): string {
  return withoutExtension(relativePath(mountedDirectory, path));
}

/** The name of a file at the place of another tool: the same, or `~:` with its path in the home directory. */
export function nameRuleFile(path: string, { scope, owner }: ContextDirectory, mountedDirectory: string): string {
  return scope === 'global' ? `~:${nameIncludedFile(path, owner)}` : nameIncludedFile(path, mountedDirectory);
}

/** The same for the main file of a folder: the name of the folder, if it can be a name. */
export function nameByFolder(path: string, directory: ContextDirectory, mountedDirectory: string): string {
  const folder = baseName(parentPath(path));
  if (!isName(folder)) return nameRuleFile(path, directory, mountedDirectory);
  return directory.scope === 'global' ? `~:${folder}` : folder;
}

/** The same for a file in `rules-<mode>/` of the folder of a tool: `<mode>/` with its path there. */
export function nameByMode(path: string, directory: ContextDirectory, mountedDirectory: string): string {
  const [, modeFolder = '', ...inMode] = relativePath(directory.owner, path).split('/');
  const name = [modeFolder.slice('rules-'.length), ...inMode].join('/');
  return ownerPrefix(directory, mountedDirectory) + withoutExtension(name);
}

function ownerPrefix(directory: ContextDirectory, mountedDirectory: string): string {
  if (directory.scope === 'global') return '~:';
  return directory.owner === mountedDirectory ? '' : `${relativePath(mountedDirectory, directory.owner)}:`;
}

function withoutExtension(path: string): string {
  return path.replace(/\.[^./]+$/u, '') || path;
}

/** AG-03: `reference` if the first folder in the context directory has such a name, otherwise `rule`. */
export function typeFromFolder(path: string, contextDirectory: string): 'rule' | 'reference' {
  const [folder, rest] = relativePath(contextDirectory, path).split('/', 2);
  return rest !== undefined && ['references', 'refs', 'docs'].includes(folder?.toLowerCase() ?? '')
    ? 'reference'
    : 'rule';
}
