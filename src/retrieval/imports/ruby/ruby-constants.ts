/**
 * Finds the files of Ruby constants by the rule of Zeitwerk, which Rails follows, and nearly all gems: `Shop::CartItem`
 * is in `shop/cart_item.rb` (RT-02).
 */
import { baseName, isInside, pathBelow, relativePath } from '../../../access/paths.ts';
import { createPause } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportTarget, Lookup } from '../import.ts';
import { directoriesAbove, directoriesIn, firstFile, oncePerDirectory } from '../places.ts';
import { capitalized, joinWords } from '../plain-reading.ts';

const limits = fixedLimits.projects.ruby;

/** Directories of parts of an application that have an `app` directory each. */
const partsOfApplication = ['packs', 'engines', 'components', 'packages', 'gems'];

/** The directories from which Rails loads constants: all in `app`, of the application and of its parts. */
export async function autoloadDirectories(path: string, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const top of directoriesAbove(path, lookup)) {
    const parts: string[] = [];
    for (const name of partsOfApplication) parts.push(...(await directoriesIn(`${top}/${name}`, lookup)));
    for (const part of [top, ...parts])
      for (const directory of await directoriesIn(pathBelow(part, 'app'), lookup))
        found.push(directory, `${directory}/concerns`);
  }
  return [...new Set(found)].slice(0, limits.directories);
}

/** The directories from which the beginning of a test loads helpers by a pattern. */
export async function helperDirectories(path: string, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const top of directoriesAbove(path, lookup))
    for (const tests of ['test', 'spec'].map((name) => pathBelow(top, name)).filter((each) => isInside(each, path)))
      found.push(...(await directoriesIn(tests, lookup)), ...(await directoriesIn(`${tests}/support`, lookup)));
  return found.slice(0, limits.directories);
}

/** `helpers`: directories that count last, and that say nothing about the namespace of the file. */
type Place = { path: string; directories: readonly string[]; helpers: readonly string[]; lookup: Lookup };
/** `beginning`: the directories that have something of this name. */
type Search = {
  own: readonly string[];
  beginning(part: string): ReadonlySet<string>;
  /** Shared by all constants. */
  budget: { looks: number };
  lookup: Lookup;
};

const none: ReadonlySet<string> = new Set();

/**
 * The files of the constants that the file at `path` uses, looked for in its own namespace, then in those around it. A
 * constant that has no file of its own is in the file of what it belongs to. `:cart_items` is an association, which
 * means the model `CartItem`.
 */
export async function findConstants(names: readonly string[], place: Place): Promise<ImportTarget[]> {
  const { directories, helpers, lookup } = place;
  const byName = new Map<string, Set<string>>();
  for (const directory of [...directories, ...helpers])
    for (const name of (await namesByWords(directory, lookup)).keys()) {
      const having = byName.get(withoutExtension(name)) ?? new Set();
      byName.set(withoutExtension(name), having.add(directory));
    }
  const search: Search = {
    own: namespaceOf(place),
    beginning: (part) => byName.get(part) ?? none,
    budget: { looks: limits.looks },
    lookup,
  };
  const pause = createPause();
  const targets: ImportTarget[] = [];
  for (const name of names.slice(0, limits.constants)) {
    await pause();
    const target = /^:[^:]/u.test(name) ? await findModel(name.slice(1), search) : await findUsed(name, search);
    if (target !== undefined) targets.push(target);
  }
  return targets;
}

/** `::User` is looked for outside all modules. */
function findUsed(name: string, search: Search): Promise<ImportTarget | undefined> {
  const isAbsolute = name.startsWith('::');
  const parts = name.slice(isAbsolute ? 2 : 0).split('::');
  return findConstant(parts.slice(0, limits.nested), isAbsolute ? { ...search, own: [] } : search);
}

async function findModel(association: string, search: Search): Promise<ImportTarget | undefined> {
  const singular = [/$/u, /s$/u, /es$/u].map((ending) => association.replace(ending, ''));
  for (const name of new Set([...singular, association.replace(/ies$/u, 'y')])) {
    const found = await findConstant([name], search);
    if (found !== undefined) return { ...found, names: [constantOf(found.path)] };
  }
  return undefined;
}

/** `a/cart_item.rb` defines `CartItem`, if no inflection says otherwise. */
function constantOf(path: string): string {
  return withoutExtension(baseName(path)).split('_').map(capitalized).join('');
}

/** As its directories say. The last part is the file's own constant. */
function namespaceOf({ path, directories }: Place): string[] {
  const around = directories.filter((directory) => isInside(directory, path));
  const [root] = around.toSorted((a, b) => b.length - a.length);
  if (root === undefined) return [];
  const segments = withoutExtension(relativePath(root, path)).split('/');
  return segments.slice(0, limits.nested).map(joinWords);
}

async function findConstant(
  parts: readonly string[],
  { own, beginning, budget, lookup }: Search,
): Promise<ImportTarget | undefined> {
  for (let around = own.length; around >= 0; around -= 1) {
    const whole = [...own.slice(0, around), ...parts.map(joinWords)];
    for (let length = whole.length; length > around; length -= 1)
      for (const directory of beginning(whole[0] ?? '')) {
        if (budget.looks === 0) return undefined;
        budget.looks -= 1;
        const path = await fileOf(whole.slice(0, length), directory, lookup);
        // `Order::STATES` is defined in the file of `Order`, as a constant or in another way.
        const names = parts.slice(length - around - 1, length - around + 1);
        if (path !== undefined) return { path, names, guessed: true };
      }
  }
  return undefined;
}

async function fileOf(parts: readonly string[], directory: string, lookup: Lookup): Promise<string | undefined> {
  let at = directory;
  for (const part of parts.slice(0, -1)) {
    const name = (await namesByWords(at, lookup)).get(part);
    if (name === undefined) return undefined;
    at = `${at}/${name}`;
  }
  const name = (await namesByWords(at, lookup)).get(`${parts.at(-1)}.rb`);
  return name && firstFile([`${at}/${name}`], lookup);
}

const namesByWords = oncePerDirectory(
  async (directory, lookup) => new Map((await lookup.namesIn(directory)).map((name) => [joinWords(name), name])),
);

function withoutExtension(path: string): string {
  return path.replace(/\.rb$/u, '');
}
