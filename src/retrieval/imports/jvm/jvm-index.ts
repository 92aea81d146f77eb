/** What Kotlin, Scala and Java files of a package declare, by names (RT-02). */
import { fixedLimits } from '../../../settings.ts';
import { listOf, qualified } from '../plain-reading.ts';

const limits = fixedLimits.projects.jvm;

/**
 * Source files of a package, or those that can be. `isWhole`: the path of the directory is that of the whole package.
 */
export type Place = { directory: string; names: ReadonlySet<string>; isWhole: boolean };

/**
 * What a file declares in a package, or in an object of Scala, which is imported like a package. Without private
 * declarations of Kotlin.
 */
export type Declarations = Readonly<{
  package: string;
  /** The path in its file of what has the names; empty for a package. */
  within?: string;
  /** What an object, or a trait or class (`a.B#`), extends. */
  parents?: readonly string[];
  /** The types that its implicit functions return. */
  conversions?: readonly string[];
  /** `@file:JvmName("A")`: the class in which Java finds the functions. */
  facade?: string | undefined;
  /** Types, functions and properties. */
  plain: ReadonlySet<string>;
  /** Functions and properties that are called on something, by their names; with what is around them in the file. */
  extensions: ReadonlyMap<string, string>;
}>;

/** A file, and the name of a definition in it. */
export type Declared = Readonly<{ path: string; name: string }>;

/** What files declare, by names; `.name` for extensions, `@Name` for the class in which Java finds functions. */
export type Index = ReadonlyMap<string, readonly Declared[]>;

export type Read = (path: string) => Promise<readonly Declarations[] | undefined>;

/** For each name, the files of the nearest directory that has any. */
export async function indexOf(ofPackage: string, places: readonly Place[], read: Read): Promise<Index> {
  const files = new Map<string, Declared[]>();
  for (const { directory, names, isWhole } of places) {
    const here = new Map<string, Declared[]>();
    for (const name of names) {
      const path = `${directory}/${name}`;
      const ending = name.slice(name.lastIndexOf('.'));
      const stem = name.slice(0, -ending.length);
      if (ending === '.java') {
        if (isWhole) add(here, stem, { path, name: stem });
        continue;
      }
      for (const each of ((await read(path)) ?? []).filter((one) => one.package === ofPackage)) {
        if (ending === '.kt') add(here, `@${each.facade ?? `${stem}Kt`}`, { path, name: '' });
        addDeclared(here, path, each);
      }
    }
    for (const [name, declared] of here) if (!files.has(name)) files.set(name, declared);
  }
  return files;
}

export function addDeclared(files: Map<string, Declared[]>, path: string, declared: Declarations): void {
  for (const name of declared.plain) add(files, name, { path, name: below(declared, name) });
  for (const [called, name] of declared.extensions) add(files, `.${called}`, { path, name });
}

export function below({ within = '' }: Declarations, name: string): string {
  return qualified(within, name);
}

function add(files: Map<string, Declared[]>, key: string, declared: Declared): void {
  const known = listOf(files, key);
  if (known.length < limits.files) known.push(declared);
}

/** What is used without anything in front can be an extension of the present receiver, too. */
export function declaredAs(name: string, index: Index): readonly Declared[] {
  const extensions = index.get(name.startsWith('.') ? name : `.${name}`) ?? [];
  const plain = index.get(name) ?? [];
  return /^\p{Lu}/u.test(name) && plain.length > 0 ? plain : [...plain, ...extensions];
}

/** Of files that are read to know what they declare. */
export const endings = ['.kt', '.scala', '.sc'];

export function isScala(name: string): boolean {
  return name.endsWith('.scala') || name.endsWith('.sc');
}

export function isSource(name: string): boolean {
  return name.endsWith('.java') || endings.some((ending) => name.endsWith(ending));
}
