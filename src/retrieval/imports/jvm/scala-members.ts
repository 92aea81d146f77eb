/** What objects and package objects of Scala have, and what they inherit from traits and classes (RT-02). */
import { fixedLimits } from '../../../settings.ts';
import { beforeLast } from '../../../texts/after-last.ts';
import { qualified } from '../plain-reading.ts';
import {
  addDeclared,
  type Declarations,
  type Declared,
  type Index,
  isScala,
  type Place,
  type Read,
} from './jvm-index.ts';

const limits = fixedLimits.projects.jvm;

type Find = (ofPackage: string, name: string) => Promise<readonly Declared[]>;
/** `isConversion`: values are converted to the type, so its members are called on something else. */
type Parent = { name: string; paths: readonly string[]; isConversion?: boolean };

/** The members of an object that the files declare. What it extends is in its package, or in the one around. */
export async function membersOf(object: Parent, read: Read, find: Find): Promise<Index> {
  const files = new Map<string, readonly Declared[]>();
  const queue = [object];
  const seen = new Set<string>();
  for (const { name, paths, isConversion = false } of queue) {
    if (seen.has(name)) continue;
    seen.add(name);
    const here = new Map<string, Declared[]>();
    for (const path of paths)
      for (const each of ((await read(path)) ?? []).filter((one) => one.package === name)) {
        addDeclared(here, path, isConversion ? asExtensions(each) : each);
        const parents = (each.parents ?? []).map((type) => ({ type, isConversion }));
        const made = isConversion ? [] : (each.conversions ?? []).map((type) => ({ type, isConversion: true }));
        for (const next of [...parents, ...made])
          if (queue.length < limits.parents) queue.push(...(await typesCalled(next, each, find)));
      }
    for (const [key, declared] of here) if (!files.has(key)) files.set(key, declared);
  }
  return files;
}

function asExtensions(declared: Declarations): Declarations {
  const { within = '', plain } = declared;
  return { ...declared, plain: new Set(), extensions: new Map([...plain].map((name) => [name, `${within}.${name}`])) };
}

async function typesCalled(
  { type, isConversion }: { type: string; isConversion: boolean },
  { package: own, within = '' }: Declarations,
  find: Find,
): Promise<Parent[]> {
  const ofPackage = within === '' ? own : own.replace('#', '').slice(0, -within.length - 1);
  for (const each of [ofPackage, beforeLast(ofPackage, '.')]) {
    const found = await find(each, type);
    if (found.length > 0)
      return [{ name: `${qualified(each, type)}#`, paths: found.map(({ path }) => path), isConversion }];
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
