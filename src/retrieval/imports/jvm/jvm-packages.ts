/**
 * Packages with Kotlin and Scala files. What such a file is called does not say what it declares, and its directory can
 * leave out the beginning of the package (RT-02).
 */
import { joinPath } from '../../../access/paths.ts';
import { once, onceForEach } from '../../../pace/once-for-each.ts';
import { createPause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import { beforeLast } from '../../../texts/after-last.ts';
import type { ImportTarget, Lookup, NoTarget } from '../import.ts';
import { listOf } from '../plain-reading.ts';
import { javaSourceDirectories, openPackageDirectories, type PackageDirectories } from './java-project.ts';
import {
  below,
  type Declarations,
  type Declared,
  declaredAs,
  endings,
  type Index,
  indexOf,
  isSource,
  type Place,
  type Read,
} from './jvm-index.ts';
import { readKotlinDeclarations } from './kotlin-declared.ts';
import { readScalaDeclarations } from './scala-declared.ts';
import { membersOf, objectsOf } from './scala-members.ts';

const limits = fixedLimits.projects.jvm;

type Find = (name: string) => readonly Declared[];

export type JvmPackages = Readonly<{
  /** The files that declare a name: one with a type, several with functions that are called the same. */
  find(ofPackage: string, name: string): Promise<readonly Declared[]>;
  /**
   * Finds the same for what a file uses: `name`, or `.name` for an extension. Types are also those of Java. Undefined
   * if the package declares nothing.
   */
  usedOf(ofPackage: string): Promise<Find | undefined>;
  /** The same for an object that the files declare, and what it inherits. */
  usedOfObject(object: string, paths: readonly string[]): Promise<Find>;
  /** The file whose functions Java finds in a class, which is `NameKt` if the file does not say otherwise. */
  findFacade(ofPackage: string, name: string): Promise<string | undefined>;
  /** Whether a package belongs to the workspace. */
  has(ofPackage: string): Promise<boolean>;
}>;

type Sources = { roots: readonly string[]; directoriesAt: PackageDirectories };

/** The packages that a file with these imports can import from, and their directories. */
export async function openJvmPackages(
  imports: readonly ImportStatement[],
  path: string,
  lookup: Lookup,
): Promise<{ packages: JvmPackages; directoriesAt: PackageDirectories }> {
  const ownPackage = imports.find(({ form }) => form === 'package')?.specifier ?? '';
  const roots = await javaSourceDirectories(path, ownPackage, lookup);
  const directoriesAt = openPackageDirectories(roots, lookup);
  return { packages: packagesIn({ roots, directoriesAt }, lookup), directoriesAt };
}

function packagesIn(sources: Sources, lookup: Lookup): JvmPackages {
  const pause = createPause();
  const { read, places } = openSources(sources, lookup);
  const index = onceForEach(async (ofPackage: string) => indexOf(ofPackage, await places(ofPackage), read));
  const inheritedBy = onceForEach(async (ofPackage: string) => {
    const paths = await objectsOf(ofPackage, await places(ofPackage), read);
    return membersOf({ name: ofPackage, paths }, read, packages.find);
  });
  const objects = new Map<string, Promise<Index>>();
  const packages: JvmPackages = {
    async find(ofPackage, name) {
      await pause();
      for (const { directory, names, isWhole } of await places(ofPackage)) {
        for (const ending of endings) {
          if (!names.has(`${name}${ending}`)) continue;
          const path = `${directory}/${name}${ending}`;
          const known = await read(path);
          // A file that must not be read is left out later, with the reason.
          if (known === undefined && isWhole) return [{ path, name }];
          const declared = known?.find((each) => each.package === ofPackage && each.plain.has(name));
          if (declared !== undefined) return [{ path, name: below(declared, name) }];
        }
        if (isWhole && names.has(`${name}.java`)) return [{ path: `${directory}/${name}.java`, name }];
      }
      return declaredAs(name, await index(ofPackage));
    },
    async usedOf(ofPackage) {
      const files = await index(ofPackage);
      const inherited = await inheritedBy(ofPackage);
      if (files.size === 0 && inherited.size === 0) return undefined;
      return (name) => {
        const declared = declaredAs(name, files);
        return declared.length > 0 ? declared : declaredAs(name, inherited);
      };
    },
    async usedOfObject(object, paths) {
      const known = objects.get(object) ?? membersOf({ name: object, paths }, read, packages.find);
      objects.set(object, known);
      const files = await known;
      return (name) => declaredAs(name, files);
    },
    findFacade: async (ofPackage, name) => (await index(ofPackage)).get(`@${name}`)?.[0]?.path,
    async has(ofPackage) {
      const found = await places(ofPackage);
      return found.some(({ names, isWhole }) => isWhole && names.size > 0) || (await index(ofPackage)).size > 0;
    },
  };
  return packages;
}

/** `read`: what a file declares. `places`: of a package. */
function openSources(
  { roots, directoriesAt }: Sources,
  lookup: Lookup,
): { read: Read; places(ofPackage: string): Promise<readonly Place[]> } {
  const pause = createPause();
  const declared = new Map<string, Promise<readonly Declarations[] | undefined>>();
  const read: Read = async (path) => {
    await pause();
    const known = declared.get(path);
    if (known === undefined && declared.size >= limits.scanned) return undefined;
    const reading =
      known ?? lookup.deriveSource(path, path.endsWith('.kt') ? readKotlinDeclarations : readScalaDeclarations);
    declared.set(path, reading);
    return reading;
  };
  const sourcesIn = onceForEach(
    async (directory: string) => new Set((await lookup.namesIn(directory)).filter(isSource)),
  );
  const inRoots = once(() => placesInRoots(roots, sourcesIn, read));
  const places = onceForEach(async (ofPackage: string) => {
    const parts = ofPackage === '' ? [] : ofPackage.split('.');
    const found: Place[] = [];
    if (parts.length > limits.depth) return found;
    for (let from = 0; from === 0 || from < parts.length; from += 1)
      for (const directory of await directoriesAt(parts.slice(from).join('/')))
        found.push({ directory, names: await sourcesIn(directory), isWhole: from === 0 });
    if (parts.length === 0) return found;
    // A package object is often in the directory above.
    const objects = ['package.scala', `${parts.at(-1)}.scala`];
    for (const directory of await directoriesAt(parts.slice(0, -1).join('/'))) {
      const names = [...(await sourcesIn(directory))].filter((name) => objects.includes(name));
      if (parts.length > 1 && names.length > 0) found.push({ directory, names: new Set(names), isWhole: false });
    }
    return [...found, ...((await inRoots()).get(ofPackage) ?? [])];
  });
  return { read, places };
}

/** Files that are in a source directory itself, by the packages that they name: the whole path can be left out. */
async function placesInRoots(
  roots: readonly string[],
  sourcesIn: (directory: string) => Promise<ReadonlySet<string>>,
  read: Read,
): Promise<ReadonlyMap<string, readonly Place[]>> {
  const found = new Map<string, Place[]>();
  for (const directory of roots) {
    const byPackage = new Map<string, Set<string>>();
    for (const name of await sourcesIn(directory)) {
      const declared = name.endsWith('.java') ? [] : ((await read(joinPath(directory, name))) ?? []);
      for (const { package: ofPackage } of declared) {
        const names = byPackage.get(ofPackage);
        if (names) names.add(name);
        else byPackage.set(ofPackage, new Set([name]));
      }
    }
    for (const [ofPackage, names] of byPackage) listOf(found, ofPackage).push({ directory, names, isWhole: false });
  }
  return found;
}

/** What the file calls the imported name. */
export function calledName({ form, names }: ImportStatement): string {
  return form?.slice('alias '.length) ?? names[0] ?? '';
}

/**
 * The files with the used names, as `find` says. What is found is added to `known`, because the first package that has
 * a name is meant.
 */
export async function findUsed(
  names: readonly string[],
  find: Find | undefined,
  known: Set<string>,
): Promise<ImportTarget[]> {
  const pause = createPause();
  const targets: ImportTarget[] = [];
  for (const name of find ? names : []) {
    await pause();
    if (known.has(name)) continue;
    const declared = find?.(name) ?? [];
    if (declared.length > 0) known.add(name);
    for (const each of declared) targets.push({ path: each.path, names: [each.name], guessed: true });
  }
  return targets;
}

/** Why a declaration was not found. `R` and `BuildConfig` are made when Android's tools build the project. */
export async function whyNoDeclaration(specifier: string, packages: JvmPackages): Promise<NoTarget> {
  const isMade = /\.(?:R|BuildConfig)(?:\.|$)/u.test(specifier);
  return isMade ? 'outside_workspace' : whyNot(beforeLast(specifier, '.'), packages);
}

/** Why nothing was found in a package. */
export async function whyNot(ofPackage: string, packages: JvmPackages): Promise<NoTarget> {
  return ofPackage !== '' && (await packages.has(ofPackage)) ? 'not_found' : 'outside_workspace';
}
