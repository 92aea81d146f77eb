/** C and C++: `#include` relative to the file and in the directories that the project's build names or its layout suggests (RT-02). */
import { joinPath, parentPath } from '../../paths.ts';
import { includeDirectories } from './cpp-project.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from './import.ts';
import { firstFile, mentionedNames, resolved } from './places.ts';

export const resolveCppImports: ImportResolver = async (imports, file, lookup) => {
  let directories: Promise<string[]> | undefined;
  const answers: ResolvedImport[] = [];
  const left = { headers: mostHeaders };
  const find: Find = async ({ specifier, form }, from) => {
    const beside = form === '<' ? undefined : await firstFile([joinPath(parentPath(from), `./${specifier}`)], lookup);
    if (beside !== undefined) return beside;
    directories ??= includeDirectories(file.path, lookup);
    const places = await directories;
    return firstFile(
      places.map((place) => joinPath(place, `./${specifier}`)),
      lookup,
    );
  };
  for (const statement of imports) {
    const path = await find(statement, file.path);
    if (path !== undefined) {
      const targets = await targetsOf(path, { names: statement.names, find, left, lookup });
      answers.push(resolved(statement, targets, 'not_found'));
      continue;
    }
    const places = [parentPath(file.path), ...((await directories) ?? [])];
    const isOurs = statement.form !== '<' && (await hasDirectory(statement.specifier, places, lookup));
    answers.push({ statement, none: isOurs ? 'not_found' : 'outside_workspace' });
  }
  return answers;
};

type Include = { specifier: string; form?: string };
/** The file that an include means which is written in `from`. */
type Find = (include: Include, from: string) => Promise<string | undefined>;

/** Includes inside headers that are followed for one file. */
const mostHeaders = 300;
const mostIncludes = 64;

/** A header, with those of the names that it mentions. One that does nothing but include others comes with those that mention some. */
async function targetsOf(
  path: string,
  { names, find, left, lookup }: { names: readonly string[]; find: Find; left: { headers: number }; lookup: Lookup },
): Promise<ImportTarget[]> {
  const targets: ImportTarget[] = [];
  const seen = new Set([path]);
  for (const header of seen) {
    const includes = (await lookup.derive(header, readOnlyIncludes)) ?? [];
    const mentioned = includes.length > 0 ? [] : await mentionedNames(header, names, lookup);
    if (mentioned.length > 0) targets.push({ path: header, names: mentioned, guessed: true });
    for (const include of includes) {
      if (left.headers <= 0) break;
      left.headers -= 1;
      const found = await find(include, header);
      if (found !== undefined) seen.add(found);
    }
  }
  return targets[0]?.path === path ? targets : [{ path, names: [], guessed: true }, ...targets];
}

/** What a header includes that has no code of its own, only guards; empty for others. */
function readOnlyIncludes(text: string): Include[] {
  const lines = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/gu, '').split('\n');
  if (
    lines.some(
      (line) => !/^\s*(?:#\s*(?:include|pragma|if|ifdef|ifndef|else|elif|endif|define\s+\w+\s*$).*)?$/u.test(line),
    )
  )
    return [];
  const includes = [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]/gmu)];
  return includes.slice(0, mostIncludes).map(([, form = '', specifier = '']) => ({ specifier, form }));
}

/** A header without a directory should lie beside; one in a directory that the workspace has, in it. */
async function hasDirectory(specifier: string, directories: readonly string[], lookup: Lookup): Promise<boolean> {
  if (!specifier.includes('/')) return true;
  for (const directory of directories)
    if ((await lookup.kindOf(joinPath(directory, `./${parentPath(`/${specifier}`)}`))) === 'directory') return true;
  return false;
}
