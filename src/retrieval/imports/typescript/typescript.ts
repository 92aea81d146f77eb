/**
 * Resolves imports of TypeScript and JavaScript like the compiler, except that an import of a built file of the
 * workspace resolves to its source.
 */
import { isInside, joinPath, parentPath, relativePath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import { createPause } from '../../../pace/turns.ts';
import type { ImportResolver, Lookup, ResolvedImport } from '../import.ts';
import { firstFile, oncePerDirectory } from '../places.ts';
import { findAliases, isAlias, isMadeByFramework } from './aliases.ts';
import { endsOf, findByEntries, findSoleEntry } from './build-entries.ts';
import { findDenoImports } from './deno.ts';
import { findFile, findModuleFile } from './module-file.ts';
import { findNuxtImports } from './nuxt.ts';
import { type Conditions, matchPattern, splitSpecifier, targetsOf } from './package-manifest.ts';
import { type CompilerOptions, findCompilerOptions } from './tsconfig.ts';
import { findPackage, nearestPackage, type Package } from './workspace-packages.ts';

type Found = string | 'outside_workspace' | 'not_found';

export const resolveTypeScriptImports: ImportResolver = async (imports, file, lookup) => {
  const directory = parentPath(file.path);
  const optionsHere = await optionsFor(directory, lookup);

  const conditions = onceForEach((isRequired: boolean) => conditionsOf(isRequired, optionsHere));
  const pause = createPause();

  const resolveOne = async (specifier: string, form: string | undefined): Promise<Found> => {
    if (/^\.{0,2}\//u.test(specifier) || specifier === '.' || specifier === '..')
      return findRelative(directory, specifier, { lookup, optionsHere });
    const said = await findByOptions(specifier, optionsHere, lookup);
    if (said !== undefined) return said;
    if (/^[a-z][a-z0-9+.-]+:/iu.test(specifier)) return 'outside_workspace';
    const found = await findByName(specifier, { directory, lookup, conditions: conditions(form === 'require') });
    if (found.startsWith('/')) return found;
    const aliased = await findByOptions(specifier, await findAliases(directory, lookup), lookup);
    return aliased ?? (isAlias(specifier) ? 'not_found' : found);
  };

  const resolved: ResolvedImport[] = [];
  for (const statement of imports) {
    await pause();
    const isOfNuxt = statement.form === 'auto' || /^#(?:imports|components)$/u.test(statement.specifier);
    const targets = isOfNuxt ? await findNuxtImports(statement.names, file.path, lookup) : [];
    if (statement.form === 'auto' || targets.length > 0) {
      resolved.push({ statement, targets });
      continue;
    }
    // Bundlers: `./icon.svg?raw`, `style-loader!./a.css`
    const written = statement.specifier.slice(statement.specifier.lastIndexOf('!') + 1);
    const specifier = written.slice(0, written.includes('?') ? written.indexOf('?') : undefined);
    const found = specifier === '' ? 'not_found' : await resolveOne(specifier, statement.form);
    resolved.push(
      found === 'outside_workspace' || found === 'not_found'
        ? { statement, none: found }
        : { statement, targets: [{ path: found, names: statement.names }] },
    );
  }
  return resolved;
};

/** By what the own package calls it (`#name`), or by the name of a package of the workspace. */
async function findByName(
  specifier: string,
  { directory, lookup, conditions }: { directory: string; lookup: Lookup; conditions: Conditions },
): Promise<Found> {
  if (specifier.startsWith('#')) {
    const own = await nearestPackage(directory, lookup);
    const targets = own ? targetsOf(own.manifest.imports, specifier, conditions) : [];
    // A name that the package does not have is one of a framework, such as `#build/…` of Nuxt.
    if (own === undefined || targets.length === 0) return 'outside_workspace';
    const paths = targets.filter((target) => target.startsWith('.'));
    return (await findTarget(own, paths, lookup)) ?? 'not_found';
  }
  const { name, subpath } = splitSpecifier(specifier);
  const found = await findPackage(name, directory, lookup);
  if (found === undefined) return 'outside_workspace';
  return (await findInPackage(found, subpath, { conditions, lookup })) ?? 'not_found';
}

const optionsFor = oncePerDirectory(async (directory, lookup) => [
  ...(await findDenoImports(directory, lookup)),
  ...(await compilerOptionsFor(directory, lookup)),
]);

const compilerOptionsFor = (directory: string, lookup: Lookup): Promise<readonly CompilerOptions[]> =>
  findCompilerOptions(directory, lookup, async (specifier) => {
    const { name, subpath } = splitSpecifier(specifier);
    const found = await findPackage(name, directory, lookup);
    if (found === undefined) return undefined;
    const written = joinPath(found.directory, subpath === '.' ? 'tsconfig.json' : subpath);
    const targets = targetsOf(found.manifest.exports ?? {}, subpath, anyCondition);
    const said = targets.map((target) => joinPath(found.directory, target));
    return firstFile([written, `${written}.json`, ...said], lookup);
  });

async function findRelative(
  directory: string,
  specifier: string,
  { lookup, optionsHere }: { lookup: Lookup; optionsHere: readonly CompilerOptions[] },
): Promise<Found> {
  const path = joinPath(directory, specifier);
  if (!isInside(lookup.mountedDirectory, path)) return 'outside_workspace';
  // `./` and `.` mean the index, even if there is a file with the name of the directory.
  const found = await (/(?:^|\/)\.{0,2}\/?$/u.test(specifier)
    ? findModuleFile(joinPath(path, 'index'), lookup)
    : undefined);
  if (found !== undefined) return found;
  const plain = await findModuleFile(path, lookup);
  if (plain !== undefined) return plain;
  for (const { rootDirs = [] } of optionsHere) {
    const from = rootDirs.find((root) => isInside(root, path));
    if (from === undefined) continue;
    for (const root of rootDirs) {
      const other = await findModuleFile(joinPath(root, relativePath(from, path)), lookup);
      if (other !== undefined) return other;
    }
  }
  return isMadeByFramework(specifier) ? 'outside_workspace' : 'not_found';
}

async function findByOptions(
  specifier: string,
  options: readonly CompilerOptions[],
  lookup: Lookup,
): Promise<string | undefined> {
  for (const each of options) {
    const found = await findByOne(specifier, each, lookup);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** First by `paths`, then by `baseUrl`. */
async function findByOne(specifier: string, options: CompilerOptions, lookup: Lookup): Promise<string | undefined> {
  const { paths = {}, pathsBase = lookup.mountedDirectory, baseUrl } = options;
  const match = Object.hasOwn(paths, specifier) ? { pattern: specifier, star: '' } : matchPattern(paths, specifier);
  for (const target of match ? (paths[match.pattern] ?? []) : []) {
    const path = joinPath(
      pathsBase,
      target.replace('*', () => match?.star ?? ''),
    );
    const found = (await findSource(path, lookup)) ?? (await findModuleFile(path, lookup));
    if (found !== undefined) return found;
  }
  return baseUrl === undefined ? undefined : findModuleFile(joinPath(baseUrl, specifier), lookup);
}

async function findInPackage(
  found: Package,
  subpath: string,
  { conditions, lookup }: { conditions: Conditions; lookup: Lookup },
): Promise<string | undefined> {
  const { directory, manifest } = found;
  const { exports } = manifest;
  if (exports !== undefined)
    return (
      (await findTarget(found, targetsOf(exports, subpath, conditions), lookup)) ??
      // In a clone that is not built, only the source may exist. A workspace can give its condition any name.
      (await findTarget(found, targetsOf(exports, subpath, everyCondition), lookup)) ??
      (subpath === '.' ? findSoleEntry(directory, lookup) : undefined)
    );
  if (subpath !== '.') return findTarget(found, [subpath], lookup);
  return (
    (await findTarget(found, manifest.mains, lookup)) ??
    (await findModuleFile(joinPath(directory, 'index'), lookup)) ??
    (await findModuleFile(joinPath(directory, 'src/index'), lookup)) ??
    findSoleEntry(directory, lookup)
  );
}

/** The first target's source in the workspace, or else the first target that exists. */
async function findTarget(
  { directory }: Package,
  targets: readonly string[],
  lookup: Lookup,
): Promise<string | undefined> {
  const paths = targets.map((target) => joinPath(directory, target)).filter((path) => isInside(directory, path));
  for (const path of paths) {
    const source = await findSource(path, lookup);
    if (source !== undefined) return source;
    if (!isBuilt(path, directory) && (await lookup.kindOf(path)) === 'file') return path;
  }
  for (const path of paths) {
    const file = await findModuleFile(path, lookup);
    if (file !== undefined) return file;
  }
  return undefined;
}

const builtIn = ['dist', 'build', 'lib', 'out', 'output', 'es', 'esm', 'cjs', 'types', 'typings', '.tsbuild', 'built'];
const formats = new Set(['es', 'esm', 'cjs', 'mjs', 'umd', 'types', 'typings', 'src', 'commonjs', 'node', 'browser']);

function isBuilt(path: string, directory: string): boolean {
  return builtIn.includes(relativePath(directory, path).split('/')[0] ?? '') || path.endsWith('.d.ts');
}

/**
 * The source of a built file: what the configuration of a bundler says, or the file with the same name in `rootDir`
 * instead of `outDir`, or in `src` or in the package itself. Undefined if there is no such file.
 */
async function findSource(path: string, lookup: Lookup): Promise<string | undefined> {
  const found = await nearestPackage(parentPath(path), lookup);
  if (found === undefined || !isBuilt(path, found.directory)) return undefined;
  const { directory } = found;
  const own = await findFile(path, lookup);
  if (own !== undefined && /(?<!\.d)\.[cm]?tsx?$/u.test(own)) return own;
  const stem = path.replace(/(?:\.d)?\.[cm]?[jt]sx?$/u, '');
  const built = relativePath(directory, stem).split('/').slice(1);
  const names = withoutFormats(built);
  const entry = await findByEntries(directory, names, lookup);
  if (entry !== undefined) return entry;
  const [{ outDir, rootDir = joinPath(directory, 'src') } = {}] = await optionsFor(directory, lookup);
  const inRoot = outDir !== undefined && isInside(outDir, stem) ? [joinPath(rootDir, relativePath(outDir, stem))] : [];
  const usual = names.flatMap((name) => ['src', 'source', '.'].map((base) => joinPath(directory, `${base}/${name}`)));
  for (const candidate of [...inRoot, ...usual]) {
    const file = await findFile(candidate, lookup);
    if (file !== undefined && !isBuilt(file, directory)) return file;
  }
  return findByEntries(directory, endsOf(built.join('/')), lookup);
}

/** `esm/src/a`, `src/a` and `a` for `esm/src/a`: directories of formats may belong to the built files only. */
function withoutFormats(built: readonly string[]): string[] {
  const names: string[] = [];
  for (let rest = built; ; rest = rest.slice(1)) {
    names.push(rest.join('/'));
    if (rest.length < 2 || !formats.has(rest[0] as string)) return names;
  }
}

const anyCondition = new Set(['default', 'import', 'require', 'types']);
const everyCondition: Conditions = { has: () => true };

function conditionsOf(isRequired: boolean, options: readonly CompilerOptions[]): ReadonlySet<string> {
  const custom = options.flatMap(({ customConditions = [] }) => customConditions);
  const loaded = isRequired ? 'require' : 'import';
  return new Set(['source', 'development', 'types', 'node', 'default', loaded, ...custom]);
}
