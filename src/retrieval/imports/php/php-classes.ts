/** Finds the file of a PHP class, by the rules of Composer and else by the place of the importing file. */
import { isInside, parentPath } from '../../../access/paths.ts';
import { once, onceForEach } from '../../../pace/once-for-each.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove, directoriesOf } from '../places.ts';
import { functionFiles, listNamedFiles, namedFile, namespaceOf } from './php-file-names.ts';
import { type PhpPackage, type PrefixDirectories, phpPackagesAbove, phpPackagesBeside } from './php-project.ts';

const limits = fixedLimits.projects.php;

/** A directory with the classes of a namespace. `hasSources`: there are files of PHP in it. */
type Place = { directory: string; names: ReadonlySet<string>; hasSources: boolean };

export type PhpClasses = Readonly<{
  /**
   * Files whose functions the file can call: those that packages always load. Where no rule is for the file, also those
   * beside it, and those around it that are named for functions.
   */
  loaded(): Promise<readonly string[]>;
  /** Files around that are named for functions, if a function can be in a file without a rule. */
  functionFiles(full: string): Promise<readonly string[]>;
  /** The file of a class, by its full name. */
  find(full: string): Promise<string | undefined>;
  /** The directories that a namespace has near the file. */
  placesOf(namespace: string): Promise<readonly Place[]>;
  /** Whether a name belongs to the workspace, so that it is missing if it is not found. */
  isOurs(full: string): Promise<boolean>;
}>;

/** `own`: where the classes of the importing file's namespace are. */
export function openPhpClasses(path: string, own: readonly PrefixDirectories[], lookup: Lookup): PhpClasses {
  const packages = once(() => phpPackagesAbove(path, lookup));
  const others = once(async () => phpPackagesBeside(await packages(), lookup));
  const ownPlaces = onceForEach((namespace: string) => openPlaces(own, namespace, lookup));
  const filesAround = once(() => listNamedFiles(directoriesAbove(path, lookup), lookup));
  const hasRule = once(async () => hasRuleFor(path, await packages()));
  const nearby = async (full: string): Promise<string | undefined> => {
    if ((await hasRule()) && !mayLackRule(full, await packages())) return undefined;
    return namedFile(full, await filesAround(), lookup);
  };
  const near = openPackages(packages, lookup);
  const far = openPackages(others, lookup);
  const placesOf = async (namespace: string): Promise<Place[]> => [
    ...(await near.placesOf(namespace)),
    ...(await ownPlaces(namespace)),
  ];
  return {
    placesOf,
    async isOurs(full) {
      const namespace = namespaceOf(full);
      // Beside a file with a rule, a directory only looks like a namespace: `tests/Feature/Livewire/`.
      const find = (await hasRule()) ? near.placesOf : placesOf;
      const places = namespace === '' ? [] : await find(namespace);
      if (places.some(({ hasSources }) => hasSources)) return true;
      // Packages by the same maker begin with the same name: `Acme\\Shop` is here, `Acme\\Mail` is installed.
      const known = await packages();
      const first = (full.split('\\', 1)[0] ?? '').toLowerCase();
      return beginsAsOurs(full, known) && !known.some(({ vendors }) => vendors.includes(first));
    },
    async loaded() {
      const known = await packages();
      const files = known.flatMap((each) => each.files).slice(0, limits.files);
      if (await hasRule()) return files;
      return [...files, ...(await filesBeside(path, lookup)), ...functionFiles(await filesAround())];
    },
    async functionFiles(full) {
      const isPossible = namespaceOf(full) !== '' && beginsAsOurs(full, await packages());
      return isPossible ? functionFiles(await filesAround()) : [];
    },
    async find(full) {
      if (full.split('\\', limits.depth).length === limits.depth) return undefined;
      const found = await near.find(full);
      if (found !== undefined) return found;
      const places = await ownPlaces(namespaceOf(full));
      return fileIn(places, afterLast(full, '\\')) ?? (await nearby(full)) ?? (await far.find(full));
    },
  };
}

/**
 * Whether a class can be in a file without a rule, which another loader knows by its name: beside classes with the same
 * beginning, or as all classes of older WordPress plugins.
 */
