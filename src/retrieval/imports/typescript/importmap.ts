/** The names that `config/importmap.rb` of Rails gives to modules (RT-02). */
import { joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { listOf } from '../plain-reading.ts';
import type { CompilerOptions } from './tsconfig.ts';

const { patterns } = fixedLimits.projects.workspaces;
/** Max places of one name. */
const most = 20;

/** As `paths` of a compiler. */
export async function findImportmap(directory: string, lookup: Lookup): Promise<readonly CompilerOptions[]> {
  const paths = await lookup.derive(joinPath(directory, 'config/importmap.rb'), readPins);
  return paths === undefined ? [] : [{ paths, pathsBase: directory }];
}

/**
 * `pin "cart", to: "lib/cart.js"` and `pin_all_from "app/javascript/utils", under: "utils"`. Without `under`, names
 * begin below the directory.
 */
function readPins(text: string): NonNullable<CompilerOptions['paths']> {
  const paths = new Map<string, string[]>();
  const add = (name: string, ...targets: string[]): void => {
    const known = listOf(paths, name);
    if (known.length < most) known.push(...targets);
  };
  let pins = 0;
  for (const line of text.split('\n')) {
    const [call = '', name, ...rest] = line.split(/["']/u, 20);
    const kind = call.trim();
    if (name === undefined || (kind !== 'pin' && kind !== 'pin_all_from')) continue;
    pins += 1;
    if (pins > patterns) break;
    const given = (key: string): string | undefined => {
      const at = rest.findIndex((each) => each.trimEnd().endsWith(` ${key}:`));
      return at < 0 ? undefined : rest[at + 1];
    };
    if (kind === 'pin') {
      const file = given('to') ?? name;
      add(name, `app/javascript/${file}`, `vendor/javascript/${file}`);
      continue;
    }
    const under = given('under');
    if (under !== undefined) add(under, name);
    add(under === undefined ? '*' : `${under}/*`, `${name}/*`);
  }
  return Object.fromEntries(paths);
}
