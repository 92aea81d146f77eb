/** What configurations of bundlers and frameworks say in literals. They are never run. */
import { joinPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { bracketed } from '../plain-reading.ts';

const { patterns } = fixedLimits.projects.workspaces;

const configuration =
  /^(?:astro|babel|build|electron\.vite|nuxt|quasar|rolldown|rollup|rsbuild|rspack|svelte|tsdown|tsup|vite|vitest|vue|webpack)\.config\.[cm]?[jt]s$/u;

/** What `read` finds in the configurations of one directory, and in what its `package.json` says for tsup. */
export async function readConfigurations<Value>(
  directory: string,
  read: (text: string) => Value[],
  lookup: Lookup,
): Promise<Value[]> {
  const names = (await lookup.namesIn(directory)).filter((name) => configuration.test(name)).slice(0, patterns);
  const said = await Promise.all([
    ...names.map((name) => lookup.derive(joinPath(directory, name), read)),
    lookup.derive(joinPath(directory, 'package.json'), inManifest(read) as (text: string) => Value[]),
  ]);
  return said.flatMap((each) => each ?? []);
}

/** Always the same function for one `read`. */
const inManifest = onceForEach<(text: string) => unknown[], (text: string) => unknown[]>(
  (read) => (text) => read(JSON.stringify((JSON.parse(text) as Record<string, unknown>).tsup ?? null)),
  new WeakMap(),
);

/** `key`: empty for an entry of a list. */
export type LiteralEntry = [key: string, value: string];

/** The literal entries of objects and lists. The patterns, fresh and global, end with the opening bracket. */
export function literalEntries(text: string, opening: { object: RegExp; list: RegExp }): LiteralEntry[] {
  const objects = bracketed(text, opening.object, '}').flatMap((each) => entriesOf(each, false));
  const lists = bracketed(text, opening.list, ']').flatMap((each) => entriesOf(each, true));
  return [...objects, ...lists].slice(0, patterns);
}

/** Comments, too, so that what they quote is no token. */
const tokens = /(?<!\\)\/\/.*|"([^"\n]{0,200})"|'([^'\n]{0,200})'|[\w$]+|[:,(){}]/gu;

/** `key: anything('a', 'b')` gives `a/b`. In lists, `find: 'key', replacement: 'a'` gives what `key: 'a'` would. */
function entriesOf(list: string, isList: boolean): LiteralEntry[] {
  const found: LiteralEntry[] = [];
  let [key, last, find] = ['', '', ''];
  let parts: string[] = [];
  let depth = 0;
  const finish = (): void => {
    if (isList && key === 'find') find = parts[0] ?? '';
    else if (parts.length > 0) found.push([isList && key === 'replacement' ? find : key, parts.join('/')]);
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
  return found;
}
