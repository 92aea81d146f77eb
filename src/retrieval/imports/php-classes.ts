/** Finds the file of a PHP class, by the rules of Composer and else by the place of the importing file. */
import { onceForEach } from '../../pace/once-for-each.ts';
import { fixedLimits } from '../../settings.ts';
import type { Lookup } from './import.ts';
import { readDeclaredNames } from './php-declared.ts';
import {
  type PhpPackage,
  type PrefixDirectories,
  phpPackagesAbove,
  phpPackagesBeside,
  simpleName,
} from './php-project.ts';
import { directoriesOf } from './places.ts';

const limits = fixedLimits.projects.php;

/** A directory with the classes of a namespace. */
type Place = { directory: string; names: ReadonlySet<string> };

export type PhpClasses = Readonly<{
  /** The packages above the file. */
  packages(): Promise<readonly PhpPackage[]>;
  /** The file of a class, by its full name. */
  find(full: string): Promise<string | undefined>;
  /** The directories that a namespace has near the file. */
  placesOf(namespace: string): Promise<readonly Place[]>;
}>;

/** `own`: where the classes of the importing file's namespace are. */
export function openPhpClasses(path: string, own: readonly PrefixDirectories[], lookup: Lookup): PhpClasses {
  let above: Promise<PhpPackage[]> | undefined;
  let beside: Promise<PhpPackage[]> | undefined;
  const packages = async (): Promise<PhpPackage[]> => {
    above ??= phpPackagesAbove(path, lookup);
    return above;
  };
  const others = async (): Promise<PhpPackage[]> => {
    beside ??= packages().then((known) => phpPackagesBeside(known, lookup));
    return beside;
  };
  const ownPlaces = onceForEach((namespace: string) => openPlaces(own, namespace, lookup));
  const near = openPackages(packages, lookup);
  const far = openPackages(others, lookup);
  return {
    packages,
    placesOf: async (namespace) => [...(await near.placesOf(namespace)), ...(await ownPlaces(namespace))],
    async find(full) {
      if (full.split('\\', limits.depth).length === limits.depth) return undefined;
      const found = await near.find(full);
      if (found !== undefined) return found;
      const places = await ownPlaces(namespaceOf(full));
      return fileIn(places, shortName(full)) ?? (await simplyNamed(full, places, lookup)) ?? (await far.find(full));
    },
  };
}

type Packages = { find(full: string): Promise<string | undefined>; placesOf(namespace: string): Promise<Place[]> };

/** Classes of packages: PSR-4, then PSR-0, then class maps. */
function openPackages(packages: () => Promise<readonly PhpPackage[]>, lookup: Lookup): Packages {
  const byNamespace = (rule: 'psr4' | 'psr0') =>
    onceForEach(async (namespace: string) => {
      const places: Place[] = [];
      for (const each of await packages()) places.push(...(await openPlaces(each[rule], namespace, lookup)));
      return places;
    });
  const [psr4, psr0] = [byNamespace('psr4'), byNamespace('psr0')];
  const classmap = onceForEach((each: PhpPackage) => listClassmap(each.classmap, lookup));
  return {
    placesOf: async (namespace) => [...(await psr4(namespace)), ...(await psr0(namespace))],
    async find(full) {
      const found = fileIn(await psr4(namespaceOf(full)), shortName(full)) ?? (await zeroFile(full, psr0));
      if (found !== undefined) return found;
      for (const each of await packages()) {
        const listed = each.classmap.length > 0 ? await classmap(each) : new Map<string, string[]>();
        const path = await firstDeclaring(
          full,
          simpleNames(full).flatMap((name) => listed.get(name) ?? []),
          lookup,
        );
        if (path !== undefined) return path;
      }
      return undefined;
    },
  };
}

/** The directories that exist of those in which prefixes let a namespace be. */
async function openPlaces(prefixes: readonly PrefixDirectories[], namespace: string, lookup: Lookup): Promise<Place[]> {
  const asked = namespace === '' ? '' : `${namespace}\\`;
  const directories = prefixes
    .filter(({ prefix }) => asked.startsWith(prefix))
    .flatMap(({ prefix, isInPath, directories: roots }) => {
      const rest = asked.slice(isInPath ? 0 : prefix.length).replaceAll('\\', '/');
      return roots.map((root) => `${root}/${rest}`.replace(/\/$/u, ''));
    });
  const places: Place[] = [];
  for (const directory of await directoriesOf(directories.slice(0, limits.candidates * 4), lookup))
    places.push({ directory, names: new Set(await lookup.namesIn(directory)) });
  return places;
}

function fileIn(places: readonly Place[], name: string): string | undefined {
  const place = places.find(({ names }) => names.has(`${name}.php`));
  return place && `${place.directory}/${name}.php`;
}

/** PSR-0: each `_` in the name of a class is a directory. */
async function zeroFile(full: string, psr0: (namespace: string) => Promise<Place[]>): Promise<string | undefined> {
  const parts = shortName(full).split('_');
  const namespace = [namespaceOf(full), ...parts.slice(0, -1)].filter((each) => each !== '').join('\\');
  return fileIn(await psr0(namespace), parts.at(-1) ?? '');
}

/** A file beside the importing one that is named in the way of WordPress. */
async function simplyNamed(full: string, places: readonly Place[], lookup: Lookup): Promise<string | undefined> {
  const wanted = simpleNames(full);
  const paths = places.flatMap(({ directory, names }) =>
    [...names].filter((name) => wanted.includes(simpleFile(name))).map((name) => `${directory}/${name}`),
  );
  return firstDeclaring(full, paths, lookup);
}

/** Also without the first word, which plugins of WordPress give to all their classes. */
function simpleNames(full: string): string[] {
  const name = simpleName(shortName(full));
  const rest = name.slice(name.indexOf('-') + 1);
  return rest === name ? [name] : [name, simpleName(rest)];
}

function simpleFile(name: string): string {
  return name.endsWith('.php') ? simpleName(name.slice(0, -4)) : '';
}

async function firstDeclaring(full: string, paths: readonly string[], lookup: Lookup): Promise<string | undefined> {
  for (const path of paths.slice(0, limits.candidates)) {
    const declared = await lookup.deriveSource(path, readDeclaredNames);
    if (declared?.types.has(full.toLowerCase())) return path;
  }
  return undefined;
}

/** The files of a class map by their simple names. */
async function listClassmap(paths: readonly string[], lookup: Lookup): Promise<Map<string, string[]>> {
  const files = new Map<string, string[]>();
  const add = (path: string): void => {
    const name = simpleFile(path.slice(path.lastIndexOf('/') + 1));
    if (name !== '') files.set(name, [...(files.get(name) ?? []).slice(0, limits.candidates), path]);
  };
  const directories = [...paths];
  for (let at = 0; at < Math.min(directories.length, limits.directories); at += 1) {
    const path = directories[at] ?? '';
    if (path.endsWith('.php')) {
      add(path);
      continue;
    }
    for (const name of await lookup.namesIn(path)) {
      if (name.endsWith('.php')) add(`${path}/${name}`);
      else if (!name.includes('.') && name !== 'vendor' && name !== 'node_modules') directories.push(`${path}/${name}`);
    }
  }
  return files;
}

export function namespaceOf(full: string): string {
  return full.slice(0, Math.max(0, full.lastIndexOf('\\')));
}

export function shortName(full: string): string {
  return full.slice(full.lastIndexOf('\\') + 1);
}
