/**
 * Go: packages of the file's module, of modules that are replaced by local ones, and of modules in `go.work`, and the
 * other files of its own package (RT-02).
 */

import { baseName, joinPath, parentPath } from '../../../access/paths.ts';
import { createPause, type Steps } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, resolved } from '../places.ts';
import { eachLine, listOf } from '../plain-reading.ts';
import { isBuilt } from './go-constraints.ts';

const limits = fixedLimits.projects.go;

export const resolveGoImports: ImportResolver = async (imports, file, lookup) => {
  const modules = await modulesFor(file.path, lookup);
  const answers: ResolvedImport[] = [];
  const pause = createPause();
  for (const statement of imports) {
    await pause();
    if (statement.form !== 'package') {
      answers.push(await resolveOne(statement, modules, lookup));
      continue;
    }
    const elsewhere = new Set(imports.flatMap(({ form, names }) => (form === 'package' ? [] : names)));
    const names = statement.names.filter((name) => !elsewhere.has(name.slice(1)));
    // The own package is not an import that can fail: maybe nothing of it is used.
    answers.push(resolved(statement, await ownPackage({ ...statement, names }, file.path, lookup)));
  }
  return answers;
};

async function resolveOne(
  statement: ImportStatement,
  modules: readonly Module[],
  lookup: Lookup,
): Promise<ResolvedImport> {
  const { specifier } = statement;
  const module = modules.find(({ path, below }) => specifier === path || specifier.startsWith(below));
  if (module === undefined) return { statement, none: 'outside_workspace' };
  const directory = joinPath(module.directory, `.${specifier.slice(module.path.length)}`);
  return resolved(statement, await targetsIn(directory, statement, lookup), 'not_found');
}

/** The files of a package that declare the used names. All files if the names are unknown or not found. */
async function targetsIn(directory: string, { names, form }: ImportStatement, lookup: Lookup): Promise<ImportTarget[]> {
  const files = await sourcesIn(directory, (name) => !name.endsWith('_test.go'), lookup);
  // A blank import only runs what initializes the package.
  const wanted = form === '.' ? [] : form === '_' ? ['init'] : names;
  const narrowed = wanted.length > 0 ? await declaring(wanted, files, lookup) : [];
  return narrowed.length > 0 ? narrowed : files.map((path) => ({ path, names: [] }));
}

/** Other files with what the file uses of its own package. Tests are seen by tests only. */
async function ownPackage(statement: ImportStatement, path: string, lookup: Lookup): Promise<ImportTarget[]> {
  const isSeen = (name: string) => !name.endsWith('_test.go') || path.endsWith('_test.go');
  const files = await sourcesIn(parentPath(path), isSeen, lookup);
  const pause = createPause();
  const ofPackage: string[] = [];
  const own = await lookup.deriveSource(path, readDeclarations);
  // Many types have methods of the same name. Those count that the file names.
  const named = new Set([...statement.names, ...(own?.names ?? [])]);
  const wanted = new Set(statement.names.filter((name) => !name.startsWith('.')));
  for (const each of files) {
    await pause();
    const declared = await lookup.deriveSource(each, readDeclarations);
    if (declared?.ofPackage !== statement.specifier) continue;
    if (each !== path) ofPackage.push(each);
    for (const name of statement.names)
      for (const type of declared.methods.get(name) ?? []) if (named.has(type)) wanted.add(`${type}${name}`);
  }
  return declaring([...wanted], ofPackage, lookup);
}

async function sourcesIn(directory: string, isSeen: (name: string) => boolean, lookup: Lookup): Promise<string[]> {
  return (await lookup.namesIn(directory))
    .filter((name) => name.endsWith('.go') && isSeen(name) && !/^[._]/u.test(name))
    .slice(0, limits.files)
    .map((name) => `${directory}/${name}`);
}

/** The files that declare the names, in the order of the names. */
async function declaring(names: readonly string[], files: readonly string[], lookup: Lookup): Promise<ImportTarget[]> {
  const places = new Map<string, { path: string; isBuilt: boolean }[]>(names.map((name) => [name, []]));
  const pause = createPause();
  for (const path of files) {
    await pause();
    const declared = await lookup.deriveSource(path, readDeclarations);
    const built = declared?.isBuilt(baseName(path)) ?? true;
    for (const [name, at] of places) if (declared?.names.has(name)) at.push({ path, isBuilt: built });
  }
  const byPath = new Map<string, string[]>();
  for (const [name, declared] of places) {
    const built = declared.filter((each) => each.isBuilt);
    for (const { path } of built.length > 0 ? built : declared) listOf(byPath, path).push(name);
  }
  return [...byPath].map(([path, declared]) => ({ path, names: declared }));
}

/** `func (s *Shop[T]) Close(`. */
const methodHead =
  /^func \((?:[\p{L}\p{N}_]{1,200} )?\*?([\p{L}\p{N}_]{1,200})(?:\[[^\]]{0,200}\])?\) ([\p{L}\p{N}_]{1,200})/u;
