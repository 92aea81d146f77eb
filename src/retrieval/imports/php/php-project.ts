/** Reads where the Composer packages around a PHP file say that their classes and functions are. */
import { baseName, isInside, joinPath, parentPath, pathBelow } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import { parseJson } from '../../../texts/parse-json.ts';
import { textsOf } from '../../../texts/texts-of.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove, directoriesIn, directoriesNearTop, directoriesOf } from '../places.ts';

const limits = fixedLimits.projects.php;

/**
 * Directories of classes whose names begin with a prefix, such as `App\`. The longest prefixes come first. `isInPath`:
 * the prefix is a part of the paths in these directories, as in PSR-0.
 */
export type PrefixDirectories = Readonly<{ prefix: string; directories: readonly string[]; isInPath?: true }>;

/** What a `composer.json` says. Paths are absolute. */
export type PhpPackage = Readonly<{
  directory: string;
  psr4: readonly PrefixDirectories[];
  psr0: readonly PrefixDirectories[];
  /** Files, and directories whose files can have any name. */
  classmap: readonly string[];
  /** Files that are always loaded. */
  files: readonly string[];
  /** Who makes the packages that it needs: `symfony` of `symfony/console`. */
  vendors: readonly string[];
  /** Directories of other packages, in which `*` stands for any name. */
  repositories: readonly string[];
}>;

/** The packages in the directories above the file, nearest first, and those that they have as repositories. */
export async function phpPackagesAbove(path: string, lookup: Lookup): Promise<PhpPackage[]> {
  const packages = await packagesIn(directoriesAbove(path, lookup), lookup);
  const patterns = packages.flatMap(({ directory, repositories }) =>
    repositories.map((each) => joinPath(directory, each)),
  );
  const directories: string[] = [];
  const budget = { listings: limits.directories };
  for (const pattern of patterns.slice(0, limits.packages))
    directories.push(...(await expand(pattern, budget, lookup)));
  const known = new Set(packages.map(({ directory }) => directory));
  return [
    ...packages,
    ...(await packagesIn(
      directories.filter((each) => !known.has(each)),
      lookup,
    )),
  ];
}

/** Other packages of the workspace: in each directory of it, and in directories of packages. */
export async function phpPackagesBeside(known: readonly PhpPackage[], lookup: Lookup): Promise<PhpPackage[]> {
  const holders = /\/(?:packages|libs?|apps|modules|plugins|services|components|bundles|src)$/u;
  const leftOut = new Set(known.map(({ directory }) => directory)).add(pathBelow(lookup.mountedDirectory, 'vendor'));
  const directories = await directoriesNearTop(holders, lookup);
  return packagesIn(
    directories.filter((each) => !leftOut.has(each)),
    lookup,
  );
}

async function packagesIn(directories: readonly string[], lookup: Lookup): Promise<PhpPackage[]> {
  const packages: PhpPackage[] = [];
  for (const directory of new Set(directories)) {
    if (packages.length >= limits.packages) break;
    const read = await lookup.derive(`${directory}/composer.json`, readComposer);
    if (read !== undefined) packages.push(within(directory, read, lookup));
  }
  return packages;
}

/** Replaces `*` in a path by the directories there are. All patterns share the budget. */
async function expand(pattern: string, budget: { listings: number }, lookup: Lookup): Promise<string[]> {
  if (!isInside(lookup.mountedDirectory, pattern)) return [];
  const segments = pattern.slice(lookup.mountedDirectory.length).split('/').filter(Boolean);
  let directories = [lookup.mountedDirectory];
  for (const segment of segments.slice(0, limits.depth)) {
    const next: string[] = [];
    for (const directory of directories) {
      if (segment !== '*') next.push(`${directory}/${segment}`);
      else if (budget.listings > 0) {
        budget.listings -= 1;
        next.push(...(await directoriesIn(directory, lookup)));
      }
    }
    directories = next.slice(0, limits.directories);
  }
  return directoriesOf(directories, lookup);
}

