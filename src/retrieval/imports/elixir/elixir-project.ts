/**
 * The directories of Elixir sources that a file sees: of its Mix project, of an umbrella, and of `path:` dependencies
 * (RT-02).
 */
import { joinPath, parentPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove, directoriesIn, directoriesOf } from '../places.ts';
import { bracketed, quotedIn } from '../plain-reading.ts';

const limits = fixedLimits.projects.elixir;

/** `tests`: only what a test sees. The directories of the file's own project come first. */
export async function elixirSourceDirectories(
  path: string,
  lookup: Lookup,
): Promise<{ code: readonly string[]; tests: readonly string[] }> {
  const projects = await projectsFor(path, lookup);
  const code: string[] = projects.length === 0 ? [parentPath(path)] : [];
  const tests: string[] = [];
  for (const project of projects) {
    const said = (await mixOf(project, lookup))?.sources.map((each) => joinPath(project, `./${each}`)) ?? [];
    code.push(`${project}/lib`, `${project}/web`, ...said.filter((each) => !isOfTests(`${each}/`)));
    tests.push(`${project}/test/support`, `${project}/test`, ...said.filter((each) => isOfTests(`${each}/`)));
  }
  return {
    code: await directoriesOf(code, lookup),
    tests: isOfTests(path) ? await directoriesOf(tests, lookup) : [],
  };
}

/** Whether a file, or a directory with `/` at its end, is only for tests. Code of the program does not see it. */
function isOfTests(path: string): boolean {
  return /\/tests?\/|_test\.exs$/u.test(path);
}

async function projectsFor(path: string, lookup: Lookup): Promise<string[]> {
  const projects = new Set<string>();
  for (const directory of directoriesAbove(path, lookup)) {
    const mix = await mixOf(directory, lookup);
    if (mix === undefined) continue;
    projects.add(directory);
    for (const each of mix.paths) projects.add(joinPath(directory, each));
    // Apps of an umbrella, and projects beside in one repository.
    const places = [`${directory}/${mix.apps ?? 'apps'}`, ...(projects.size === 1 ? [parentPath(directory)] : [])];
    for (const place of places)
      for (const each of await directoriesIn(place, lookup))
        if ((await lookup.kindOf(`${each}/mix.exs`)) === 'file') projects.add(each);
  }
  return [...projects].slice(0, limits.projects);
}

type Mix = Readonly<{ apps: string | undefined; paths: readonly string[]; sources: readonly string[] }>;

function mixOf(directory: string, lookup: Lookup): Promise<Mix | undefined> {
  return lookup.derive(`${directory}/mix.exs`, readMix);
}

const longestMix = 100_000;

function readMix(text: string): Mix {
  const code = text.slice(0, longestMix);
  const [, apps] = /\bapps_path: *"([^"\n]*)"/u.exec(code) ?? [];
  const paths = [...code.matchAll(/\bpath: *"([^"\n]*)"/gu)].map((match) => match[1] ?? '');
  const sources = quotedIn(bracketed(code, /\belixirc_paths\b/gu, ']'));
  return {
    apps,
    paths: paths.slice(0, limits.paths),
    sources: sources.slice(0, limits.paths),
  };
}
