/** C and C++: `#include` relative to the file and in the directories that the project's build names or its layout suggests (RT-02). */
import { joinPath, parentPath } from '../../paths.ts';
import { includeDirectories } from './cpp-project.ts';
import type { ImportResolver, Lookup, ResolvedImport } from './import.ts';
import { firstFile, mentionedNames, resolved } from './places.ts';

export const resolveCppImports: ImportResolver = async (imports, file, lookup) => {
  const answers: ResolvedImport[] = [];
  let directories: Promise<string[]> | undefined;
  for (const statement of imports) {
    const { specifier, form, names } = statement;
    const own = form === '<' ? [] : [parentPath(file.path)];
    const places = async function* (): AsyncGenerator<string> {
      yield* own;
      directories ??= includeDirectories(file.path, lookup);
      yield* await directories;
    };
    let path: string | undefined;
    for await (const place of places()) {
      path = await firstFile([joinPath(place, `./${specifier}`)], lookup);
      if (path !== undefined) break;
    }
    if (path === undefined) {
      const isOurs = form !== '<' && (await hasDirectory(specifier, [...own, ...((await directories) ?? [])], lookup));
      answers.push({ statement, none: isOurs ? 'not_found' : 'outside_workspace' });
    } else {
      const mentioned = await mentionedNames(path, names, lookup);
      answers.push(resolved(statement, [{ path, names: mentioned, guessed: true }], 'not_found'));
    }
  }
  return answers;
};

/** A header without a directory should lie beside; one in a directory that the workspace has, in it. */
async function hasDirectory(specifier: string, directories: readonly string[], lookup: Lookup): Promise<boolean> {
  if (!specifier.includes('/')) return true;
  for (const directory of directories)
    if ((await lookup.kindOf(joinPath(directory, `./${parentPath(`/${specifier}`)}`))) === 'directory') return true;
  return false;
}
