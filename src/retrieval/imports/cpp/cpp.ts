/**
 * C and C++: `#include` relative to the file, and in directories that the project's build names or its layout suggests
 * (RT-02).
 */

import { joinPath, parentPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { firstFile, mentionedNames, resolved } from '../places.ts';
import { allMatches, eachLine, withoutComments } from '../plain-reading.ts';
import { includeDirectories } from './cpp-project.ts';

export const resolveCppImports: ImportResolver = async (imports, file, lookup) => {
  const answers: ResolvedImport[] = [];
  const left = { headers: fixedLimits.projects.cpp.headers };
  const find = finderFor(lookup);
  for (const statement of imports) {
    const { specifier, form, names } = statement;
    const path = await find(statement, file.path);
    if (path !== undefined) {
      // Code that follows headers through each other asks for each name separately.
      const isFollowed = form === 're-export';
      const targets = isFollowed ? [{ path, names }] : await targetsOf(path, { names, find, left, lookup });
      answers.push(resolved(statement, targets));
      continue;
    }
    const directory = parentPath(file.path);
    const isOurs =
      form !== '<' && (await hasDirectory(specifier, [directory, ...(await find.directoriesFor(directory))], lookup));
    answers.push({ statement, none: isOurs ? 'not_found' : 'outside_workspace' });
  }
  return answers;
};

/** Finds the file of an include in the file `from`. */
type Find = ((include: Include, from: string) => Promise<string | undefined>) & {
  /** The directories that are searched for includes of files in a directory. */
  directoriesFor(directory: string): Promise<string[]>;
};

/**
 * One finder for each request, because headers that are followed through each other ask the same questions many times.
 */
const finderFor = onceForEach((lookup: Lookup): Find => {
  const directoriesFor = onceForEach((directory: string) => includeDirectories(directory, lookup));
  const search = onceForEach(async (key: string) => {
    const [directory = '', form, specifier = ''] = key.split('\n');
    const places = [...(form === '<' ? [] : [directory]), ...(await directoriesFor(directory))];
    return firstFile(
      places.map((place) => joinPath(place, `./${specifier}`)),
      lookup,
    );
  });
  const find = ({ specifier, form }: Include, from: string): Promise<string | undefined> =>
    search([parentPath(from), form === '<' ? '<' : '"', specifier].join('\n'));
  return Object.assign(find, { directoriesFor });
}, new WeakMap());

type Include = { specifier: string; form?: string };

/**
 * A header, with the names that it mentions. If a header only includes others, the included headers that mention some
 * of the names come too.
 */
async function targetsOf(
  path: string,
  { names, find, left, lookup }: { names: readonly string[]; find: Find; left: { headers: number }; lookup: Lookup },
): Promise<ImportTarget[]> {
  const targets: ImportTarget[] = [];
  const seen = new Set([path]);
  for (const header of seen) {
    const includes = (await lookup.deriveSource(header, readOnlyIncludes)) ?? [];
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

/** The includes of a header without code of its own, only guards. Empty for other headers. */
function* readOnlyIncludes(text: string): Steps<Include[]> {
  let hasCode = false;
  yield* eachLine(withoutComments(text), (line) => {
    hasCode = !/^\s*(?:#\s*(?:include|pragma|if|ifdef|ifndef|else|elif|endif|define\s+\w+\s*$).*)?$/u.test(line);
    return !hasCode;
  });
  if (hasCode) return [];
  const includes = yield* allMatches(text, /^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n\r\u2028\u2029]+)[">]/gmu);
  return includes
    .slice(0, fixedLimits.projects.cpp.includes)
    .map(([, form = '', specifier = '']) => ({ specifier, form }));
}

/**
 * Whether a missing header should be in the workspace: one without a directory always, others if the workspace has
 * their directory.
 */
async function hasDirectory(specifier: string, directories: readonly string[], lookup: Lookup): Promise<boolean> {
  if (!specifier.includes('/')) return true;
  for (const directory of directories)
    if ((await lookup.kindOf(joinPath(directory, `./${parentPath(`/${specifier}`)}`))) === 'directory') return true;
  return false;
}
