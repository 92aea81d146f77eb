/** PHP: classes by Composer's rules, functions of the files that are always loaded, and required files (RT-02). */
import { baseName, isInside, joinPath, parentPath } from '../../../access/paths.ts';
import { once } from '../../../pace/once-for-each.ts';
import { createPause, type Pause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, directoriesIn, firstFile, oncePerDirectory, resolved } from '../places.ts';
import { openPhpClasses, type PhpClasses } from './php-classes.ts';
import { readDeclaredNames } from './php-declared.ts';
import { namespaceOf } from './php-file-names.ts';
import { ownPrefix } from './php-project.ts';

const limits = fixedLimits.projects.php;

export const resolvePhpImports: ImportResolver = async (imports, file, lookup) => {
  const own = imports.filter(({ form }) => form === 'namespace' || form === 'functions');
  const namespaces = new Set(own.length > 0 ? own.map(({ specifier }) => specifier) : ['']);
  const prefixes = [...namespaces].slice(0, limits.candidates).map((namespace) => ownPrefix(file.path, namespace));
  const classes = openPhpClasses(file.path, prefixes, lookup);
  const loaded = once(async () => readLoaded(await classes.loaded(), lookup));
  const asked: Asked = { path: file.path, classes, loaded, lookup, pause: createPause() };
  const answers: ResolvedImport[] = [];
  for (const statement of imports) {
    const { form = 'qualified' } = statement;
    await asked.pause();
    answers.push(await (resolvers[form] ?? requiredFile)(statement, asked));
  }
  return answers;
};

type Asked = {
  path: string;
  classes: PhpClasses;
  loaded(): ReturnType<typeof readLoaded>;
  lookup: Lookup;
  pause: Pause;
};
type Resolver = (statement: ImportStatement, asked: Asked) => Promise<ResolvedImport>;

const resolvers: Readonly<Record<string, Resolver>> = {
  qualified: async (statement, asked) => {
    const { specifier } = statement;
    const path = await asked.classes.find(specifier);
    const target = path === undefined ? await otherIn(specifier, asked) : { path, names: [afterLast(specifier, '\\')] };
    return answerOf(statement, target, asked);
  },
  function: resolveOther,
  'qualified-function': resolveOther,
  const: resolveOther,
  namespace: (statement, asked) =>
    quiet(statement, asked, async (name, below) => {
      const path = await asked.classes.find(`${below}${name}`);
      return path === undefined || path === asked.path ? undefined : { path, names: [name] };
    }),
  // A function that the namespace does not have is one of all namespaces.
  functions: (statement, asked) =>
    quiet(statement, asked, async (name, below) => {
      const found = (await alwaysLoaded(`${below}${name}`, asked)) ?? (await alwaysLoaded(name, asked));
      return found?.path === asked.path ? undefined : found;
    }),
};

async function resolveOther(statement: ImportStatement, asked: Asked): Promise<ResolvedImport> {
  return answerOf(statement, await otherIn(statement.specifier, asked), asked);
}

/** What begins as names of the workspace is missing if it is not found. */
async function answerOf(
  statement: ImportStatement,
  target: ImportTarget | undefined,
  { classes }: Asked,
): Promise<ResolvedImport> {
  if (target) return { statement, targets: [target] };
  return { statement, none: (await classes.isOurs(statement.specifier)) ? 'not_found' : 'outside_workspace' };
}

/** What a file uses without saying where it is from cannot be missing: PHP itself or another package may have it. */
async function quiet(
  statement: ImportStatement,
  { pause }: Asked,
  find: (name: string, below: string) => Promise<ImportTarget | undefined>,
): Promise<ResolvedImport> {
  const targets: ImportTarget[] = [];
  const below = statement.specifier === '' ? '' : `${statement.specifier}\\`;
  for (const name of statement.names.slice(0, limits.names)) {
    await pause();
    const target = await find(name, below);
    if (target !== undefined) targets.push(target);
  }
  return resolved(statement, targets);
}

