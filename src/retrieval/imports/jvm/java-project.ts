/**
 * Finds the sources of a Java, Kotlin or Scala project: by the file's own package, and in the modules of Maven, Gradle,
 * sbt and Mill.
 */
import { isInside, joinPath, parentPath } from '../../../access/paths.ts';
import { once, onceForEach } from '../../../pace/once-for-each.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove, directoriesIn, directoriesOf } from '../places.ts';
import { firstMatches, listOf, withoutXmlComments } from '../plain-reading.ts';

const limits = fixedLimits.projects.jvm;

const gradleFiles = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
const millFiles = ['build.mill', 'build.mill.scala', 'build.sc'];
const buildFiles = ['pom.xml', ...gradleFiles, 'build.sbt', ...millFiles];

/** `main` comes first, so that a real type goes before an imitation in tests. */
const firstSets = ['main', 'commonMain', 'test', 'commonTest'];

/** Source directories, with those of the file's own module first. */
export async function javaSourceDirectories(path: string, ownPackage: string, lookup: Lookup): Promise<string[]> {
  const ownRoot = rootOf(path, ownPackage);
  const roots = isInside(lookup.mountedDirectory, ownRoot) ? [ownRoot] : [];
  const isMain = /\/src\/(?:main|\w{1,100}Main)\//u.test(path);
  /** Those of other modules' tests, which seldom hold what is imported. Code that is no test sees no tests. */
  const ofTests: string[] = [];
  const modules = await modulesAround(path, lookup);
  for (const module of modules.slice(0, limits.modules)) {
    const names = await lookup.namesIn(module);
    // Play has its sources in `app`; Mill those of one platform in `src-jvm`.
    const apart = names.filter((name) => name.startsWith('src-') || (name === 'app' && names.includes('conf')));
    if (apart.length === 0 && !['src', 'java', 'kotlin', 'common', 'jvm'].some((name) => names.includes(name)))
      continue;
    const sets = names.includes('src') ? await lookup.namesIn(`${module}/src`) : [];
    const ordered = [
      ...firstSets.filter((set) => sets.includes(set)),
      ...sets.filter((set) => !firstSets.includes(set)),
    ];
    for (const set of ordered.slice(0, 20)) {
      const isOfTests = /test/iu.test(set);
      if (isOfTests && isMain) continue;
      const list = isOfTests && module !== modules[0] ? ofTests : roots;
      // `scala-2.13` has what is only for this version.
      const scala = (await lookup.namesIn(`${module}/src/${set}`)).filter((name) => name.startsWith('scala'));
      list.push(...['java', 'kotlin', ...scala.slice(0, 20)].map((name) => `${module}/src/${set}/${name}`));
    }
    roots.push(
      ...['src', ...apart.slice(0, 20), 'java', 'kotlin', 'common/src', 'jvm/src'].map((name) => `${module}/${name}`),
    );
  }
  return (await directoriesOf([...roots, ...ofTests], lookup)).slice(0, limits.roots);
}

/** The modules of the builds around a file, each once, those of the nearest build first. */
async function modulesAround(path: string, lookup: Lookup): Promise<string[]> {
  const modules: string[] = [];
  /** Modules of sbt and Mill need no files of their own. */
  const between: string[] = [];
  for (const directory of directoriesAbove(path, lookup)) {
    const names = await lookup.namesIn(directory);
    const isTop = directory === lookup.mountedDirectory;
    if (names.some((name) => name === 'src' || name.startsWith('src-'))) between.push(directory);
    if (!isTop && !buildFiles.some((name) => names.includes(name))) continue;
    if (names.includes('build.sbt') || isMill(names)) modules.push(...between);
    modules.push(directory, ...(await modulesOf(directory, names, lookup)));
    // What is above a whole build of sbt or Mill is something else.
    if (isMill(names) || (names.includes('build.sbt') && names.includes('project'))) break;
  }
  return [...new Set(modules)];
}

/**
 * The directories at a path below the source directories, in their order: those of the package `a.b` at `a/b`. After a
 * number of questions, there are none.
 */
export type PackageDirectories = (path: string) => Promise<readonly string[]>;

/** Asks only where the path above exists, because most packages that a file imports are of libraries. */
export function openPackageDirectories(roots: readonly string[], lookup: Lookup): PackageDirectories {
  let left = limits.looks;
  const byName = once(() => rootsByName(roots, lookup));
  const directoriesAt: PackageDirectories = onceForEach(async (path) => {
    if (path === '') return roots;
    const parts = path.split('/', limits.depth + 1);
    const withFirst = (await byName()).get(parts[0] ?? '');
    if (withFirst === undefined || parts.length > limits.depth) return [];
    const above = parts.length === 1 ? withFirst : await directoriesAt(parentPath(`/${path}`).slice(1));
    left -= above.length;
    if (left < 0) return [];
    return directoriesOf(
      above.map((directory) => joinPath(directory, `./${parts.at(-1)}`)),
      lookup,
    );
  });
  return directoriesAt;
}

async function rootsByName(roots: readonly string[], lookup: Lookup): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const root of roots) for (const name of await lookup.namesIn(root)) listOf(found, name).push(root);
  return found;
}

/**
 * The directory above the one that has the path of the package. The beginning of the path can be left out, as Kotlin
 * recommends. If there is none, the file's own directory.
 */
