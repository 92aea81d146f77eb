/**
 * C and C++: `#include` relative to the file, and in directories that the project's build names or its layout suggests
 * (RT-02).
 */

import { joinPath, parentPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import type { Steps } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { firstFile, mentionedNames, resolved } from '../places.ts';
import { allMatches, eachLine, withoutComments } from '../plain-reading.ts';
import { includeDirectories } from './cpp-project.ts';

export const resolveCppImports: ImportResolver = async (imports, file, lookup) => {
  const search: Search = { find: finderFor(lookup), left: { headers: fixedLimits.projects.cpp.headers }, lookup };
  const answers: ResolvedImport[] = [];
  for (const statement of imports) answers.push(await resolveOne(statement, file.path, search));
  return answers;
};

/** `left`: how many headers may still be looked for behind those that only include others. */
type Search = { find: Find; left: { headers: number }; lookup: Lookup };

async function resolveOne(statement: ImportStatement, from: string, search: Search): Promise<ResolvedImport> {
  const { specifier, form, names } = statement;
  const { find, lookup } = search;
  const path = await find(statement, from);
  // Code that follows headers through each other asks for each name separately.
  if (path !== undefined)
    return resolved(statement, form === 're-export' ? [{ path, names }] : await targetsOf(path, names, search));
  const directory = parentPath(from);
  const isOurs =
    form !== '<' && (await hasDirectory(specifier, [directory, ...(await find.directoriesFor(directory))], lookup));
  return { statement, none: isOurs ? 'not_found' : 'outside_workspace' };
}

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
  names: readonly string[],
  { find, left, lookup }: Search,
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
