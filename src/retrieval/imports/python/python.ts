/** Python: absolute and relative imports, packages and namespace packages, in every directory with modules (RT-02). */

import { joinPath, parentPath } from '../../../access/paths.ts';
import { once, onceForEach } from '../../../pace/once-for-each.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, directoriesNearTop, directoriesOf, firstFile, resolved } from '../places.ts';
import { hidesModule } from './module-names.ts';
import { fixturesFor } from './pytest-fixtures.ts';
import { pythonSourceDirectories } from './python-project.ts';

export const resolvePythonImports: ImportResolver = async (imports, file, lookup) => {
  const roots = openRoots(file.path, lookup);
  const filesOf = async (specifier: string, importer: string): Promise<string[]> => {
    const whole = { specifier, names: ['*'], line: 1, form: 'from' };
    const found = await resolvePythonImports([whole], { ...file, path: importer }, lookup);
    return found.flatMap((answer) => ('targets' in answer ? answer.targets.map(({ path }) => path) : []));
  };
  const answers: ResolvedImport[] = [];
  for (const statement of imports)
    if (statement.form === 'fixtures')
      answers.push({ statement, targets: await fixturesFor(statement.names, file.path, { lookup, filesOf }) });
    else answers.push(await resolveOne(file.path, roots, { statement, lookup }));
  return answers;
};

async function resolveOne(path: string, roots: Roots, asked: Asked): Promise<ResolvedImport> {
  const { statement, lookup } = asked;
  const { depth } = fixedLimits.projects.python;
  const dots = /^\.*/u.exec(statement.specifier)?.[0].length ?? 0;
  const parts = statement.specifier.slice(dots).split('.').filter(Boolean);
  if (parts.length > depth || dots > depth) return { statement, none: 'outside_workspace' };
  if (dots > 0) {
    const base = joinPath(parentPath(path), '../'.repeat(dots - 1));
    return resolved(statement, await targetsIn([base], parts, asked), 'not_found');
  }
  const [first = ''] = parts;
  const near = await roots.near(first);
  const found = await targetsIn(near, parts, asked);
  const targets = found.length > 0 ? found : await targetsIn(await roots.far(first), parts, asked);
  const isOurs = targets.length === 0 && (await isPackageOf(first, near, lookup));
  return resolved(statement, targets, isOurs ? 'not_found' : 'outside_workspace');
}

/** The directories that have the first name of a path: of the file's own project, and of other projects. */
type Roots = Readonly<{ near(name: string): Promise<string[]>; far(name: string): Promise<string[]> }>;

function openRoots(path: string, lookup: Lookup): Roots {
  const near = once(() => sourceRoots(path, lookup));
  const far = once(async () => distantRoots(await near(), lookup));
  return {
    near: onceForEach(async (name) => rootsHolding(name, await near(), lookup)),
    far: onceForEach(async (name) => rootsHolding(name, await far(), lookup)),
  };
}

async function rootsHolding(name: string, roots: readonly string[], lookup: Lookup): Promise<string[]> {
  const holding: string[] = [];
  for (const root of roots) if (await findModule(root, [name], lookup)) holding.push(root);
  return holding;
}

type Asked = { statement: ImportStatement; lookup: Lookup };
/** A module: its file, if there is one, and the directory of its submodules. */
type Module = { path?: string; directory: string };

async function targetsIn(roots: readonly string[], parts: readonly string[], asked: Asked): Promise<ImportTarget[]> {
  for (const root of roots) {
    const module = await findModule(root, parts, asked.lookup);
    const targets = module ? await targetsOf(module, asked) : [];
    if (targets.length > 0) return targets;
  }
  return [];
}

/** A name of a submodule means the submodule; other names belong to the module itself. */
async function targetsOf(module: Module, { statement, lookup }: Asked): Promise<ImportTarget[]> {
  const { names, form } = statement;
  const members = new Map(statement.members);
  const whole = module.path === undefined ? [] : [{ path: module.path, names: [] }];
  if (names.length === 0 || names.includes('*')) return whole;
  const targets: ImportTarget[] = [];
  for (const name of names) {
    const submodule = await findModule(module.directory, [name], lookup);
    const isHidden = module.path !== undefined && submodule && (await hidesModule(module.path, name, lookup));
    if (submodule?.path !== undefined && submodule.path !== module.path && !isHidden) {
      const used = members.get(name) ?? [];
      // Attributes of a module may be made when it runs.
      targets.push({ path: submodule.path, names: used, guessed: used.length > 0 });
    } else if (module.path !== undefined)
      targets.push({ path: module.path, names: [name], guessed: form === 'import' });
  }
  // Only submodules of the package are used. The package is included too.
  if (form === 'import' && !targets.some(({ path }) => path === module.path)) targets.unshift(...whole);
  return targets;
}

/** Sources before stubs, packages before modules. Without `parts`: the package of the directory itself. */
async function findModule(root: string, parts: readonly string[], lookup: Lookup): Promise<Module | undefined> {
  const directory = joinPath(root, parts.join('/') || '.');
  const isModule = parts.length > 0;
  const path = await firstFile(
    [
      `${directory}/__init__.py`,
      ...(isModule ? [`${directory}.py`] : []),
      `${directory}/__init__.pyi`,
      ...(isModule ? [`${directory}.pyi`] : []),
    ],
    lookup,
  );
  if (path !== undefined) return { path, directory };
  return (await lookup.kindOf(directory)) === 'directory' ? { directory } : undefined;
}

/**
 * Nearest first: directories that the projects around the file name, also if they are packages, and the directories
 * above it that are none.
 */
async function sourceRoots(path: string, lookup: Lookup): Promise<string[]> {
  const roots: string[] = [];
  for (const directory of directoriesAbove(path, lookup)) {
    roots.push(...(await directoriesOf(await pythonSourceDirectories(directory, lookup), lookup)));
    roots.push(...(await outsidePackages([directory, `${directory}/src`], lookup)));
  }
  return [...new Set(roots)];
}

/** Other projects of the same workspace: each directory in it, and in directories of projects, with its `src`. */
async function distantRoots(known: readonly string[], lookup: Lookup): Promise<string[]> {
  const roots = await directoriesNearTop(/\/(?:packages|libs?|apps|services|projects|python)$/u, lookup);
  const found = await outsidePackages(
    roots.flatMap((root) => [`${root}/src`, root]),
    lookup,
  );
  return found.filter((root) => !known.includes(root));
}

async function outsidePackages(roots: readonly string[], lookup: Lookup): Promise<string[]> {
  const outside: string[] = [];
  for (const root of await directoriesOf(roots, lookup))
    if ((await findModule(root, [], lookup))?.path === undefined) outside.push(root);
  return outside;
}

/** True if the name is a package or module of the workspace. Then something that it lacks is missing. */
async function isPackageOf(name: string, roots: readonly string[], lookup: Lookup): Promise<boolean> {
  for (const root of roots) if ((await findModule(root, [name], lookup))?.path !== undefined) return true;
  return false;
}
