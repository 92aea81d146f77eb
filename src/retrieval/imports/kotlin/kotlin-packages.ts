/**
 * Packages with Kotlin files. What such a file is called does not say what it declares, and its directory can leave out
 * the beginning of the package (RT-02).
 */
import { joinPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { type KotlinDeclarations, readKotlinDeclarations } from './kotlin-declared.ts';

const limits = fixedLimits.projects.kotlin;
const { depth } = fixedLimits.projects.java;

/** A directory that a package can have. `isWhole`: its path is that of the whole package. */
type Place = { directory: string; names: ReadonlySet<string>; isWhole: boolean };
/** Files by the names that they declare; `.name` for extensions, `@Name` for the class in which Java finds functions. */
type Index = ReadonlyMap<string, readonly string[]>;

export type KotlinPackages = Readonly<{
  /** The files that declare a name: one with a type, several with functions that are called the same. */
  find(ofPackage: string, name: string): Promise<readonly string[]>;
  /** The same for what a file uses: `name`, or `.name` for an extension. Types are also those of Java. */
  findUsed(ofPackage: string, name: string): Promise<readonly string[]>;
  /** The file whose functions Java finds in a class, which is `NameKt` if the file does not say otherwise. */
  findFacade(ofPackage: string, name: string): Promise<string | undefined>;
  /** Whether a package belongs to the workspace. */
  has(ofPackage: string): Promise<boolean>;
}>;

export function openKotlinPackages(roots: readonly string[], lookup: Lookup): KotlinPackages {
  const declared = new Map<string, Promise<KotlinDeclarations | undefined>>();
  const read = async (path: string): Promise<KotlinDeclarations | undefined> => {
    const known = declared.get(path);
    if (known === undefined && declared.size >= limits.scanned) return undefined;
    const reading = known ?? lookup.deriveSource(path, readKotlinDeclarations);
    declared.set(path, reading);
    return reading;
  };
  const namesIn = onceForEach(async (directory: string) => new Set(await lookup.namesIn(directory)));
  const places = onceForEach(async (ofPackage: string) => {
    const found: Place[] = [];
    for (const root of roots)
      for (const { path, isWhole } of candidates(ofPackage, await namesIn(root))) {
        const directory = joinPath(root, path);
        if (path !== '.' && (await lookup.kindOf(directory)) !== 'directory') continue;
        found.push({ directory, names: await namesIn(directory), isWhole });
      }
    return found;
  });
  const index = onceForEach(async (ofPackage: string) => indexOf(ofPackage, await places(ofPackage), read));
  return {
    async find(ofPackage, name) {
      for (const { directory, names, isWhole } of await places(ofPackage)) {
        const path = `${directory}/${name}.kt`;
        const known = names.has(`${name}.kt`) ? await read(path) : undefined;
        // A file that must not be read is left out later, with the reason.
        if (names.has(`${name}.kt`) && known === undefined && isWhole) return [path];
        if (known?.package === ofPackage && known.plain.has(name)) return [path];
        if (isWhole && names.has(`${name}.java`)) return [`${directory}/${name}.java`];
      }
      return filesOf(name, await index(ofPackage));
    },
    findUsed: async (ofPackage, name) => filesOf(name, await index(ofPackage)),
    findFacade: async (ofPackage, name) => (await index(ofPackage)).get(`@${name}`)?.[0],
    async has(ofPackage) {
      const found = await places(ofPackage);
      if (found.some(({ names, isWhole }) => isWhole && [...names].some(isSource))) return true;
      return found.length > 0 && (await index(ofPackage)).size > 0;
    },
  };
}

/** Why a declaration was not found. `R` and `BuildConfig` are made when Android's tools build the project. */
export async function whyNoDeclaration(specifier: string, packages: KotlinPackages): Promise<NoTarget> {
  const ofPackage = specifier.slice(0, Math.max(0, specifier.lastIndexOf('.')));
  return /\.(?:R|BuildConfig)(?:\.|$)/u.test(specifier) ? 'outside_workspace' : whyNot(ofPackage, packages);
}

/** Why nothing was found in a package. */
export async function whyNot(ofPackage: string, packages: KotlinPackages): Promise<NoTarget> {
  return ofPackage !== '' && (await packages.has(ofPackage)) ? 'not_found' : 'outside_workspace';
}

type NoTarget = 'not_found' | 'outside_workspace';

/** `.` for the directory itself, with which a package begins whose whole path is left out. */
function candidates(ofPackage: string, names: ReadonlySet<string>): { path: string; isWhole: boolean }[] {
  const parts = ofPackage === '' ? [] : ofPackage.split('.');
  if (parts.length > depth) return [];
  const [first] = parts;
  if (first === undefined) return [{ path: '.', isWhole: true }];
  if (names.has(first)) return [{ path: parts.join('/'), isWhole: true }];
  const suffixes = parts.flatMap((part, at) => (at > 0 && names.has(part) ? [parts.slice(at).join('/')] : []));
  const isHere = [...names].some((name) => name.endsWith('.kt'));
  return [...suffixes, ...(isHere ? ['.'] : [])].map((path) => ({ path, isWhole: false }));
}

/** For each name, the files of the nearest directory that has any. */
async function indexOf(
  ofPackage: string,
  places: readonly Place[],
  read: (path: string) => Promise<KotlinDeclarations | undefined>,
): Promise<Index> {
  const files = new Map<string, string[]>();
  for (const { directory, names, isWhole } of places) {
    const here = new Map<string, string[]>();
    const add = (name: string, path: string): void => {
      const known = here.get(name) ?? [];
      if (known.length < limits.files) here.set(name, [...known, path]);
    };
    for (const name of names) {
      const path = `${directory}/${name}`;
      if (name.endsWith('.java') && isWhole) add(name.slice(0, -'.java'.length), path);
      const declared = name.endsWith('.kt') ? await read(path) : undefined;
      if (declared?.package !== ofPackage) continue;
      add(`@${declared.facade ?? `${name.slice(0, -'.kt'.length)}Kt`}`, path);
      for (const each of declared.plain) add(each, path);
      for (const each of declared.extensions) add(`.${each}`, path);
    }
    for (const [name, paths] of here) if (!files.has(name)) files.set(name, paths);
  }
  return files;
}

/** What is used without anything in front can be an extension of the present receiver, too. */
function filesOf(name: string, index: Index): readonly string[] {
  const extensions = index.get(name.startsWith('.') ? name : `.${name}`) ?? [];
  const plain = index.get(name) ?? [];
  return /^\p{Lu}/u.test(name) && plain.length > 0 ? plain : [...new Set([...plain, ...extensions])];
}

function isSource(name: string): boolean {
  return name.endsWith('.kt') || name.endsWith('.java');
}