/** A function or constant: in files that are always loaded, or in a file of its namespace that is named for such. */
async function otherIn(full: string, asked: Asked): Promise<ImportTarget | undefined> {
  const loaded = await alwaysLoaded(full, asked);
  if (loaded !== undefined) return loaded;
  const names = [afterLast(full, '\\'), 'functions', 'Functions', 'helpers', 'constants'];
  for (const place of await asked.classes.placesOf(namespaceOf(full)))
    for (const name of names.filter((each) => place.names.has(`${each}.php`))) {
      const path = `${place.directory}/${name}.php`;
      if (await declares(path, full, asked.lookup)) return { path, names: [afterLast(full, '\\')] };
    }
  for (const path of await asked.classes.functionFiles(full))
    if (await declares(path, full, asked.lookup)) return { path, names: [afterLast(full, '\\')] };
  return undefined;
}

async function alwaysLoaded(full: string, { loaded }: Asked): Promise<ImportTarget | undefined> {
  const path = (await loaded()).get(full.toLowerCase());
  return path === undefined ? undefined : { path, names: [afterLast(full, '\\')] };
}

/** The files of functions and constants by their full names in lower case. The first file that has a name counts. */
async function readLoaded(paths: readonly string[], lookup: Lookup): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const path of paths)
    for (const name of (await lookup.deriveSource(path, readDeclaredNames))?.others ?? [])
      if (!found.has(name)) found.set(name, path);
  return found;
}

async function declares(path: string, full: string, lookup: Lookup): Promise<boolean> {
  return (await lookup.deriveSource(path, readDeclaredNames))?.others.has(full.toLowerCase()) ?? false;
}

/** Without `./`, the path may begin in each directory above, because PHP starts from where the program was started. */
const requiredFile: Resolver = async (statement, asked) => {
  const { path, lookup } = asked;
  const { specifier, names, form } = statement;
  const isRelative = /^\.\.?\//u.test(specifier);
  const places = isRelative ? [parentPath(path)] : directoriesAbove(path, lookup);
  const paths = places.map((place) => joinPath(place, `./${specifier}`));
  // What Composer installs is no part of the workspace.
  if (/(?:^|\/)vendor\/|^\//u.test(specifier)) return { statement, none: 'outside_workspace' };
  const isGuess = form === 'require-guess';
  const found = (await firstFile(paths, lookup)) ?? (isGuess ? await besideThoseAbove(specifier, asked) : undefined);
  if (found === undefined) {
    // WordPress may be installed around the workspace.
    const isOfWordPress = /^wp-[a-z]{1,20}[/.-]/u.test(specifier);
    const unknown = isOfWordPress ? 'outside_workspace' : 'unsupported';
    return { statement, none: isGuess ? unknown : 'not_found' };
  }
  const declared = (await lookup.deriveSource(found, readDeclaredNames))?.short;
  const wanted = names.filter((name) => declared?.has(name.toLowerCase()));
  return { statement, targets: [{ path: found, names: wanted, guessed: true }] };
};

/** Directories in which a file can be, without installed packages. */
const directoriesAround = oncePerDirectory(async (directory, lookup) =>
  (await directoriesIn(directory, lookup)).filter((each) => baseName(each) !== 'vendor'),
);

/**
 * The file of a path that begins with an unknown directory, as in `LIB_PATH . '/tools.php'`: in one of the directories
 * in those above. If several of them have the file, nobody can tell.
 */
async function besideThoseAbove(specifier: string, { path, lookup }: Asked): Promise<string | undefined> {
  let left = limits.around;
  for (const above of directoriesAbove(path, lookup)) {
    const around = (await directoriesAround(above, lookup)).slice(0, left);
    left -= around.length;
    const found: string[] = [];
    for (const directory of around) {
      const each = joinPath(directory, `./${specifier}`);
      if (isInside(directory, each) && (await lookup.kindOf(each)) === 'file') found.push(each);
    }
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}
