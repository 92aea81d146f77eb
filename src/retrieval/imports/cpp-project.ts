/** Directories in which a C or C++ project's headers are looked for. */
import { isInside, joinPath } from '../../access/paths.ts';
import { fixedLimits } from '../../settings.ts';
import type { Lookup } from './import.ts';
import { bracketed, directoriesAbove, directoriesIn, directoriesOf, firstMatches } from './places.ts';

const limits = fixedLimits.projects.cpp;

/** What the compiler was told first, then what CMake or make is told, then where headers usually lie, nearest first. */
export async function includeDirectories(path: string, lookup: Lookup): Promise<string[]> {
  const above = directoriesAbove(path, lookup);
  const told: string[] = [];
  for (const directory of above)
    for (const place of ['', '/build', '/out'])
      told.push(...((await lookup.derive(`${directory}${place}/compile_commands.json`, compiledWith)) ?? []));
  for (const directory of above) {
    const said = await lookup.derive(`${directory}/CMakeLists.txt`, cmakeIncludes);
    // Whatever the variable is that a path begins with, it stands for this directory or the project's.
    for (const each of said ?? []) told.push(joinPath(directory, each), joinPath(lookup.mountedDirectory, each));
    // Beside CMake a Makefile is for chores.
    const made = said ? [] : await lookup.derive(`${directory}/Makefile`, makeIncludes);
    told.push(...(made ?? []).map((each) => joinPath(directory, each)));
  }
  const usual = above.flatMap((directory) => [`${directory}/include`, directory, `${directory}/src`]);
  const near = await directoriesIn(lookup.mountedDirectory, lookup);
  const holders = near.filter((each) =>
    /\/(?:deps|extern|external|libs?|modules|packages|third_party|vendor)$/u.test(each),
  );
  for (const holder of holders) near.push(...(await directoriesIn(holder, lookup)));
  const neighbours = near.flatMap((each) => [`${each}/include`, `${each}/src`, each]);
  const inside = [...told, ...usual, ...neighbours].filter((each) => isInside(lookup.mountedDirectory, each));
  return (await directoriesOf(inside, lookup)).slice(0, limits.directories);
}

/** `-I`, `-isystem` and `-iquote` of all commands: an editor that knows the file's own command would not find less. */
function compiledWith(text: string): string[] {
  let commands: unknown;
  try {
    commands = JSON.parse(text);
  } catch {
    return [];
  }
  const found = new Set<string>();
  for (const entry of Array.isArray(commands) ? commands.slice(0, 20_000) : []) {
    if (typeof entry !== 'object' || entry === null) continue;
    const {
      directory,
      command,
      arguments: given,
    } = entry as { directory?: unknown; command?: unknown; arguments?: unknown };
    const words = Array.isArray(given)
      ? given.filter((word) => typeof word === 'string')
      : String(command ?? '').split(/\s+/u);
    words.forEach((word, index) => {
      const flag = /^-(?:I|isystem|iquote)/u.exec(word)?.[0];
      if (flag === undefined || found.size >= limits.directories) return;
      const path = (word.slice(flag.length) || (words[index + 1] ?? '')).replaceAll('"', '');
      if (path !== '')
        found.add(joinPath(typeof directory === 'string' && directory.startsWith('/') ? directory : '/', path));
    });
  }
  return [...found];
}

/** Literal arguments of `include_directories` and `target_include_directories`, relative. */
function cmakeIncludes(text: string): string[] {
  const found = new Set<string>();
  for (const given of bracketed(text, /(?:include_directories|INCLUDE_DIRECTORIES)[ \t]*\(/gmu, ')')) {
    for (const [, inside = ''] of given.matchAll(/\$<BUILD_INTERFACE:([^<>]{0,200})>/gu))
      if (inside) found.add(relativeTo(inside));
    for (const word of given.replaceAll(/\$<[^<>]{0,200}>|["']/gu, ' ').split(/\s+/u))
      if (word) found.add(relativeTo(word));
  }
  return [...found].filter((path) => !path.includes('$')).slice(0, limits.directories);
}

/** `-I` with what follows it, where that is no variable. */
function makeIncludes(text: string): string[] {
  const found = firstMatches(text, /(?:^|\s)-I[ \t]*([\w./-]+)/gu, limits.options).map((path) => `./${path}`);
  return [...new Set(found)].slice(0, limits.directories);
}

function relativeTo(path: string): string {
  return `./${path.replace(/^\$\{\w*(?:SOURCE_DIR|CURRENT_LIST_DIR|source_dir)\}\/?/u, '')}`;
}
