/**
 * Lua: modules and files by their names, in the directories where projects, plugins and rockspecs have them (RT-02).
 */
import { baseName, isInside, joinPath, parentPath, pathBelow } from '../../../access/paths.ts';
import { createPause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, directoriesIn, directoriesOf, firstFile, resolved } from '../places.ts';

const limits = fixedLimits.projects.lua;

export const resolveLuaImports: ImportResolver = async (imports, file, lookup) => {
  const above = directoriesAbove(file.path, lookup);
  const roots = await moduleDirectories(withoutModules(above), lookup);
  const named = await modulesOfRocks(above, lookup);
  const places: Places = { path: file.path, above, roots, named };
  const found = new Map<ImportStatement, string>();
  const pause = createPause();
  for (const statement of imports) {
    await pause();
    const path = await firstFile(candidatesOf(statement, places), lookup);
    if (path !== undefined) found.set(statement, path);
  }
  const others = [...found].filter(([, path]) => path !== file.path);
  const beginnings = new Set(others.map(([{ specifier }]) => specifier.split(/[./]/u, 1)[0] ?? ''));
  return imports.map((statement): ResolvedImport => {
    const path = found.get(statement);
    if (path === file.path) return { statement, targets: [] };
    // What is used of a table of a module can be defined in the same file. The constructor there is the module's own.
    const members = (statement.members ?? []).flatMap(([, used]) => used).filter((name) => !constructors.has(name));
    const names = [...new Set([...statement.names, ...members])];
    const target = path === undefined ? undefined : { path, names, guessed: true };
    return resolved(statement, [target], isOurs(statement, beginnings, places) ? 'not_found' : 'outside_workspace');
  });
};

const constructors = new Set(['new', '__call']);

type Places = {
  path: string;
  above: readonly string[];
  /** Directories of modules, with the names in them. */
  roots: ReadonlyMap<string, ReadonlySet<string>>;
  named: ReadonlyMap<string, string>;
};

function candidatesOf({ specifier, form }: ImportStatement, { path, above, roots, named }: Places): string[] {
  // A program can be started in each directory above.
  if (form === 'file') return above.map((directory) => joinPath(directory, `./${specifier}`));
  const relative = specifier.replace(/^\.{1,2}\//u, '').replaceAll('.', '/');
  if (form === 'own') return filesOf(joinPath(ownDirectory(path), `./${relative.replace(/^\//u, '')}`));
  const known = named.get(specifier);
  return [
    ...(known === undefined ? [] : [known]),
    ...rootsOf(relative, roots).flatMap((root) => filesOf(joinPath(root, `./${relative}`))),
  ];
}

/** Those that have something of the name with which the path begins. */
function rootsOf(relative: string, roots: Places['roots']): string[] {
  const [first = ''] = relative.split('/', 1);
  return [...roots].flatMap(([root, names]) => (names.has(first) || names.has(`${first}.lua`) ? [root] : []));
}

/** Where the modules below the file's own module are. */
function ownDirectory(path: string): string {
  return baseName(path) === 'init.lua' ? parentPath(path) : path.replace(/\.lua$/u, '');
}

/** `a/b.lua` and `a/b/init.lua` for `a/b`. */
function filesOf(module: string): string[] {
  return [`${module}.lua`, `${module}/init.lua`];
}

/** Where a project or plugin has its modules. */
const usual = ['lua', 'src', 'lib'];

/** Below a directory `lua`, as plugins and configurations of Neovim have it, modules are named from there. */
function withoutModules(above: readonly string[]): readonly string[] {
  const at = above.slice(0, -1).findIndex((directory) => baseName(directory) === 'lua');
  return at < 0 ? above : above.slice(at);
}

/** Those of the project, the nearest first, then those of plugins beside, and the file's own directory. */
async function moduleDirectories(above: readonly string[], lookup: Lookup): Promise<Places['roots']> {
  const [own, ...others] = above;
  const directories = others.flatMap((directory) => [directory, ...usual.map((each) => `${directory}/${each}`)]);
  const beside: string[] = [];
  for (const directory of above.slice(-1))
    for (const plugin of await directoriesIn(directory, lookup)) beside.push(`${plugin}/lua`);
  const ofOwn = own === undefined ? [] : [...usual.map((each) => `${own}/${each}`), own];
  const found = await directoriesOf([...directories, ...ofOwn, ...beside], lookup);
  const roots = new Map<string, ReadonlySet<string>>();
  for (const root of found.slice(0, limits.directories)) roots.set(root, new Set(await lookup.namesIn(root)));
  return roots;
}

/** The files of modules that rockspecs name. */
async function modulesOfRocks(above: readonly string[], lookup: Lookup): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const directory of above) {
    const names = (await lookup.namesIn(directory)).filter((name) => name.endsWith('.rockspec'));
    for (const name of names.slice(0, limits.rockspecs))
      for (const [module, path] of (await lookup.derive(`${directory}/${name}`, readRockspec)) ?? [])
        if (!found.has(module)) found.set(module, joinPath(directory, `./${path}`));
  }
  return found;
}

const pair = /(?:\[ ?["']([^"'\n]*)["'] ?\]|\b([A-Za-z_]\w*)) ?= ?["']([^"'\n]*)["']/gu;

function readRockspec(text: string): [string, string][] {
  const found: [string, string][] = [];
  for (const [, quoted, plain = '', path = ''] of text.slice(0, limits.rockspecCharacters).matchAll(pair))
    if (path.endsWith('.lua') && found.push([quoted ?? plain, path]) >= limits.modules) break;
  return found;
}

/** A module should be in the workspace if others of the same beginning are, or the file itself. */
function isOurs({ specifier, form }: ImportStatement, found: ReadonlySet<string>, { path, roots }: Places): boolean {
  if (form === 'own') return true;
  const [first = '', ...rest] = specifier.split(/[./]/u);
  if (form === 'file' || rest.length === 0 || first === '') return false;
  return found.has(first) || [...roots.keys()].some((root) => isInside(pathBelow(root, first), path));
}