type Composer = Omit<PhpPackage, 'directory'>;

function within(directory: string, read: Composer, { mountedDirectory }: Lookup): PhpPackage {
  const absolute = (paths: readonly string[]): string[] =>
    paths
      .filter((path) => !path.startsWith('/'))
      .map((path) => joinPath(directory, `./${path}`).replace(/(?<=.)\/$/u, ''))
      .filter((path) => isInside(mountedDirectory, path));
  const prefixes = (all: readonly PrefixDirectories[]): PrefixDirectories[] =>
    all.map((each) => ({ ...each, directories: absolute(each.directories) }));
  const { psr4, psr0, classmap, files, ...others } = read;
  return {
    directory,
    psr4: prefixes(psr4),
    psr0: prefixes(psr0),
    ...others,
    classmap: absolute(classmap),
    files: absolute(files),
  };
}

/** Undefined if the text is not a JSON object. */
function readComposer(text: string): Composer | undefined {
  const fields = parseJson(text);
  if (!isRecord(fields)) return undefined;
  const loads = [fields.autoload, fields['autoload-dev']].filter(isRecord);
  const all = (key: string): string[] => loads.flatMap((load) => textsOf(load[key])).slice(0, limits.files);
  const { repositories } = fields;
  const listed = isRecord(repositories) ? Object.values(repositories) : repositories;
  return {
    psr4: loads.flatMap((load) => prefixesIn(load['psr-4'])).sort(longestFirst),
    psr0: loads
      .flatMap((load) => prefixesIn(load['psr-0']))
      .map(inPath)
      .sort(longestFirst),
    classmap: all('classmap'),
    files: all('files'),
    vendors: ['require', 'require-dev'].flatMap((key) => vendorsIn(fields[key])),
    repositories: (Array.isArray(listed) ? listed.slice(0, limits.packages) : []).flatMap((each) =>
      isRecord(each) && each.type === 'path' ? textsOf(each.url) : [],
    ),
  };
}

function vendorsIn(requirements: unknown): string[] {
  const names = Object.keys(isRecord(requirements) ? requirements : {}).slice(0, limits.packages);
  return [...new Set(names.map((name) => (name.split('/', 1)[0] ?? '').toLowerCase()))];
}

function prefixesIn(table: unknown): PrefixDirectories[] {
  if (!isRecord(table)) return [];
  const entries = Object.entries(table).slice(0, limits.prefixes);
  return entries.map(([prefix, directories]) => ({
    prefix: prefix.startsWith('\\') ? prefix.slice(1) : prefix,
    directories: textsOf(directories).slice(0, limits.candidates),
  }));
}

/** `Twig_` means the same as `Twig\`, and `Twig` too. */
function inPath({ prefix, directories }: PrefixDirectories): PrefixDirectories {
  const names = prefix.split(/[\\_]/u).filter((name) => name !== '');
  return { prefix: names.map((name) => `${name}\\`).join(''), directories, isInPath: true };
}

function longestFirst(a: PrefixDirectories, b: PrefixDirectories): number {
  return b.prefix.length - a.prefix.length;
}

/**
 * Where the classes of a file's namespace must be for the file to be where it is: `App\Admin` in `inc/Admin` means that
 * `App\` is in `inc`. So do loaders of other kinds than Composer's.
 */
export function ownPrefix(path: string, namespace: string): PrefixDirectories {
  const names = namespace === '' ? [] : namespace.split('\\').slice(0, limits.depth);
  let directory = parentPath(path);
  while (names.length > 0) {
    const last = baseName(directory);
    if (last === '' || simpleName(last) !== simpleName(names.at(-1) ?? '')) break;
    names.pop();
    directory = parentPath(directory);
  }
  return { prefix: names.map((name) => `${name}\\`).join(''), directories: [directory] };
}

/** The same for `Foo_Bar`, `foo-bar` and `class-foo-bar`, the names of WordPress. */
export function simpleName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^(?:class|interface|trait|abstract|enum)-/u, '');
}
