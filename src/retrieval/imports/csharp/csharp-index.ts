/** The types and extension methods that a C# file can name, from files that are likely to declare them (RT-02). */
import { parentPath } from '../../../access/paths.ts';
import { createPause, inTurns, type Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { Lookup } from '../import.ts';
import { listOf } from '../plain-reading.ts';
import type { SourceFile } from '../source-files.ts';
import { type CSharpDeclarations, readDeclarations } from './csharp-declarations.ts';
import { type CSharpProject, rootOf, usualNamespace } from './csharp-project.ts';
import { isGenerated, namesOfFile } from './csharp-sources.ts';

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
  const pause = createPause();
  const declared = new Map<SourceFile, CSharpDeclarations>();
  let left = limits.declarations;
  const read = async (file: SourceFile, otherwise?: CSharpDeclarations): Promise<void> => {
    const found = left > 0 ? ((await lookup.deriveSource(file.path, readDeclarations)) ?? otherwise) : undefined;
    if (found === undefined) return;
    left -= found.types.length + found.extensions.length;
    declared.set(file, found);
  };
  for (const file of await inTurns(namedFiles(wanted), pause)) await read(file, supposed(file, wanted));
  for (const file of await inTurns(likelyFiles(wanted, declared), pause)) await read(file);
  return inTurns(indexOf(wanted.files, declared), pause);
}

type Declared = ReadonlyMap<SourceFile, CSharpDeclarations>;

/** Between two steps, so many files are looked at. */
const filesPerStep = 500;

function* namedFiles({ files, names }: Wanted): Steps<SourceFile[]> {
  const named: SourceFile[] = [];
  for (const [at, file] of files.entries()) {
    if (at % filesPerStep === 0) yield;
    if (named.length === limits.named) break;
    if (!isGenerated(file.path) && namesOfFile(file.path).some((name) => names.has(name))) named.push(file);
  }
  return named;
}

/** Files in the directories of the namespaces first. */
function* likelyFiles({ files, namespaces, path, projects }: Wanted, declared: Declared): Steps<SourceFile[]> {
  const directories = new Set([parentPath(path)]);
  const roots = rootsOf(declared, projects);
  for (const [at, file] of files.entries()) {
    if (at % filesPerStep === 0) yield;
    const directory = projects[file.project]?.directory ?? '';
    if (roots[file.project]?.some((root) => namespaces.has(usualNamespace(file.path, directory, root))))
      directories.add(parentPath(file.path));
  }
  for (const [file, { types }] of declared)
    if (types.some(({ namespace }) => namespace !== '' && namespaces.has(namespace)))
      directories.add(parentPath(file.path));
  const ranked: SourceFile[][] = [[], [], []];
  for (const [at, file] of files.entries()) {
    if (at % filesPerStep === 0) yield;
    if (isGenerated(file.path) || declared.has(file)) continue;
    const rank = directories.has(parentPath(file.path)) ? 0 : /Extensions?\.cs$/u.test(file.path) ? 1 : 2;
    ranked[rank]?.push(file);
  }
  return ranked.flat().slice(0, limits.scanned);
}

/**
 * The namespaces of the directory of each project: what settings say, and what files that follow the convention tell.
 */
function rootsOf(declared: Declared, projects: readonly CSharpProject[]): readonly (readonly string[])[] {
  const roots = projects.map(({ rootNamespace }) => [rootNamespace]);
  for (const [file, { types }] of declared) {
    const known = roots[file.project];
    const namespace = types[0]?.namespace;
    if (known === undefined || namespace === undefined || known.length >= limits.roots) continue;
    const root = rootOf(namespace, file.path, projects[file.project]?.directory ?? '');
    if (root !== undefined && !known.includes(root)) known.push(root);
  }
  return roots;
}

function* indexOf(files: readonly SourceFile[], declared: Declared): Steps<CSharpIndex> {
  const types = new Map<string, Map<string, CSharpEntry[]>>();
  const extensions = new Map<string, Map<string, CSharpEntry[]>>();
  const namespaces = new Set<string>();
  for (const file of files) {
    const { types: own, extensions: methods } = declared.get(file) ?? {};
    if (own === undefined || methods === undefined) continue;
    yield;
    for (const { namespace, ...type } of own) {
      namespaces.add(namespace);
      add(types, [type.name, namespace], { ...file, ...type });
    }
    for (const { namespace, ...method } of methods)
      add(extensions, [afterLast(method.name, '.'), namespace], { ...file, ...method });
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
  const entries = listOf(byNamespace, namespace);
  if (entries.at(-1)?.path !== entry.path) entries.push(entry);
}

/** What a file that must not be read declares, by its name and place alone. */
function supposed(file: SourceFile, { projects, names }: Wanted): CSharpDeclarations {
  const project = projects[file.project];
  const namespace = project ? usualNamespace(file.path, project.directory, project.rootNamespace) : '';
  const types = namesOfFile(file.path)
    .filter((name) => names.has(name))
    .map((name) => ({ name, namespace, isPartial: true }));
  return { types, extensions: [], usings: [] };
}
