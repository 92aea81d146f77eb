/**
 * Go: packages of the file's module, of modules that are replaced by local ones, and of modules in `go.work` (RT-02).
 */

import { baseName, joinPath } from '../../../access/paths.ts';
import type { Steps } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, eachLine, resolved } from '../places.ts';
import { isBuilt } from './go-constraints.ts';

const limits = fixedLimits.projects.go;

export const resolveGoImports: ImportResolver = async (imports, file, lookup) => {
  const modules = await modulesFor(file.path, lookup);
  const answers: ResolvedImport[] = [];
  for (const statement of imports) {
    const { specifier } = statement;
    const module = modules.find(({ path }) => specifier === path || specifier.startsWith(`${path}/`));
    if (module === undefined) {
      answers.push({ statement, none: 'outside_workspace' });
      continue;
    }
    const directory = joinPath(module.directory, `.${specifier.slice(module.path.length)}`);
    answers.push(resolved(statement, await targetsIn(directory, statement, lookup), 'not_found'));
  }
  return answers;
};

/** The files of a package that declare the used names. All files if the names are unknown or not found. */
async function targetsIn(directory: string, { names, form }: ImportStatement, lookup: Lookup): Promise<ImportTarget[]> {
  const files = (await lookup.namesIn(directory))
    .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go') && !/^[._]/u.test(name))
    .slice(0, limits.files)
    .map((name) => `${directory}/${name}`);
  const wanted = form === '.' || form === '_' ? [] : names;
  const declaring = new Map<string, { path: string; isBuilt: boolean }[]>();
  for (const path of wanted.length > 0 ? files : []) {
    const declared = await lookup.deriveSource(path, readDeclarations);
    const built = declared?.isBuilt(baseName(path)) ?? true;
    for (const name of wanted)
      if (declared?.names.has(name)) declaring.set(name, [...(declaring.get(name) ?? []), { path, isBuilt: built }]);
  }
  const narrowed = [...declaring].flatMap(([name, declared]) => {
    const built = declared.filter((each) => each.isBuilt);
    return (built.length > 0 ? built : declared).map(({ path }) => ({ path, names: [name] }));
  });
  return narrowed.length > 0 ? narrowed : files.map((path) => ({ path, names: [] }));
}

/** Max characters of one line that declares several names. */
const longestDeclaration = 20_000;

type Declarations = { names: ReadonlySet<string>; isBuilt(name: string): boolean };

/**
 * The names that a file declares, if `gofmt` formatted it. This only chooses files; the parser reads their definitions.
 */
function* readDeclarations(text: string): Steps<Declarations> {
  const names = new Set<string>();
  let isInGroup = false;
  yield* eachLine(text, (line) => {
    if (/^(?:type|var|const)\s*\(/u.test(line)) isInGroup = true;
    else if (line.startsWith(')')) isInGroup = false;
    const declared =
      /^(?:func|type|var|const)\s+(\p{L}[^(=[{]*)/u.exec(line) ?? (isInGroup ? /^\t(\p{L}[^(=[{]*)/u.exec(line) : null);
    for (const each of declared?.[1]?.slice(0, longestDeclaration).split(',') ?? [])
      names.add(/^\s*([\p{L}\p{N}_]*)/u.exec(each)?.[1] ?? '');
    return true;
  });
  const head = text.slice(0, 4_096);
  return { names, isBuilt: (name) => isBuilt(name, head) };
}

type Module = { path: string; directory: string };

/** Longest path first. Modules of the workspace that neither `go.mod` nor `go.work` names are not used. */
async function modulesFor(path: string, lookup: Lookup): Promise<Module[]> {
  const modules: Module[] = [];
  let isInModule = false;
  for (const directory of directoriesAbove(path, lookup)) {
    const names = await lookup.namesIn(directory);
    if (!isInModule && names.includes('go.mod')) {
      isInModule = true;
      modules.push(...(await readModule(directory, lookup)));
    }
    if (!names.includes('go.work')) continue;
    const used = (await lookup.derive(`${directory}/go.work`, readUsed)) ?? [];
    for (const each of used.slice(0, limits.files))
      modules.push(...(await readModule(joinPath(directory, each[0] ?? '.'), lookup)));
    modules.push(...(await replacements(`${directory}/go.work`, directory, lookup)));
    break;
  }
  // Without modules: the layout of GOPATH.
  if (modules.length === 0) modules.push(...(await packagesBelow(`${lookup.mountedDirectory}/src`, lookup)));
  return modules.sort((a, b) => b.path.length - a.path.length);
}

async function readModule(directory: string, lookup: Lookup): Promise<Module[]> {
  const file = `${directory}/go.mod`;
  const path = (await lookup.derive(file, readModulePath))?.[0]?.[0];
  return [...(path ? [{ path, directory }] : []), ...(await replacements(file, directory, lookup))];
}

/** Reads `replace example.com/a v1 => ../a`. */
async function replacements(file: string, directory: string, lookup: Lookup): Promise<Module[]> {
  const replaced = (await lookup.derive(file, readReplaced)) ?? [];
  return replaced.flatMap((words) => {
    const target = words[words.indexOf('=>') + 1];
    return words[0] && target && /^\.\.?(?:\/|$)/u.test(target)
      ? [{ path: words[0], directory: joinPath(directory, target) }]
      : [];
  });
}

async function packagesBelow(directory: string, lookup: Lookup): Promise<Module[]> {
  const names = await lookup.namesIn(directory);
  return names.slice(0, limits.files).map((name) => ({ path: baseName(name), directory: `${directory}/${name}` }));
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
