/**
 * Finds aliases of imports that no `tsconfig.json` names: those in configurations of bundlers and frameworks, and those
 * that frameworks have without a configuration.
 */
import { joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { bracketed, directoriesAbove, oncePerDirectory } from '../places.ts';
import { findImportmap } from './importmap.ts';
import type { CompilerOptions } from './tsconfig.ts';

const limits = fixedLimits.projects.workspaces;

const configuration =
  /^(?:astro|babel|electron\.vite|nuxt|quasar|rollup|rsbuild|rspack|svelte|vite|vitest|vue|webpack)\.config\.[cm]?[jt]s$/u;

/** Of Vite, Vue, Nuxt, Laravel, Rails and SvelteKit. */
const conventions: NonNullable<CompilerOptions['paths']> = {
  '@/*': ['src/*', 'app/*', 'resources/js/*', 'app/javascript/*', 'app/frontend/*', '*'],
  '~/*': ['app/*', 'src/*', 'app/javascript/*', 'app/frontend/*', '*'],
  '#shared/*': ['shared/*'],
  '@@/*': ['*'],
  '~~/*': ['*'],
  $lib: ['src/lib'],
  '$lib/*': ['src/lib/*'],
};

/** Whether no package can have the name. */
export function isAlias(specifier: string): boolean {
  return /^(?:@@?|~~?|\$lib)\//u.test(specifier) || specifier === '$lib';
}

/** Whether SvelteKit or React Router makes the file, outside the source directories. */
export function isMadeByFramework(specifier: string): boolean {
  return specifier.endsWith('/$types') || specifier.includes('/+types/');
}

/** As `paths` of a compiler, those of the nearest package first. */
export async function findAliases(directory: string, lookup: Lookup): Promise<readonly CompilerOptions[]> {
  const above = directoriesAbove(`${directory}/file`, lookup);
  return (await Promise.all(above.map((at) => aliasesIn(at, lookup)))).flat();
}

const aliasesIn = oncePerDirectory(async (directory, lookup): Promise<readonly CompilerOptions[]> => {
  const names = await lookup.namesIn(directory);
  const pinned = names.includes('config') ? await findImportmap(directory, lookup) : [];
  if (!names.includes('package.json')) return pinned;
  const files = names.filter((name) => configuration.test(name)).slice(0, limits.patterns);
  const said = await Promise.all(files.map((name) => lookup.derive(joinPath(directory, name), readAliases)));
  const paths = said.flatMap((each) => each ?? []).map(([pattern, target]) => [pattern, [target]] as const);
  return [
    ...pinned,
    { paths: Object.fromEntries(paths), pathsBase: directory },
    { paths: conventions, pathsBase: directory },
  ];
});

/** Comments, too, so that what they quote is no token. */
const tokens = /(?<!\\)\/\/.*|"([^"\n]{0,200})"|'([^'\n]{0,200})'|[\w$]+|[:,(){}]/gu;

/** The literal entries of all `alias`, as patterns with their targets. Targets are relative to the file. */
function readAliases(text: string): [pattern: string, target: string][] {
  const lists = [
    ...bracketed(text, /\balias["']?[ \t]{0,9}[:=][ \t]{0,9}\{/gmu, '}'),
    ...bracketed(text, /\balias["']?[ \t]{0,9}[:=][ \t]{0,9}\[/gmu, ']'),
  ];
  return lists.flatMap(entriesOf).slice(0, limits.patterns).flatMap(patternsOf);
}

/** `key: anything('a', 'b')` gives `a/b`. `find: 'key', replacement: 'a'` gives what `key: 'a'` would. */
function entriesOf(list: string): [key: string, target: string][] {
  const found: [string, string][] = [];
  let [key, last, find] = ['', '', ''];
  let parts: string[] = [];
  let depth = 0;
  const finish = (): void => {
    if (key === 'find') find = parts[0] ?? '';
    else if (key !== '' && parts.length > 0) found.push([key === 'replacement' ? find : key, parts.join('/')]);
    [key, parts] = ['', []];
  };
  for (const [token, inDouble, inSingle] of list.matchAll(tokens)) {
    if (token.startsWith('//')) continue;
    const quoted = inDouble ?? inSingle;
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0 && token === ':') [key, parts] = [last, []];
    else if (depth === 0 && /[,{}]/u.test(token)) finish();
    else if (quoted !== undefined) parts.push(quoted);
    last = quoted ?? token;
  }
  finish();
  return found.filter(([name]) => name !== '');
}

/** `a` means `a` and all below it. `a$` means only `a`, and `a/*` only what is below it. */
function patternsOf([key, target]: [string, string]): [pattern: string, target: string][] {
  const place = target.replace(/^\/{1,2}/u, '');
  if (key.endsWith('$')) return [[key.slice(0, -1), place]];
  const name = key.replace(/\/\*?$/u, '');
  const below: [string, string] = [`${name}/*`, `${place.replace(/\/\*$/u, '')}/*`];
  return name === key ? [[name, place], below] : [below];
}
