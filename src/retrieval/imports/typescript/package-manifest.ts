/** Reads what a `package.json` says about imports (Node.js, "Packages"; TypeScript, "package.json exports"). */
import { onceForEach } from '../../../pace/once-for-each.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import { ownValue } from '../../../texts/own-value.ts';
import { textsOf } from '../../../texts/texts-of.ts';

const limits = fixedLimits.projects.manifests;

/** The fields of the file that matter. Targets are paths relative to the package. */
export type PackageManifest = Readonly<{
  name: string | undefined;
  /** By subpath: `.`, `./sub`, `./features/*`. Undefined if everything in the package may be imported. */
  exports: Readonly<Record<string, unknown>> | undefined;
  /** By name: `#internal`, `#internal/*`. */
  imports: Readonly<Record<string, unknown>>;
  /** The files of the package as a whole, if there is no `exports`. */
  mains: readonly string[];
  /** Patterns of the directories of workspace packages. */
  workspaces: readonly string[];
  /** Directories of dependencies with a local path (`link:`, `file:`, `portal:`), by name. */
  linked: Readonly<Record<string, string>>;
}>;

/** Throws if the text is not a JSON object. */
export function parsePackageManifest(text: string): PackageManifest {
  const fields: unknown = JSON.parse(text);
  if (!isRecord(fields)) throw new TypeError('not a JSON object');
  const { name, exports, imports, workspaces } = fields;
  return {
    name: typeof name === 'string' ? name : undefined,
    exports: exports === undefined || exports === null ? undefined : bySubpath(exports),
    imports: isRecord(imports) ? imports : {},
    mains: textsOf(['source', 'types', 'typings', 'module', 'main'].map((field) => fields[field])),
    linked: Object.fromEntries(['dependencies', 'devDependencies'].flatMap((field) => linkedIn(fields[field]))),
    workspaces: textsOf(isRecord(workspaces) ? workspaces.packages : workspaces),
  };
}

function linkedIn(dependencies: unknown): [name: string, directory: string][] {
  return Object.entries(isRecord(dependencies) ? dependencies : {}).flatMap(([name, version]) => {
    const place = typeof version === 'string' ? /^(?:link|file|portal):(.+)$/u.exec(version)?.[1] : undefined;
    return place === undefined ? [] : [[name, place]];
  });
}

/** Which conditions of `exports` apply. */
export type Conditions = Pick<ReadonlySet<string>, 'has'>;

function bySubpath(exports: unknown): Record<string, unknown> {
  const isSubpaths = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  return isSubpaths ? exports : { '.': exports };
}

/**
 * The targets of a subpath or an internal name whose conditions apply, in the written order. Exact keys go before
 * patterns; of several patterns, the one with the longest beginning wins.
 */
export function targetsOf(table: Readonly<Record<string, unknown>>, key: string, conditions: Conditions): string[] {
  const exact = key.includes('*') ? undefined : ownValue(table, key);
  if (exact !== undefined) return leaves(exact, conditions);
  const match = matchPattern(table, key);
  if (match === undefined) return [];
  return leaves(table[match.pattern], conditions).map((target) => target.replaceAll('*', () => match.star));
}

/** The patterns with a `*` among the keys of a table, those with the longest beginning first. Made once for each table. */
const patternsOf = onceForEach(
  (table: Readonly<Record<string, unknown>>) =>
    Object.keys(table)
      .filter((pattern) => pattern.includes('*'))
      .slice(0, limits.patterns)
      .map((pattern) => {
        const at = pattern.indexOf('*');
        return { pattern, before: pattern.slice(0, at), after: pattern.slice(at + 1) };
      })
      .sort((a, b) => b.before.length - a.before.length),
  new WeakMap(),
);

/**
 * The matching pattern with one `*` among the keys of a table, and the text that the `*` stands for. Of several patterns,
 * the one with the longest beginning wins.
 */
export function matchPattern(
  table: Readonly<Record<string, unknown>>,
  text: string,
): { pattern: string; star: string } | undefined {
  const found = patternsOf(table).find(
    ({ before, after }) =>
      text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after),
  );
  if (found === undefined) return undefined;
  const { pattern, before, after } = found;
  return { pattern, star: text.slice(before.length, text.length - after.length) };
}

/** The first targets whose conditions apply. */
function leaves(target: unknown, conditions: Conditions): string[] {
  const found: string[] = [];
  const collect = (each: unknown, depth: number): void => {
    if (found.length >= limits.targets) return;
    if (typeof each === 'string') found.push(each);
    else if (depth > 8) return;
    else if (Array.isArray(each)) for (const one of each) collect(one, depth + 1);
    else if (isRecord(each))
      for (const [condition, value] of Object.entries(each))
        if (conditions.has(condition) || condition.endsWith('/source')) collect(value, depth + 1);
  };
  collect(target, 0);
  return found;
}

/** The name of a package, and what is meant in it, in the form of `exports`: `.`, also of `name/`, or `./part`. */
export function splitSpecifier(specifier: string): { name: string; subpath: string } {
  const parts = specifier.split('/');
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const rest = specifier.slice(name.length);
  return { name, subpath: rest === '/' ? '.' : `.${rest}` };
}
