/**
 * Nuxt: the components that markup names, and the functions in `composables` and `utils`, all of which a component uses
 * without an import (RT-02).
 */
import { baseName, parentPath, relativePath } from '../../../access/paths.ts';
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportTarget, Lookup } from '../import.ts';
import { directoriesAbove, oncePerDirectory } from '../places.ts';
import { allMatches, capitalized, joinWords } from '../plain-reading.ts';

const limits = fixedLimits.projects.nuxt;

/** What the names that a component neither imports nor defines mean in its project. Empty if that is not of Nuxt. */
export async function findNuxtImports(
  names: readonly string[],
  path: string,
  lookup: Lookup,
): Promise<readonly ImportTarget[]> {
  for (const directory of directoriesAbove(path, lookup)) {
    if (!(await lookup.namesIn(directory)).some((name) => name.startsWith('nuxt.config.'))) continue;
    const { components, functions } = await projectIn(directory, lookup);
    return names.slice(0, limits.names).flatMap((name) => {
      const joined = joinWords(name);
      const isTag = /^[A-Z]|-/u.test(name);
      const component = isTag ? (components.get(joined) ?? components.get(joined.replace(/^lazy/u, ''))) : undefined;
      const found = component === undefined ? functions.get(name) : { path: component, name: 'default' };
      return found === undefined ? [] : [{ path: found.path, names: [found.name], guessed: true }];
    });
  }
  return [];
}

/** Components by their names with words joined, and exports of files by the names that components call. */
type Project = {
  components: ReadonlyMap<string, string>;
  functions: ReadonlyMap<string, { path: string; name: string }>;
};

const projectIn = oncePerDirectory(async (top, lookup): Promise<Project> => {
  const components = new Map<string, string>();
  const functions = new Map<string, { path: string; name: string }>();
  for (const source of [`${top}/app`, top]) {
    const directory = `${source}/components`;
    const files = await filesBelow(directory, /\.vue$/u, lookup);
    // The name of the file alone counts last.
    for (const namesOf of [fullNames, (file: string) => [joinWords(stemOf(file))]])
      for (const file of files)
        for (const name of namesOf(file, directory)) if (!components.has(name)) components.set(name, file);
  }
  for (const place of ['app/composables', 'app/utils', 'composables', 'utils', 'shared/utils'])
    for (const file of (await filesBelow(`${top}/${place}`, /\.[cm]?[jt]s$/u, lookup)).slice(0, limits.read))
      for (const name of (await lookup.deriveSource(file, readExports)) ?? []) {
        const called = name === 'default' ? camelCase(stemOf(file)) : name;
        if (!functions.has(called)) functions.set(called, { path: file, name });
      }
  return { components, functions };
});

/** The files below a directory, those near it first. */
async function filesBelow(top: string, pattern: RegExp, lookup: Lookup): Promise<string[]> {
  const files: string[] = [];
  const queue = [top];
  for (const directory of queue)
    for (const name of await lookup.namesIn(directory)) {
      const path = `${directory}/${name}`;
      if (files.length >= limits.files) return files;
      if (pattern.test(name)) files.push(path);
      else if (!name.includes('.') && queue.length < limits.directories) queue.push(path);
    }
  return files;
}

/**
 * `base/Button.vue` is `BaseButton`. A file that repeats the names of its directories has them once:
 * `account/AccountCard.vue` is `AccountCard`.
 */
function fullNames(file: string, directory: string): string[] {
  const parents = relativePath(directory, parentPath(file))
    .split('/')
    .filter((part) => part !== '.')
    .map(joinWords);
  const own = joinWords(stemOf(file));
  const base = own === 'index' ? '' : own;
  const repeated = parents.findIndex((_, at) => base.startsWith(parents.slice(at).join('')));
  // `nav/Navigation.vue` repeats only letters, so it is `NavNavigation`.
  return [[...parents.slice(0, repeated < 0 ? undefined : repeated), base].join(''), [...parents, base].join('')];
}

/** The name of a file without its extensions: `Chart` for `Chart.client.vue`. */
function stemOf(path: string): string {
  return baseName(path).split('.', 1)[0] ?? '';
}

/** `useCart` for `use-cart`. */
function camelCase(name: string): string {
  const [first = '', ...words] = name.split(/[-_]/u);
  return [first, ...words.map(capitalized)].join('');
}

const exported =
  /^export (?:(default)\b|(?:async )?(?:function\*?|const|let|class) ([\w$]{1,100})|\{([^{}]{0,2000})\})/gmu;

/** `default` for a default export. */
function* readExports(text: string): Steps<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const [, byDefault, name, list] of yield* allMatches(text, exported)) {
    if (byDefault) names.add(byDefault);
    if (name) names.add(name);
    for (const each of list?.split(',') ?? []) names.add(each.trim().split(/\s/u).at(-1) ?? '');
  }
  names.delete('');
  return names;
}
