/**
 * Swift: a file sees everything of its module and of the modules that it imports. Files are found by the types that
 * they are named after, and by what those near the file declare (RT-02).
 */
import { baseName, isInside, parentPath } from '../../../access/paths.ts';
import { createPause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { resolved } from '../places.ts';
import { listOf } from '../plain-reading.ts';
import { filesBelow, type SourceFile } from '../source-files.ts';
import { readSwiftDeclarations, type SwiftDeclarations } from './swift-declarations.ts';
import { findSwiftModule, findTestedModule, isOfTests, ownModule, type SwiftModule } from './swift-modules.ts';

const limits = fixedLimits.projects.swift;

export const resolveSwiftImports: ImportResolver = async (imports, file, lookup) => {
  const { modules, moduleOf } = await modulesOf(imports, file.path, lookup);
  const lists = new Set(imports.map(({ names }) => names));
  const wanted = new Set([...lists].flatMap((names) => names.slice(0, limits.used)));
  const index = await indexOf(modules, { wanted, path: file.path }, lookup);
  const owners = new Map<string, number>();
  for (const called of wanted) {
    // `Shop.Cart` is a type too.
    const name = /^\.\p{Lu}/u.test(called) ? called.slice(1) : called;
    const [first] = index.names.get(name) ?? [];
    if (first !== undefined) owners.set(name, first.project);
  }
  const pause = createPause();
  const answers: ResolvedImport[] = [];
  for (const statement of imports) {
    await pause();
    const project = moduleOf.get(statement);
    if (project === undefined) {
      answers.push({ statement, none: 'outside_workspace' });
      continue;
    }
    const targets = statement.names.slice(0, limits.used).flatMap((called) => {
      const name = called.replace(/^\./u, '');
      // What the own module has is meant first.
      const ofTypes = owners.get(name) === project ? typesOf(name, index) : [];
      return called === name ? ofTypes : [...ofTypes, ...membersOf(called, { index, project, wanted })];
    });
    const others = targets.filter(({ path }) => path !== file.path);
    answers.push(resolved(statement, others));
  }
  return answers;
};

/** The own module, then those that the file imports. `moduleOf`: the place of the module of a statement. */
async function modulesOf(
  imports: readonly ImportStatement[],
  path: string,
  lookup: Lookup,
): Promise<{ modules: readonly SwiftModule[]; moduleOf: ReadonlyMap<ImportStatement, number> }> {
  const modules = [await ownModule(path, lookup)];
  const moduleOf = new Map<ImportStatement, number>();
  for (const statement of imports) {
    if (statement.form === 'file') moduleOf.set(statement, 0);
    if (statement.form === 'file' || modules.length >= limits.modules) continue;
    const find = statement.form === 'testable' ? findTestedModule : findSwiftModule;
    const root = await find(statement.specifier, path, lookup);
    if (root === undefined || modules.some((each) => each.root === root)) continue;
    moduleOf.set(statement, modules.length);
    modules.push({ root, directories: [root] });
  }
  return { modules, moduleOf };
}

type Entry = Readonly<{ path: string; project: number }>;
type Member = Entry & Readonly<{ type: string }>;
type Named = Entry & Readonly<{ definition: string }>;
type Index = Readonly<{
  names: ReadonlyMap<string, readonly Named[]>;
  members: ReadonlyMap<string, readonly Member[]>;
  /** All types that the files declare. */
  declared: ReadonlySet<string>;
}>;

/** Reads the files that are named after a wanted type, then others, those near the file first. */
async function indexOf(
  modules: readonly SwiftModule[],
  { wanted, path }: { wanted: ReadonlySet<string>; path: string },
  lookup: Lookup,
): Promise<Index> {
  const isTest = path.split('/').some(isOfTests);
  const starts = modules.flatMap(({ directories }, project) =>
    directories.map((directory) => ({ directory, project })),
  );
  const files = await filesBelow(
    starts,
    {
      ending: '.swift',
      limits,
      roots: new Set(modules.map(({ root }) => root)),
      isForeign: (directory, names) =>
        names.includes('Package.swift') ||
        (!modules.some(({ root }) => isInside(root, directory)) && names.some(isOfTarget)),
      isLeftOut: (name) =>
        generated.has(name) || /\.(?:xcassets|xcodeproj|lproj|framework)$/u.test(name) || (!isTest && isOfTests(name)),
    },
    lookup,
  );
  const ranked = rank(files, { wanted, path });
  const pause = createPause();
  const names = new Map<string, Named[]>();
  const members = new Map<string, Member[]>();
  const all = new Set<string>();
  for (const file of ranked) {
    await pause();
    const declared = (await lookup.deriveSource(file.path, readSwiftDeclarations)) ?? supposed(file, wanted);
    for (const { name, definition } of declared.names) {
      all.add(name);
      if (wanted.has(name) || wanted.has(`.${name}`)) add(names, name, { ...file, definition });
    }
    for (const { type, name } of declared.members)
      if (wanted.has(`.${name}`) && !ofEverything.has(name)) add(members, name, { ...file, type });
  }
  const nearest = (a: Entry, b: Entry): number => a.project - b.project;
  for (const entries of [...names.values(), ...members.values()]) entries.sort(nearest);
  return { names, members, declared: all };
}

/** The directory of another target of an Xcode project has such files. What several targets share has none. */
function isOfTarget(name: string): boolean {
  return /^(?:.*Info\.plist|AppDelegate\.swift|.*\.entitlements)$/u.test(name);
}

/** Directories that package managers and builds fill. */
const generated = new Set(['Pods', 'Carthage', 'DerivedData', 'build', 'node_modules', 'fastlane']);

/**
 * Files with the name of a wanted type (`Cart.swift`, `Cart+Total.swift`), then those of the same directory, then
 * others.
 */
function rank(
  files: readonly SourceFile[],
  { wanted, path }: { wanted: ReadonlySet<string>; path: string },
): SourceFile[] {
  const own = parentPath(path);
  const isTest = isOfTests(baseName(path));
  const ranked: SourceFile[][] = [[], [], [], []];
  for (const file of files) {
    if (file.path === path || isGenerated(file.path) || (!isTest && isOfTests(baseName(file.path)))) continue;
    const name = baseName(file.path).slice(0, -'.swift'.length);
    const [type = ''] = name.split('+', 1);
    const group = wanted.has(type) ? 0 : parentPath(file.path) === own ? 1 : /\+|Extensions?$/u.test(name) ? 2 : 3;
    ranked[group]?.push(file);
  }
  const [named = [], ...others] = ranked;
  return [...named.slice(0, limits.named), ...others.flat().slice(0, limits.scanned)];
}

function isGenerated(path: string): boolean {
  return /\.(?:generated|pb|grpc)\.swift$/u.test(path);
}

/** What a file that must not be read declares, by its name alone. */
function supposed({ path }: SourceFile, wanted: ReadonlySet<string>): SwiftDeclarations {
  const name = baseName(path).slice(0, -'.swift'.length);
  return { names: wanted.has(name) ? [{ name, definition: name }] : [], members: [] };
}

function add<Each>(to: Map<string, Each[]>, name: string, entry: Each): void {
  const entries = listOf(to, name);
  if (entries.length < limits.sameName) entries.push(entry);
}

function typesOf(name: string, { names }: Index): ImportTarget[] {
  const [first] = names.get(name) ?? [];
  return first === undefined ? [] : [{ path: first.path, names: [first.definition], guessed: true }];
}

/** Members of extensions of what the file names, and of types that the workspace does not declare, such as `String`. */
function membersOf(
  called: string,
  { index, project, wanted }: { index: Index; project: number; wanted: ReadonlySet<string> },
): ImportTarget[] {
  const name = called.slice(1);
  const entries = index.members.get(name) ?? [];
  const fitting = entries.filter((each) => {
    const type = afterLast(each.type, '.');
    return each.project === project && (wanted.has(type) || !index.declared.has(type));
  });
  return fitting.map(({ path, type }) => ({ path, names: [`extension ${type}.${name}`], guessed: true }));
}

/** What is called on something is mostly one of these members of the standard library. */
const ofEverything = new Set(
  `append body cancel contains count data decode default description dismiss encode error filter first firstIndex flatMap forEach
  hash id index init insert isEmpty joined last map max min name prefix reduce remove removeAll replacingOccurrences
  request response result reversed self shared sorted split start state status stop string suffix task text title update url
  validate value values`.split(/\s+/u),
);
