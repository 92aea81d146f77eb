/** The directories of Swift modules: targets of packages, and directories of Xcode projects (RT-02). */
import { baseName, isInside, joinPath, parentPath, pathBelow, relativePath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove, directoriesIn, directoriesOf, oncePerDirectory } from '../places.ts';

const limits = fixedLimits.projects.swift;

/** `directories`: those near the file first. */
export type SwiftModule = Readonly<{ root: string; directories: readonly string[] }>;

/** The name of a directory or a file of tests, but not `Latest`. No other code sees what is in it. */
export function isOfTests(name: string): boolean {
  return /(?:(?:^|[_-])[Tt]|[a-zA-Z\d]T)ests?(?:\.swift)?$/u.test(name);
}

/** The module of a file. Its directories lead from the file to the whole module. */
export async function ownModule(path: string, lookup: Lookup): Promise<SwiftModule> {
  const above = directoriesAbove(path, lookup);
  const top = await topOf(path, lookup);
  const isPackage = (await lookup.namesIn(top)).includes('Package.swift');
  const targets = isPackage ? [...(await targetsOf(top, lookup)).values()] : [];
  const around = targets.filter((directory) => isInside(directory, path)).sort((a, b) => b.length - a.length);
  const [root = isPackage ? usualTarget(top, path) : firstBelow(top, path)] = around;
  const near = above.filter((directory) => isInside(root, directory));
  // Which of its directories a target of Xcode has, only the project knows, in a format that nobody reads.
  const isOfXcode = !isPackage && !relativePath(top, path).split('/').some(isOfTests);
  return { root, directories: isOfXcode ? [...near, top] : near };
}

/** The directory of the package, or else of the Xcode project. */
async function topOf(path: string, lookup: Lookup): Promise<string> {
  for (const directory of directoriesAbove(path, lookup))
    if ((await lookup.namesIn(directory)).some(isTop)) return directory;
  return lookup.mountedDirectory;
}

function isTop(name: string): boolean {
  return name === 'Package.swift' || /\.xcodeproj$|\.xcworkspace$/u.test(name) || name === 'Project.swift';
}

/** `Sources/Shop` of `Sources/Shop/Cart/Line.swift`. */
function usualTarget(top: string, path: string): string {
  const [sources = '', target = '', ...rest] = relativePath(top, path).split('/');
  return rest.length === 0 ? parentPath(path) : pathBelow(top, `${sources}/${target}`);
}

/** `Shop` of `Shop/Cart/Line.swift`. */
function firstBelow(top: string, path: string): string {
  const [first = '', ...rest] = relativePath(top, path).split('/');
  return rest.length === 0 ? top : pathBelow(top, first);
}

/** What tests test can be called otherwise than its directory. Then all of the project counts. */
export async function findTestedModule(name: string, path: string, lookup: Lookup): Promise<string> {
  return (await findSwiftModule(name, path, lookup)) ?? topOf(path, lookup);
}

/** The directory of a module that the file at `path` imports. Undefined if it is not in the workspace. */
export async function findSwiftModule(name: string, path: string, lookup: Lookup): Promise<string | undefined> {
  const above = directoriesAbove(path, lookup);
  for (const directory of above) {
    const found = (await targetsNear(directory, lookup)).get(name);
    if (found !== undefined) return found;
  }
  const top = await topOf(path, lookup);
  const outside = above.filter((each) => !relativePath(top, each).split('/').some(isOfTests));
  for (const directory of await directoriesOf(
    outside.map((each) => `${each}/${name}`),
    lookup,
  )) {
    const names = await lookup.namesIn(directory);
    if (names.some((each) => each.endsWith('.swift')) || (await directoriesIn(directory, lookup)).length > 0)
      return directory;
  }
  return undefined;
}

/** Directories in which packages of a repository usually are. */
const places = ['.', 'Packages', 'Modules', 'LocalPackages', 'Libraries'];

/** The targets of the packages in a directory, below it, and where its manifest says. */
const targetsNear = oncePerDirectory(async (directory, lookup): Promise<ReadonlyMap<string, string>> => {
  const packages = new Set([directory]);
  const manifest = await manifestOf(directory, lookup);
  for (const path of manifest?.packages ?? []) packages.add(joinPath(directory, path));
  for (const place of places)
    for (const each of await directoriesIn(joinPath(directory, place), lookup)) packages.add(each);
  const targets = new Map<string, string>();
  for (const each of [...packages].slice(0, limits.packages)) {
    if (!isInside(lookup.mountedDirectory, each)) continue;
    for (const [name, place] of await targetsOf(each, lookup)) if (!targets.has(name)) targets.set(name, place);
  }
  return targets;
});

/** The directories of the targets of the package in a directory, by their names. */
const targetsOf = oncePerDirectory(async (directory, lookup): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for (const { name, path, isTest } of (await manifestOf(directory, lookup))?.targets ?? []) {
    const usual = isTest ? [`Tests/${name}`] : ['Sources', 'Source', 'src', 'srcs'].map((each) => `${each}/${name}`);
    const candidates = path === undefined ? usual : [path];
    const [place] = await directoriesOf(
      candidates.map((each) => joinPath(directory, `./${each}`)),
      lookup,
    );
    if (place !== undefined && !found.has(name)) found.set(name, place);
  }
  // A manifest can make its targets by code.
  for (const place of found.size === 0 && (await manifestOf(directory, lookup)) ? ['Sources', 'Tests'] : [])
    for (const each of await directoriesIn(`${directory}/${place}`, lookup)) found.set(baseName(each), each);
  return found;
});

type Target = Readonly<{ name: string; path: string | undefined; isTest: boolean }>;

type Manifest = Readonly<{
  targets: readonly Target[];
  /** Paths of other packages. */
  packages: readonly string[];
}>;

function manifestOf(directory: string, lookup: Lookup): Promise<Manifest | undefined> {
  return lookup.derive(`${directory}/Package.swift`, readManifest);
}

function readManifest(text: string): Manifest {
  const heads = [...text.matchAll(/\.(target|executableTarget|testTarget|macro|plugin|package)\s{0,9}\(/gu)];
  const targets: Target[] = [];
  const packages: string[] = [];
  let end = 0;
  for (const { 0: opening, 1: kind, index } of heads.slice(0, limits.targets)) {
    // What a target depends on is written like a target.
    if (index < end) continue;
    const call = argumentsAt(text, index + opening.length);
    const [name, path] = [textOf('name', call.own), textOf('path', call.own)];
    end = call.end;
    if (kind === 'package') packages.push(...(path === undefined ? [] : [path]));
    else if (name !== undefined) targets.push({ name, isTest: kind === 'testTarget', path });
  }
  return { targets, packages };
}

/** The literal text of an argument. */
function textOf(label: string, list: string): string | undefined {
  const given = list.split(',').find((each) => each.trimStart().startsWith(`${label}:`));
  return given?.split('"', 2)[1];
}

/** The rest of longer arguments does not count. */
const longestArguments = 8_000;

/** The arguments of a call, without what is in brackets inside, and where they end. */
function argumentsAt(text: string, start: number): { own: string; end: number } {
  let depth = 1;
  let own = '';
  const last = Math.min(text.length, start + longestArguments);
  for (let at = start; at < last; at += 1) {
    const character = text.charAt(at);
    if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
    else if (depth === 1) own += character;
    if (depth === 0) return { own, end: at };
  }
  return { own, end: last };
}
