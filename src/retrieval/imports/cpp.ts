/** C and C++: `#include` relative to the file and in the directories that the project's build names or its layout suggests (RT-02). */

import { joinPath, parentPath } from '../../access/paths.ts';
import { onceForEach } from '../../pace/once-for-each.ts';
import type { Steps } from '../../pace/turns.ts';
import { fixedLimits } from '../../settings.ts';
import { includeDirectories } from './cpp-project.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from './import.ts';
import { allMatches, eachLine, firstFile, mentionedNames, resolved, withoutComments } from './places.ts';

export const resolveCppImports: ImportResolver = async (imports, file, lookup) => {
  const answers: ResolvedImport[] = [];
  const left = { headers: fixedLimits.projects.cpp.headers };
  const find = finderFor(lookup);
  for (const statement of imports) {
    const { specifier, form, names } = statement;
    const path = await find(statement, file.path);
    if (path !== undefined) {
      // Whoever follows headers through one another asks for each name by itself.
      const isFollowed = form === 're-export';
      const targets = isFollowed ? [{ path, names }] : await targetsOf(path, { names, find, left, lookup });
      answers.push(resolved(statement, targets, 'not_found'));
      continue;
    }
    const directory = parentPath(file.path);
    const isOurs =
      form !== '<' && (await hasDirectory(specifier, [directory, ...(await find.directoriesFor(directory))], lookup));
    answers.push({ statement, none: isOurs ? 'not_found' : 'outside_workspace' });
  }
  return answers;
};

/** The file that an include means which is written in `from`. */
type Find = ((include: Include, from: string) => Promise<string | undefined>) & {
  /** Where includes of files in a directory are looked for. */
  directoriesFor(directory: string): Promise<string[]>;
};

/** One for each request: headers that are followed through one another ask the same many times. */
const finderFor = onceForEach((lookup: Lookup): Find => {
  const directoriesFor = onceForEach((directory: string) => includeDirectories(`${directory}/header`, lookup));
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

/** A header, with those of the names that it mentions. One that does nothing but include others comes with those that mention some. */
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

/** What a header includes that has no code of its own, only guards; empty for others. */
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

/** A header without a directory should lie beside; one in a directory that the workspace has, in it. */
async function hasDirectory(specifier: string, directories: readonly string[], lookup: Lookup): Promise<boolean> {
  if (!specifier.includes('/')) return true;
  for (const directory of directories)
    if ((await lookup.kindOf(joinPath(directory, `./${parentPath(`/${specifier}`)}`))) === 'directory') return true;
  return false;
}
