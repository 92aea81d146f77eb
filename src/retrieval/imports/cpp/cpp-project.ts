/** Finds the directories in which headers of a C or C++ project are searched. */
import { joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import { parseJson } from '../../../texts/parse-json.ts';
import type { Lookup } from '../import.ts';
import { directoriesFrom, directoriesNearTop, directoriesOf } from '../places.ts';
import { bracketed, firstMatches, quotedIn } from '../plain-reading.ts';

const limits = fixedLimits.projects.cpp;

/**
 * For files in the directory `own`: first directories in compiler commands, then those in files of CMake, Meson, Bazel,
 * PlatformIO or Make, then the usual ones, nearest first.
 */
export async function includeDirectories(own: string, lookup: Lookup): Promise<string[]> {
  const above = directoriesFrom(own, lookup);
  const told = [...(await toldByCommands(above, lookup)), ...(await toldByBuildFiles(above, lookup))];
  const usual = above.flatMap((directory) => [`${directory}/include`, directory, `${directory}/src`]);
  const holders = /\/(?:deps|extern|external|libs?|modules|packages|third_party|vendor)$/u;
  const near = await directoriesNearTop(holders, lookup);
  const neighbours = near.flatMap((each) => [`${each}/include`, `${each}/src`, each]);
  return (await directoriesOf([...told, ...usual, ...neighbours], lookup)).slice(0, limits.directories);
}

async function toldByCommands(above: readonly string[], lookup: Lookup): Promise<string[]> {
  const told: string[] = [];
  for (const directory of above)
    for (const place of ['', '/build', '/out'])
      told.push(...((await lookup.derive(`${directory}${place}/compile_commands.json`, compiledWith)) ?? []));
  return told;
}

async function toldByBuildFiles(above: readonly string[], lookup: Lookup): Promise<string[]> {
  const told: string[] = [];
  for (const directory of above) {
    const said = await lookup.derive(`${directory}/CMakeLists.txt`, cmakeIncludes);
    // A variable at the beginning of a path means this directory or the project's. Both are tried.
    for (const each of said ?? []) told.push(joinPath(directory, each), joinPath(lookup.mountedDirectory, each));
    for (const [name, read] of buildFiles)
      for (const each of (await lookup.derive(`${directory}/${name}`, read)) ?? [])
        told.push(...(each.startsWith('/') ? above : [directory]).map((from) => joinPath(from, `./${each}`)));
    // Next to a CMake file, a Makefile is for other tasks.
    const made = said ? [] : await lookup.derive(`${directory}/Makefile`, makeIncludes);
    told.push(...(made ?? []).map((each) => joinPath(directory, each)));
  }
  return told;
}

/** `-I`, `-isystem` and `-iquote` of all commands. More than the file's own command has does no harm. */
function compiledWith(text: string): string[] {
  const commands = parseJson(text);
  const found = new Set<string>();
  for (const entry of Array.isArray(commands) ? commands.slice(0, 20_000) : []) {
    if (!isRecord(entry)) continue;
    const { directory, command, arguments: given } = entry;
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

/** The arguments of all calls, in CMake and in Meson. */
function includesGivenIn(text: string): string[] {
  return bracketed(text, /(?:include_directories|INCLUDE_DIRECTORIES)[ \t]*\(/gmu, ')');
}

/** Files whose paths count from their own directory or, with `/` at the beginning, from one above it. */
const buildFiles = [
  ['meson.build', (text: string) => quotedIn(includesGivenIn(text)).slice(0, limits.directories)],
  ['BUILD.bazel', bazelIncludes],
  ['BUILD', bazelIncludes],
  ['platformio.ini', makeIncludes],
] as const;

/** Literal `includes` and `strip_include_prefix`. */
function bazelIncludes(text: string): string[] {
  const prefixes = /\bstrip_include_prefix[ \t]{0,9}=[ \t]{0,9}"([^"\n]{1,200})"/gu;
  const listed = quotedIn(bracketed(text, /\bincludes[ \t]{0,9}=[ \t]{0,9}\[/gmu, ']'));
  return [...new Set([...listed, ...firstMatches(text, prefixes, limits.options)])].slice(0, limits.directories);
}

/** Literal arguments of `include_directories` and `target_include_directories`, as relative paths. */
function cmakeIncludes(text: string): string[] {
  const found = new Set<string>();
  for (const given of includesGivenIn(text)) {
    for (const [, inside = ''] of given.matchAll(/\$<BUILD_INTERFACE:([^<>]{0,200})>/gu))
      if (inside) found.add(relativeTo(inside));
    for (const word of given.replaceAll(/\$<[^<>]{0,200}>|["']/gu, ' ').split(/\s+/u))
      if (word) found.add(relativeTo(word));
  }
  return [...found].filter((path) => !path.includes('$')).slice(0, limits.directories);
}

/** `-I` and its path, unless it is a variable. */
function makeIncludes(text: string): string[] {
  const found = firstMatches(text, /(?:^|\s)-I[ \t]*([\w./-]+)/gu, limits.options).map((path) => `./${path}`);
  return [...new Set(found)].slice(0, limits.directories);
}

function relativeTo(path: string): string {
  return `./${path.replace(/^\$\{\w*(?:SOURCE_DIR|CURRENT_LIST_DIR|source_dir)\}\/?/u, '')}`;
}
