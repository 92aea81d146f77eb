/** The names that `config/importmap.rb` of Rails gives to modules (RT-02). */
import { joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import type { CompilerOptions } from './tsconfig.ts';

const { patterns } = fixedLimits.projects.workspaces;
/** Max places of one name. */
const most = 20;

/** As `paths` of a compiler. */
export async function findImportmap(directory: string, lookup: Lookup): Promise<readonly CompilerOptions[]> {
  const paths = await lookup.derive(joinPath(directory, 'config/importmap.rb'), readPins);
  return paths === undefined ? [] : [{ paths, pathsBase: directory }];
}

/** `pin "cart", to: "lib/cart.js"` and `pin_all_from "app/javascript/utils", under: "utils"` */
function readPins(text: string): NonNullable<CompilerOptions['paths']> {
  const paths = new Map<string, string[]>();
  const add = (name: string, target: string): void => {
    const known = paths.get(name) ?? [];
    if (known.length < most) paths.set(name, [...known, target]);
  };
  for (const line of text.split('\n', patterns)) {
    const [call = '', name, ...rest] = line.split(/["']/u, 20);
    if (name === undefined) continue;
    const given = (key: string): string | undefined => {
      const at = rest.findIndex((each) => each.trimEnd().endsWith(` ${key}:`));
      return at < 0 ? undefined : rest[at + 1];
    };
    const under = given('under');
    if (call.trim() === 'pin') add(name, `app/javascript/${given('to') ?? name}`);
    else if (call.trim() === 'pin_all_from' && under !== undefined) {
      add(under, name);
      add(`${under}/*`, `${name}/*`);
    }
  }
  return Object.fromEntries(paths);
}
