/**
 * Finds aliases of imports that no `tsconfig.json` names: those in configurations of bundlers and frameworks, and those
 * that frameworks have without a configuration.
 */
import { baseName } from '../../../access/paths.ts';
import { directoriesFrom, oncePerDirectory } from '../places.ts';
import { type LiteralEntry, literalEntries, readConfigurations } from './bundler-config.ts';
import { findImportmap } from './importmap.ts';
import type { CompilerOptions } from './tsconfig.ts';

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
export const findAliases = oncePerDirectory(async (directory, lookup): Promise<readonly CompilerOptions[]> => {
  const above = directoriesFrom(directory, lookup);
  return (await Promise.all(above.map((at) => aliasesIn(at, lookup)))).flat();
});

const aliasesIn = oncePerDirectory(async (directory, lookup): Promise<readonly CompilerOptions[]> => {
  const names = await lookup.namesIn(directory);
  const pinned = names.includes('config') ? await findImportmap(directory, lookup) : [];
  if (!names.includes('package.json')) return pinned;
  const said = await readConfigurations(directory, readAliases, lookup);
  const paths = said.map(([pattern, target]) => [pattern, [target]] as const);
  return [
    ...pinned,
    { paths: Object.fromEntries(paths), pathsBase: directory },
    { paths: conventions, pathsBase: directory },
  ];
});

/** The literal entries of all `alias`, as patterns with their targets. Targets are relative to the file. */
function readAliases(text: string): LiteralEntry[] {
  const opening = {
    object: /\balias["']?[ \t]{0,9}[:=][ \t]{0,9}\{/gmu,
    list: /\balias["']?[ \t]{0,9}[:=][ \t]{0,9}\[/gmu,
  };
  return literalEntries(text, opening)
    .filter((entry) => entry[0] !== '' && !isForTests(entry))
    .flatMap(patternsOf);
}

const standIn = /mock|stub/iu;

/**
 * What stands in for a package while tests run says nothing about the package: `__mocks__/vscode.js`, `sdk-stub.ts`. Who
 * imports an alias such as `@mocks` means it.
 */
function isForTests([alias, target]: LiteralEntry): boolean {
  const name = baseName(target);
  if (standIn.test(alias)) return false;
  return `/${target}`.includes('/__mocks__/') || (standIn.test(name) && /\.[cm]?[jt]sx?$/u.test(name));
}

/** `a` means `a` and all below it. `a$` means only `a`, and `a/*` only what is below it. */
function patternsOf([key, target]: LiteralEntry): LiteralEntry[] {
  const place = target.replace(/^\/{1,2}/u, '');
  if (key.endsWith('$')) return [[key.slice(0, -1), place]];
  const name = key.replace(/\/\*?$/u, '');
  const below: LiteralEntry = [`${name}/*`, `${place.replace(/\/\*$/u, '')}/*`];
  return name === key ? [[name, place], below] : [below];
}
