/**
 * Reads what the nearest `tsconfig.json` or `jsconfig.json` says about imports (TypeScript, "paths", "baseUrl",
 * "extends").
 */
import { joinPath, parentPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import { fieldsOfForeignJson } from '../../../texts/json-source.ts';
import { textsOf } from '../../../texts/texts-of.ts';
import type { Lookup } from '../import.ts';
import { directoriesFrom, firstFile } from '../places.ts';

const limits = fixedLimits.projects.tsconfig;

/** Directories are absolute. Patterns of `paths` are relative to `pathsBase`. */
export type CompilerOptions = Readonly<{
  paths?: Readonly<Record<string, readonly string[]>>;
  pathsBase?: string;
  baseUrl?: string;
  outDir?: string;
  rootDir?: string;
  rootDirs?: readonly string[];
  customConditions?: readonly string[];
}>;

type ConfigFile = { extends: string[]; references: string[]; options: Record<string, unknown> };

/**
 * The options that may apply to files in `directory`: those of the nearest configuration, and of configurations in the
 * same directory that it `references`. `findConfigPackage` finds a configuration that is named by its package.
 */
export async function findCompilerOptions(
  directory: string,
  lookup: Lookup,
  findConfigPackage: (specifier: string) => Promise<string | undefined>,
): Promise<readonly CompilerOptions[]> {
  for (const at of directoriesFrom(directory, lookup))
    for (const name of ['tsconfig.json', 'jsconfig.json']) {
      const path = joinPath(at, name);
      if ((await lookup.kindOf(path)) !== 'file') continue;
      const load = (config: string): Promise<CompilerOptions> => loadOptions(config, lookup, findConfigPackage);
      const own = await load(path);
      const references = (await lookup.derive(path, parseConfigFile))?.references ?? [];
      const gathered = references.slice(0, limits.references).map(async (reference) => {
        const target = joinPath(at, reference);
        return load((await lookup.kindOf(target)) === 'directory' ? joinPath(target, 'tsconfig.json') : target);
      });
      const others = await Promise.all(gathered);
      // Only configurations in the same directory can be for its files.
      const beside = others.filter((_, index) => parentPath(joinPath(at, references[index] as string)) === at);
      return [own, ...beside];
    }
  return [];
}

async function loadOptions(
  path: string,
  lookup: Lookup,
  findConfigPackage: (specifier: string) => Promise<string | undefined>,
): Promise<CompilerOptions> {
  const top = parentPath(path);
  let loaded = 0;
  const load = async (config: string, depth: number): Promise<CompilerOptions> => {
    loaded += 1;
    const file = loaded > limits.files ? undefined : await lookup.derive(config, parseConfigFile);
    if (file === undefined) return {};
    let options: CompilerOptions = {};
    if (depth < limits.depth)
      for (const base of file.extends) {
        const found = await findExtended(base, parentPath(config));
        if (found !== undefined) options = { ...options, ...(await load(found, depth + 1)) };
      }
    return { ...options, ...readOptions(file.options, { directory: parentPath(config), top }) };
  };
  const findExtended = async (base: string, directory: string): Promise<string | undefined> => {
    if (!base.startsWith('.') && !base.startsWith('/')) return findConfigPackage(base);
    const written = joinPath(directory, base);
    return firstFile([written, `${written}.json`, `${written}/tsconfig.json`], lookup);
  };
  return load(path, 0);
}

function parseConfigFile(text: string): ConfigFile {
  const { extends: bases, references, compilerOptions } = fieldsOfForeignJson(text);
  return {
    extends: textsOf(bases),
    references: textsOf([references].flat().map((each) => (isRecord(each) ? each.path : undefined))),
    options: isRecord(compilerOptions) ? compilerOptions : {},
  };
}

/** `top`: the directory of the configuration that extends all others, which is the value of `${configDir}`. */
function readOptions(
  options: Record<string, unknown>,
  { directory, top }: { directory: string; top: string },
): CompilerOptions {
  const withTop = (value: string): string => value.replace(/^\$\{configDir\}/iu, () => top);
  const place = (value: unknown): string | undefined =>
    typeof value === 'string' ? joinPath(directory, withTop(value)) : undefined;
  const baseUrl = place(options.baseUrl);
  const rootDirs = textsOf(options.rootDirs)
    .slice(0, limits.references)
    .map((each) => place(each) as string);
  const paths = isRecord(options.paths)
    ? Object.entries(options.paths).map(([pattern, targets]) => [
        pattern,
        textsOf(targets).slice(0, limits.targets).map(withTop),
      ])
    : undefined;
  const said: CompilerOptions = {
    baseUrl,
    paths: paths && Object.fromEntries(paths),
    pathsBase: paths && (baseUrl ?? directory),
    outDir: place(options.outDir),
    rootDir: place(options.rootDir),
    rootDirs: rootDirs.length === 0 ? undefined : rootDirs,
    customConditions: Array.isArray(options.customConditions) ? textsOf(options.customConditions) : undefined,
  };
  // What is not said must not replace what another file says.
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