function rootOf(path: string, ownPackage: string): string {
  const directory = parentPath(path);
  const parts = ownPackage.split('.').slice(0, limits.depth);
  for (let from = 0; from < parts.length; from += 1) {
    const suffix = `/${parts.slice(from).join('/')}`;
    if (suffix !== '/' && directory.endsWith(suffix)) return directory.slice(0, -suffix.length) || '/';
  }
  return directory;
}

/**
 * Modules that a build declares, and the directories in it. Settings can declare modules by functions of their own;
 * then also the directories in directories that are no modules.
 */
async function modulesOf(directory: string, names: readonly string[], lookup: Lookup): Promise<string[]> {
  const declared = await directoriesOf(await declaredModules(directory, names, lookup), lookup);
  const modules = names.includes('pom.xml') ? await withModulesInside(declared, lookup) : declared;
  const neighbours = await directoriesIn(directory, lookup);
  const isUnknown = modules.length === 0 && names.some((name) => name.startsWith('settings.gradle'));
  if (names.includes('build.sbt') || isMill(names)) modules.push(...(await scalaModules(modules, neighbours, lookup)));
  for (const neighbour of isUnknown ? neighbours : [])
    if (!(await lookup.namesIn(neighbour)).includes('src')) modules.push(...(await directoriesIn(neighbour, lookup)));
  for (const build of await includedBuilds(directory, names, lookup))
    modules.push(...(await declaredModules(build, await lookup.namesIn(build), lookup)));
  return [...modules, ...neighbours];
}

/** Modules of Maven without sources can hold modules of their own. */
async function withModulesInside(declared: readonly string[], lookup: Lookup): Promise<string[]> {
  const found = new Set(declared);
  for (const module of found) {
    if (found.size >= limits.modules) break;
    const names = await lookup.namesIn(module);
    if (names.includes('src') || !names.includes('pom.xml')) continue;
    for (const each of await directoriesOf(await declaredModules(module, names, lookup), lookup)) found.add(each);
  }
  return [...found];
}

function isMill(names: readonly string[]): boolean {
  return millFiles.some((name) => names.includes(name));
}

/**
 * Modules of sbt and Mill that the build need not name: in directories without sources of their own, such as `modules`
 * and, for several platforms, `core` with `core/shared` and `core/jvm`; modules of Mill also in other modules.
 */
async function scalaModules(
  declared: readonly string[],
  neighbours: readonly string[],
  lookup: Lookup,
): Promise<string[]> {
  const found: string[] = [];
  const queue = [...new Set([...declared, ...neighbours])].map((directory) => ({ directory, depth: 0 }));
  for (const { directory, depth } of queue) {
    if (found.length >= limits.modules) break;
    const names = await lookup.namesIn(directory);
    const inside = names.includes('src') && depth > 0 ? [] : await directoriesIn(directory, lookup);
    const modules = inside.filter((each) => !/\/(?:src[^/]*|test|target|project|docs)$/u.test(each));
    found.push(...modules);
    if (depth < 1 && !names.includes('src'))
      queue.push(...modules.map((each) => ({ directory: each, depth: depth + 1 })));
  }
  return found;
}

/** Reads `includeBuild("a")`: another build, which has modules of its own. */
async function includedBuilds(directory: string, names: readonly string[], lookup: Lookup): Promise<string[]> {
  const settings = names.find((name) => name === 'settings.gradle' || name === 'settings.gradle.kts');
  const builds = settings === undefined ? [] : ((await lookup.derive(`${directory}/${settings}`, gradleBuilds)) ?? []);
  return builds.map((build) => joinPath(directory, build)).filter((build) => isInside(lookup.mountedDirectory, build));
}

/** Reads `<module>a/b</module>` and `include ':a:b'`. */
async function declaredModules(directory: string, names: readonly string[], lookup: Lookup): Promise<string[]> {
  const modules: string[] = [];
  for (const name of buildFiles) {
    if (!names.includes(name)) continue;
    const read = name === 'pom.xml' ? mavenModules : name === 'build.sbt' ? sbtModules : gradleModules;
    const declared = millFiles.includes(name) ? [] : await lookup.derive(`${directory}/${name}`, read);
    for (const each of declared?.slice(0, limits.modules) ?? []) modules.push(joinPath(directory, each));
  }
  return modules.filter((module) => isInside(lookup.mountedDirectory, module));
}

function mavenModules(text: string): string[] {
  const modules = firstMatches(withoutXmlComments(text), /<module>\s*([^<>\s]+)\s*<\/module>/gu, limits.modules);
  return modules.map((module) => `./${module}`);
}

/** `project.in(file("modules/core"))`. */
function sbtModules(text: string): string[] {
  const paths = firstMatches(text, /\bfile\("([^"\n$]+)"\)/gu, limits.modules);
  return paths.map((path) => `./${path}`);
}

function gradleBuilds(text: string): string[] {
  return firstMatches(text, /\bincludeBuild\b[\s(]{0,20}["']([^"'\n]{1,500})["']/gu, limits.builds);
}

function gradleModules(text: string): string[] {
  const includes = firstMatches(text, /\binclude\b[\s(]*((?:["'][^"'\n]*["'][\s,]*)+)/gu, limits.modules);
  const paths = includes.flatMap((list) => firstMatches(list, /["']([^"'\n]*)["']/gu, limits.modules));
  return paths.slice(0, limits.modules).map((path) => `./${path.replace(/^:/u, '').replaceAll(':', '/')}`);
}
