/**
 * Ruby: `require_relative`, and `require`, `load` and `autoload` in the load paths of the workspace's gems, constants
 * by the names of their files, and factories of tests (RT-02).
 */

import { joinPath, parentPath } from '../../../access/paths.ts';
import { once } from '../../../pace/once-for-each.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, directoriesIn, directoriesOf, firstFile, mentionedNames, resolved } from '../places.ts';
import { quotedIn } from '../plain-reading.ts';
import { factoriesFor } from './factories.ts';
import { autoloadDirectories, findConstants, helperDirectories } from './ruby-constants.ts';

/** Max characters of one assignment. */
const longestList = 2_000;

export const resolveRubyImports: ImportResolver = async (imports, file, lookup) => {
  const loadPath = once(() => loadPathFor(file.path, lookup));
  const answers: ResolvedImport[] = [];
  for (const statement of imports.filter(({ form }) => form !== 'constants'))
    if (statement.form === 'factories')
      answers.push({ statement, targets: await factoriesFor(statement.names, file.path, lookup) });
    else answers.push(await resolveRequired(statement, { path: file.path, loadPath, lookup }));
  for (const statement of imports.filter(({ form }) => form === 'constants')) {
    const directories = [...(await autoloadDirectories(file.path, lookup)), ...(await loadPath())];
    const helpers = await helperDirectories(file.path, lookup);
    const targets = await findConstants(statement.names, { path: file.path, directories, helpers, lookup });
    // Ruby itself or a gem has the others.
    answers.push(resolved(statement, targets));
  }
  return answers;
};

type Asked = { path: string; loadPath(): Promise<readonly string[]>; lookup: Lookup };

async function resolveRequired(statement: ImportStatement, asked: Asked): Promise<ResolvedImport> {
  const { form, specifier, names } = statement;
  const { lookup } = asked;
  const places = await placesFor(statement, asked);
  const path = await findFile(places, statement, lookup);
  if (path === undefined) {
    const isOurs = form === 'require_relative' || (await hasNamespace(specifier, places, lookup));
    return { statement, none: isOurs ? 'not_found' : 'outside_workspace' };
  }
  // Ruby does not say which constants a file defines. Only those that it mentions are possible.
  const wanted = form === 'autoload' || form === 're-export' ? names : await mentionedNames(path, names, lookup);
  return { statement, targets: [{ path, names: wanted, guessed: form !== 'autoload' }] };
}

/** The directories in which Ruby looks for the file. */
async function placesFor(
  { form, specifier }: ImportStatement,
  { path, loadPath, lookup }: Asked,
): Promise<readonly string[]> {
  const own = parentPath(path);
  if (form === 'require_relative') return [own];
  if (/^\.\.?\//u.test(specifier)) return [lookup.mountedDirectory];
  return form === 'load' ? [...(await loadPath()), lookup.mountedDirectory, own] : loadPath();
}

/** The extension may be missing, except with `load`. */
function findFile(
  places: readonly string[],
  { specifier, form }: ImportStatement,
  lookup: Lookup,
): Promise<string | undefined> {
  const paths = places.flatMap((place) => {
    const path = joinPath(place, `./${specifier}`);
    return form === 'load' || path.endsWith('.rb') ? [path] : [`${path}.rb`];
  });
  return firstFile(paths, lookup);
}

/** `lib` and the paths in gemspecs, upwards; test directories; the same for other gems of the workspace. */
async function loadPathFor(path: string, lookup: Lookup): Promise<string[]> {
  const above = directoriesAbove(path, lookup);
  const directories: string[] = [];
  for (const directory of above)
    directories.push(...(await requirePaths(directory, lookup)), `${directory}/test`, `${directory}/spec`);
  for (const directory of await directoriesIn(lookup.mountedDirectory, lookup)) {
    directories.push(`${directory}/lib`);
    if (/\/(?:gems|engines|components|packages)$/u.test(directory))
      for (const gem of await directoriesIn(directory, lookup)) directories.push(...(await requirePaths(gem, lookup)));
  }
  return (await directoriesOf(directories, lookup)).slice(0, fixedLimits.projects.ruby.directories);
}

async function requirePaths(directory: string, lookup: Lookup): Promise<string[]> {
  const paths = [`${directory}/lib`];
  for (const name of (await lookup.namesIn(directory)).filter((each) => each.endsWith('.gemspec')).slice(0, 20)) {
    const said = await lookup.derive(`${directory}/${name}`, readRequirePaths);
    paths.push(...(said ?? []).map((each) => joinPath(directory, `./${each}`)));
  }
  return paths;
}

function readRequirePaths(text: string): string[] {
  const assignments = [...text.matchAll(/\.require_paths?\s*=/gu)].slice(0, fixedLimits.projects.ruby.requirePaths);
  for (const { 0: assignment, index } of assignments) {
    const start = index + assignment.length;
    const value = text.slice(start, start + longestList).trimStart();
    const [given] = /^(?:\[[^\]]*\]|%w[[({][^\])}]*[\])}]|["'][^"'\n]*["'])/u.exec(value) ?? [];
    if (given?.startsWith('%w')) return given.slice(3, -1).split(/\s+/u).filter(Boolean);
    if (given !== undefined) return quotedIn([given]);
  }
  return [];
}

/** `a/b` should be in the workspace if its load path has `a` itself, and not only extensions of it. */
async function hasNamespace(specifier: string, places: readonly string[], lookup: Lookup): Promise<boolean> {
  const [first, ...rest] = specifier.split('/');
  if (first === undefined || rest.length === 0) return false;
  const files = places.map((place) => `${place}/${first}.rb`);
  return (await firstFile(files, lookup)) !== undefined;
}