/** Max characters of one line that declares several names. */
const longestDeclaration = 20_000;

/** `names`: those of methods begin with their type. `methods`: the types that have a method, by `.name`. */
type Declarations = {
  ofPackage: string | undefined;
  names: ReadonlySet<string>;
  methods: ReadonlyMap<string, readonly string[]>;
  isBuilt(name: string): boolean;
};

/**
 * What a file declares, if `gofmt` formatted it. This only chooses files; the parser reads their definitions.
 */
function* readDeclarations(text: string): Steps<Declarations> {
  const names = new Set<string>();
  const methods = new Map<string, string[]>();
  let ofPackage: string | undefined;
  let isInGroup = false;
  yield* eachLine(text, (line) => {
    ofPackage ??= /^package\s+([\p{L}\p{N}_]+)/u.exec(line)?.[1];
    const [, type = '', method = ''] = methodHead.exec(line) ?? [];
    if (method !== '') {
      names.add(`${type}.${method}`);
      listOf(methods, `.${method}`).push(type);
    }
    if (/^(?:type|var|const)\s*\(/u.test(line)) isInGroup = true;
    else if (line.startsWith(')')) isInGroup = false;
    const declared =
      /^(?:func|type|var|const)\s+(\p{L}[^(=[{]*)/u.exec(line) ?? (isInGroup ? /^\t(\p{L}[^(=[{]*)/u.exec(line) : null);
    for (const each of declared?.[1]?.slice(0, longestDeclaration).split(',') ?? [])
      names.add(/^\s*([\p{L}\p{N}_]*)/u.exec(each)?.[1] ?? '');
    return true;
  });
  const head = text.slice(0, 4_096);
  return { ofPackage, names, methods, isBuilt: (name) => isBuilt(name, head) };
}

/** `below`: how the paths of its packages begin. */
type Module = { path: string; below: string; directory: string };
/** Directories by path. The first directory of a path counts. */
type Directories = Map<string, string>;

/** Longest path first. Modules of the workspace that neither `go.mod` nor `go.work` names are not used. */
async function modulesFor(path: string, lookup: Lookup): Promise<Module[]> {
  const modules: Directories = new Map();
  let isInModule = false;
  for (const directory of directoriesAbove(path, lookup)) {
    const names = await lookup.namesIn(directory);
    if (!isInModule && names.includes('go.mod')) {
      isInModule = true;
      await readModule(directory, modules, lookup);
    }
    if (!names.includes('go.work')) continue;
    const used = (await lookup.derive(`${directory}/go.work`, readUsed)) ?? [];
    for (const each of used.slice(0, limits.files))
      await readModule(joinPath(directory, each[0] ?? '.'), modules, lookup);
    await readReplacements(`${directory}/go.work`, modules, lookup);
    break;
  }
  // Without modules: the layout of GOPATH.
  if (modules.size === 0)
    for (const name of (await lookup.namesIn(`${lookup.mountedDirectory}/src`)).slice(0, limits.files))
      modules.set(name, `${lookup.mountedDirectory}/src/${name}`);
  const found = [...modules].map(([each, directory]) => ({ path: each, below: `${each}/`, directory }));
  return found.sort((a, b) => b.path.length - a.path.length);
}

function add(modules: Directories, path: string, directory: string): void {
  if (modules.size < limits.modules && !modules.has(path)) modules.set(path, directory);
}

async function readModule(directory: string, modules: Directories, lookup: Lookup): Promise<void> {
  if (modules.size >= limits.modules) return;
  const file = `${directory}/go.mod`;
  const path = (await lookup.derive(file, readModulePath))?.[0]?.[0];
  if (path) add(modules, path, directory);
  await readReplacements(file, modules, lookup);
}

/** Reads `replace example.com/a v1 => ../a`. */
async function readReplacements(file: string, modules: Directories, lookup: Lookup): Promise<void> {
  const directory = parentPath(file);
  for (const words of (await lookup.derive(file, readReplaced)) ?? []) {
    const target = words[words.indexOf('=>') + 1];
    if (words[0] && target && /^\.\.?(?:\/|$)/u.test(target)) add(modules, words[0], joinPath(directory, target));
  }
}

const readUsed = (text: string): string[][] => directive(text, 'use');
const readModulePath = (text: string): string[][] => directive(text, 'module');
const readReplaced = (text: string): string[][] => directive(text, 'replace');

/** The words of each line of a directive, single or as a block. */
function directive(text: string, name: string): string[][] {
  const lines: string[][] = [];
  let isInBlock = false;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const said = (line.split('//', 1)[0] ?? '').trim();
    if (said === '' || !(isInBlock || said.startsWith(name))) continue;
    const words = said.split(/\s+/u).map((word) => word.replace(/^["`](.*)["`]$/u, '$1'));
    if (isInBlock && words[0] === ')') isInBlock = false;
    else if (isInBlock && words[0]) lines.push(words);
    else if (words[0] === name && words[1] === '(') isInBlock = true;
    else if (words[0] === name && words[1]) lines.push(words.slice(1));
  }
  return lines;
}