function mayLackRule(full: string, packages: readonly PhpPackage[]): boolean {
  return namespaceOf(full) === '' ? full.includes('_') : beginsAsOurs(full, packages);
}

function beginsAsOurs(full: string, packages: readonly PhpPackage[]): boolean {
  const beginnings = beginningsOf(full).filter((each) => each !== '');
  return packages.some(({ psr4, psr0 }) =>
    [psr4, psr0].some((rules) =>
      beginnings.some((each) =>
        byPrefix(rules)
          .get(each)
          ?.some(({ directories }) => directories.length > 0),
      ),
    ),
  );
}

/** There can be many prefixes, and as many names that are compared with them. */
const byPrefix = onceForEach(
  (rules: readonly PrefixDirectories[]) => Map.groupBy(rules, ({ prefix }) => prefix),
  new WeakMap(),
);

/** `A\B\`, `A\` and nothing for `A\B\C`: the prefixes that a name can have, the longest first. */
function beginningsOf(full: string): string[] {
  const beginnings = [''];
  for (let at = full.indexOf('\\'); at >= 0 && beginnings.length <= limits.depth; at = full.indexOf('\\', at + 1))
    beginnings.unshift(full.slice(0, at + 1));
  return beginnings;
}

function hasRuleFor(path: string, packages: readonly PhpPackage[]): boolean {
  return packages
    .flatMap(({ psr4, psr0, classmap }) => [
      ...classmap,
      ...[...psr4, ...psr0].flatMap(({ directories }) => directories),
    ])
    .some((directory) => isInside(directory, path));
}

async function filesBeside(path: string, lookup: Lookup): Promise<string[]> {
  const directory = parentPath(path);
  const names = (await lookup.namesIn(directory)).filter((name) => name.endsWith('.php'));
  return names.slice(0, limits.beside).map((name) => `${directory}/${name}`);
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
  const classmap = onceForEach((each: PhpPackage) => listNamedFiles(each.classmap, lookup));
  return {
    placesOf: async (namespace) => [...(await psr4(namespace)), ...(await psr0(namespace))],
    async find(full) {
      const found = fileIn(await psr4(namespaceOf(full)), afterLast(full, '\\')) ?? (await zeroFile(full, psr0));
      if (found !== undefined) return found;
      for (const each of await packages()) {
        const path = each.classmap.length > 0 ? await namedFile(full, await classmap(each), lookup) : undefined;
        if (path !== undefined) return path;
      }
      return undefined;
    },
  };
}

/** The directories that exist of those in which prefixes let a namespace be. */
async function openPlaces(prefixes: readonly PrefixDirectories[], namespace: string, lookup: Lookup): Promise<Place[]> {
  const asked = namespace === '' ? '' : `${namespace}\\`;
  const directories = beginningsOf(asked)
    .flatMap((each) => byPrefix(prefixes).get(each) ?? [])
    .flatMap(({ prefix, isInPath, directories: roots }) => {
      const rest = asked.slice(isInPath ? 0 : prefix.length).replaceAll('\\', '/');
      return roots.map((root) => `${root}/${rest}`.replace(/\/$/u, ''));
    });
  const places: Place[] = [];
  for (const directory of await directoriesOf(directories.slice(0, limits.candidates * 4), lookup)) {
    const names = await lookup.namesIn(directory);
    places.push({ directory, names: new Set(names), hasSources: names.some((name) => name.endsWith('.php')) });
  }
  return places;
}

function fileIn(places: readonly Place[], name: string): string | undefined {
  const place = places.find(({ names }) => names.has(`${name}.php`));
  return place && `${place.directory}/${name}.php`;
}

/** PSR-0: each `_` in the name of a class is a directory. */
async function zeroFile(full: string, psr0: (namespace: string) => Promise<Place[]>): Promise<string | undefined> {
  const parts = afterLast(full, '\\').split('_');
  const namespace = [namespaceOf(full), ...parts.slice(0, -1)].filter((each) => each !== '').join('\\');
  return fileIn(await psr0(namespace), parts.at(-1) ?? '');
}
