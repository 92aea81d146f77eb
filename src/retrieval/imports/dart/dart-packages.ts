/** Finds the packages that a Dart file can import from, in the workspace, by their names (RT-02). */
import { isInside, joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import { textsOf } from '../../../texts/texts-of.ts';
import type { Lookup } from '../import.ts';
import { findPackageDirectories } from '../package-directories.ts';
import { directoriesAbove, directoriesFrom, oncePerDirectory } from '../places.ts';
import { readYamlKey } from '../yaml-key.ts';

const limits = fixedLimits.projects.dart;

/** The directory of a package that the file at `path` can import. Undefined if it is not in the workspace. */
export async function findDartPackage(name: string, path: string, lookup: Lookup): Promise<string | undefined> {
  const above = directoriesAbove(path, lookup);
  const own = await firstPackage(above, lookup);
  const named = own === undefined ? undefined : (await packagesOf(own, lookup)).get(name);
  if (named !== undefined) return named;
  // Packages of one repository lie beside each other, in directories with their names.
  const beside = above.flatMap((directory) => [`${directory}/${name}`, `${directory}/packages/${name}`]);
  for (const directory of beside) if ((await nameOf(directory, lookup)) === name) return directory;
  return undefined;
}

async function firstPackage(directories: readonly string[], lookup: Lookup): Promise<string | undefined> {
  for (const directory of directories) if ((await nameOf(directory, lookup)) !== undefined) return directory;
  return undefined;
}

/** What the tools wrote comes after what the files of the packages say, because it can be old. */
const packagesOf = oncePerDirectory(async (own, lookup): Promise<ReadonlyMap<string, string>> => {
  const packages = new Map<string, string>();
  const add = (name: string, directory: string): void => {
    if (!packages.has(name) && packages.size < limits.packages && isInside(lookup.mountedDirectory, directory))
      packages.set(name, directory);
  };
  add((await nameOf(own, lookup)) ?? '', own);
  const above = directoriesFrom(own, lookup);
  for (const directory of above) for (const [name, place] of await linkedFrom(directory, lookup)) add(name, place);
  for (const directory of above)
    for (const place of await membersOf(directory, lookup)) {
      const name = await nameOf(place, lookup);
      if (name !== undefined) add(name, place);
    }
  for (const directory of above) for (const [name, place] of await configuredIn(directory, lookup)) add(name, place);
  return packages;
});

function nameOf(directory: string, lookup: Lookup): Promise<string | undefined> {
  return lookup.derive(`${directory}/pubspec.yaml`, readName);
}

/** Dependencies with a path. Overrides of a workspace are in the directory above. */
async function linkedFrom(directory: string, lookup: Lookup): Promise<[name: string, directory: string][]> {
  const found: [string, string][] = [];
  for (const file of ['pubspec_overrides.yaml', 'pubspec.yaml'])
    for (const [name, path] of (await lookup.derive(`${directory}/${file}`, readLinked)) ?? [])
      found.push([name, joinPath(directory, path)]);
  return found;
}

/** Directories of platforms hold no packages. */
const members = {
  manifest: 'pubspec.yaml',
  outside: new Set('android assets build ios lib linux macos node_modules test web windows'.split(' ')),
};

/** The packages of a pub workspace, or of melos. */
async function membersOf(directory: string, lookup: Lookup): Promise<string[]> {
  const patterns = [
    ...((await lookup.derive(`${directory}/pubspec.yaml`, readMembers)) ?? []),
    ...((await lookup.derive(`${directory}/melos.yaml`, readPackages)) ?? []),
  ];
  if (patterns.length === 0) return [];
  return findPackageDirectories(directory, { ...members, patterns }, lookup);
}

/** Places elsewhere, such as the cache of pub, do not count. */
async function configuredIn(directory: string, lookup: Lookup): Promise<[name: string, directory: string][]> {
  const found = await lookup.derive(`${directory}/.dart_tool/package_config.json`, readConfiguration);
  return (found ?? []).map(([name, uri]) => [name, joinPath(`${directory}/.dart_tool`, uri)]);
}

function readName(text: string): string | undefined {
  const name = readYamlKey(text, 'name');
  return typeof name === 'string' ? name : undefined;
}

function readLinked(text: string): [name: string, path: string][] {
  return ['dependency_overrides', 'dependencies', 'dev_dependencies'].flatMap((key) => {
    const dependencies = readYamlKey(text, key);
    return Object.entries(isRecord(dependencies) ? dependencies : {}).flatMap(([name, given]) => {
      const path = isRecord(given) ? given.path : undefined;
      return typeof path === 'string' ? [[name, path] as [string, string]] : [];
    });
  });
}

function readMembers(text: string): string[] {
  const melos = readYamlKey(text, 'melos');
  return textsOf([readYamlKey(text, 'workspace'), isRecord(melos) ? melos.packages : []].flat());
}

function readPackages(text: string): string[] {
  return textsOf(readYamlKey(text, 'packages'));
}

/** `rootUri`: relative to the file, or absolute. */
function readConfiguration(text: string): [name: string, place: string][] {
  const { packages } = JSON.parse(text) as { packages?: unknown };
  return (Array.isArray(packages) ? packages : []).slice(0, limits.configured).flatMap((each: unknown) => {
    const { name, rootUri } = isRecord(each) ? each : {};
    if (typeof name !== 'string' || typeof rootUri !== 'string') return [];
    const place = rootUri.startsWith('file://') ? decodeURI(rootUri.slice('file://'.length)) : rootUri;
    return [[name, place.replace(/\/$/u, '')]];
  });
}
