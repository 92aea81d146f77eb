/** The types and extension methods that a C# file can name, from files that are likely to declare them (RT-02). */
import { parentPath } from '../../access/paths.ts';
import { fixedLimits } from '../../settings.ts';
import { type CSharpDeclarations, readDeclarations } from './csharp-declarations.ts';
import type { CSharpProject } from './csharp-project.ts';
import { directoriesOfNamespace, isGenerated, namesOfFile, type SourceFile } from './csharp-sources.ts';
import type { Lookup } from './import.ts';

const limits = fixedLimits.projects.csharp;

/** A declaration. `name` includes the types around it. */
export type CSharpEntry = Readonly<{ path: string; project: number; name: string; isPartial: boolean }>;

/** The declarations of a name by their namespaces. Those near the file come first. */
type ByNamespace = ReadonlyMap<string, readonly CSharpEntry[]>;

export type CSharpIndex = Readonly<{
  /** By `Order` or `Order.Line`. */
  types: ReadonlyMap<string, ByNamespace>;
  /** By the name of the extension method. */
  extensions: ReadonlyMap<string, ByNamespace>;
  /** The namespaces that declare something. */
  namespaces: ReadonlySet<string>;
}>;

type Wanted = {
  files: readonly SourceFile[];
  projects: readonly CSharpProject[];
  names: ReadonlySet<string>;
  namespaces: ReadonlySet<string>;
  /** The path of the importing file. */
  path: string;
};

/**
 * Reads files that are named after a wanted type, wherever they are. Then files that can declare the other types: those
 * in the directories of the namespaces, those that are named after extensions, and others while the limit lasts.
 */
export async function csharpIndex(wanted: Wanted, lookup: Lookup): Promise<CSharpIndex> {
  const { files, names, namespaces, path } = wanted;
  const written = files.filter((file) => !isGenerated(file.path));
  const named = written.filter((file) => namesOfFile(file.path).some((name) => names.has(name))).slice(0, limits.named);
  const declared = new Map<SourceFile, CSharpDeclarations>();
  for (const file of named)
    declared.set(file, (await lookup.deriveSource(file.path, readDeclarations)) ?? supposed(file, wanted));
  const directories = new Set([parentPath(path)]);
  for (const namespace of namespaces)
    for (const directory of directoriesOfNamespace(namespace, wanted.projects)) directories.add(directory);
  for (const [file, { types }] of declared)
    if (types.some(({ namespace }) => namespace !== '' && namespaces.has(namespace)))
      directories.add(parentPath(file.path));
  const rank = (file: SourceFile): number =>
    directories.has(parentPath(file.path)) ? 0 : /Extensions?\.cs$/u.test(file.path) ? 1 : 2;
  const ranked = Map.groupBy(
    written.filter((file) => !declared.has(file)),
    rank,
  );
  for (const file of [0, 1, 2].flatMap((each) => ranked.get(each) ?? []).slice(0, limits.scanned)) {
    const found = await lookup.deriveSource(file.path, readDeclarations);
    if (found) declared.set(file, found);
  }
  return indexOf(files.flatMap((file) => (declared.has(file) ? [[file, declared.get(file)]] : [])) as Declared);
}

type Declared = readonly (readonly [SourceFile, CSharpDeclarations])[];

function indexOf(declared: Declared): CSharpIndex {
  const types = new Map<string, Map<string, CSharpEntry[]>>();
  const extensions = new Map<string, Map<string, CSharpEntry[]>>();
  const namespaces = new Set<string>();
  for (const [file, { types: own, extensions: methods }] of declared) {
    for (const { namespace, ...type } of own) {
      namespaces.add(namespace);
      add(types, [type.name, namespace], { ...file, ...type });
    }
    for (const { namespace, ...method } of methods)
      add(extensions, [method.name.slice(method.name.lastIndexOf('.') + 1), namespace], { ...file, ...method });
  }
  return { types, extensions, namespaces };
}

function add(
  to: Map<string, Map<string, CSharpEntry[]>>,
  [name, namespace]: readonly [string, string],
  entry: CSharpEntry,
): void {
  const byNamespace = to.get(name) ?? new Map<string, CSharpEntry[]>();
  to.set(name, byNamespace);
  const entries = byNamespace.get(namespace) ?? [];
  byNamespace.set(namespace, entries);
  if (entries.at(-1)?.path !== entry.path) entries.push(entry);
}

/** What a file that must not be read declares, by its name and place alone. */
function supposed({ path, project }: SourceFile, { projects, names }: Wanted): CSharpDeclarations {
  const { directory, rootNamespace } = projects[project] ?? { directory: parentPath(path), rootNamespace: '' };
  const inside = parentPath(path)
    .slice(directory.length + 1)
    .replaceAll('/', '.');
  const namespace = [rootNamespace, inside].filter((part) => part !== '').join('.');
  const types = namesOfFile(path)
    .filter((name) => names.has(name))
    .map((name) => ({ name, namespace, isPartial: true }));
  return { types, extensions: [], usings: [] };
}
