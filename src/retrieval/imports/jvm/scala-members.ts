/** What objects and package objects of Scala have, and what they inherit from traits and classes (RT-02). */
import { fixedLimits } from '../../../settings.ts';
import {
  addDeclared,
  type Declarations,
  type Declared,
  type Index,
  isScala,
  type Place,
  type Read,
} from './jvm-index.ts';

const limits = fixedLimits.projects.kotlin;

type Find = (ofPackage: string, name: string) => Promise<readonly Declared[]>;
type Parent = { name: string; paths: readonly string[] };

/** The members of an object that the files declare. What it extends is in its package, or in the one around. */
export async function membersOf(object: Parent, read: Read, find: Find): Promise<Index> {
  const files = new Map<string, readonly Declared[]>();
  const queue = [object];
  const seen = new Set<string>();
  for (const { name, paths } of queue) {
    if (seen.has(name)) continue;
    seen.add(name);
    const here = new Map<string, Declared[]>();
    for (const path of paths)
      for (const each of ((await read(path)) ?? []).filter((one) => one.package === name)) {
        addDeclared(here, path, each);
        for (const parent of each.parents ?? [])
          if (queue.length < limits.parents) queue.push(...(await parentsCalled(parent, each, find)));
      }
    for (const [key, declared] of here) if (!files.has(key)) files.set(key, declared);
  }
  return files;
}

async function parentsCalled(
  parent: string,
  { package: own, within = '' }: Declarations,
  find: Find,
): Promise<Parent[]> {
  const ofPackage = within === '' ? own : own.replace('#', '').slice(0, -within.length - 1);
  for (const each of [ofPackage, ofPackage.slice(0, Math.max(0, ofPackage.lastIndexOf('.')))]) {
    const found = await find(each, parent);
    const name = each === '' ? parent : `${each}.${parent}`;
    if (found.length > 0) return [{ name: `${name}#`, paths: found.map(({ path }) => path) }];
  }
  return [];
}

/** The files with a package object that extends something. */
export async function objectsOf(ofPackage: string, places: readonly Place[], read: Read): Promise<string[]> {
  const paths: string[] = [];
  for (const { directory, names } of places)
    for (const name of names) {
      const declared = isScala(name) ? await read(`${directory}/${name}`) : undefined;
      const own = declared?.find((each) => each.package === ofPackage);
      if (own?.parents && own.parents.length > 0) paths.push(`${directory}/${name}`);
    }
  return paths;
}
