/** Lists the files that the active document imports (RT-02), without reading them. */

import { isInside, joinPath, parentPath } from '../access/paths.ts';
import { type ImportStatement, type ParsedSource, ParseFailure } from '../ports/parsed-source.ts';
import { fixedLimits } from '../settings.ts';
import type { ImportingFile, ImportTarget, Lookup, NoTarget } from './imports/import.ts';
import { importResolverOf, languageOf } from './imports/languages.ts';
import type { SourceText } from './parsed-sources.ts';
import type { LeftOut, SourceAccess } from './source-access.ts';

const retrievalLimits = fixedLimits.retrieval;

export type ActiveDocument = SourceText & { path: string; language: string | undefined };

/**
 * Targets in the order that the rules of the language give. Each path comes once, with everything that is imported from
 * it.
 */
export async function findImportTargets(
  document: ActiveDocument,
  access: SourceAccess,
): Promise<{ targets: ImportTarget[]; leftOut: LeftOut[] }> {
  const { path } = document;
  const language = languageOf(path, document.language, document.text);
  const resolve = language && (await importResolverOf(language));
  if (language === undefined || resolve === undefined) return { targets: [], leftOut: [] };
  const file = { path, language };
  let parsed: ParsedSource;
  try {
    parsed = await access.parse(document, file);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    const detail = `its imports are not known: ${error.message}`;
    return { targets: [], leftOut: [{ path, reason: { code: error.code, detail } }] };
  }
  const { imports, readLines } = parsed;
  const targets = new Map<string, Imported>();
  const leftOut = new Map<string, LeftOut>();
  for (const resolved of await resolve(imports.slice(0, retrievalLimits.imports), file, access.lookup)) {
    if ('targets' in resolved) {
      for (const target of resolved.targets) if (target.path !== path) addTarget(targets, target, resolved.statement);
      continue;
    }
    const missing = whyMissing(resolved, file, access.lookup);
    if (missing && !leftOut.has(missing.path)) leftOut.set(missing.path, missing);
  }
  const detail = sayLimits({ imports, readLines }, access.lookup);
  if (detail !== '') leftOut.set(path, { path, reason: { code: 'limit_reached', detail } });
  return {
    targets: [...targets].map(([each, { names, certain, statements }]) => ({
      path: each,
      names: [...names],
      statements,
      certain,
      guessed: certain === undefined,
    })),
    leftOut: [...leftOut.values()],
  };
}

/** Why not all imports are known or followed. Empty if there is no such reason. */
function sayLimits({ imports, readLines }: Pick<ParsedSource, 'imports' | 'readLines'>, lookup: Lookup): string {
  const limits: string[] = [];
  const most = retrievalLimits.imports;
  const next = imports[most];
  if (next) limits.push(`only ${most} imports of a document are followed; those from line ${next.line} on are not`);
  if (readLines !== undefined)
    limits.push(`only its first ${readLines} lines could be parsed in time; imports below them are not known`);
  if (lookup.isExhausted()) limits.push('its imports could not be looked for to the end');
  return limits.join('; ');
}

/** What all statements import from a file. `certain`: the names that are no guesses, if there is such a statement. */
type Imported = { names: Set<string>; certain?: Set<string>; statements: ImportStatement[] };

/** An import without names does not change the names that others import. */
function addTarget(all: Map<string, Imported>, target: ImportTarget, statement: ImportStatement): void {
  const known: Imported = all.get(target.path) ?? { names: new Set(), statements: [] };
  all.set(target.path, known);
  known.statements.push(statement);
  if (!target.guessed) known.certain ??= new Set();
  for (const name of target.names) {
    known.names.add(name);
    if (!target.guessed) known.certain?.add(name);
  }
}

/** Undefined for an import of something that is not in the workspace. */
function whyMissing(
  { statement, none }: { statement: ImportStatement; none: NoTarget },
  file: ImportingFile,
  lookup: Lookup,
): LeftOut | undefined {
  const { specifier, line } = statement;
  const above = placeAbove(specifier, file, lookup.mountedDirectory);
  if (above !== undefined) {
    const detail = `line ${line} imports "${specifier}", which lies above the mounted directory`;
    return { path: above, reason: { code: 'outside_workspace', detail } };
  }
  if (none === 'outside_workspace') return undefined;
  const path = /^\.{1,2}(?:\/|$)/u.test(specifier) ? joinPath(parentPath(file.path), specifier) : specifier;
  const isLink = none === 'not_found' && lookup.isBehindLink(path);
  const code = isLink ? 'symlink' : lookup.isExhausted() ? 'limit_reached' : none;
  return { path, reason: { code, detail: `line ${line} imports "${specifier}"${whyNot[code]}` } };
}

const whyNot = {
  not_found: ', which does not exist',
  symlink: ', which leads to a symbolic link that is not followed',
  unsupported: ', which is known only when it runs',
  limit_reached: '',
} as const;

/** The target of a relative import, if it is above the mounted directory. Nothing is searched there. */
function placeAbove(
  specifier: string,
  { path, language }: ImportingFile,
  mountedDirectory: string,
): string | undefined {
  let place: string;
  if (language === 'python') {
    const [dots = '', names = ''] = /^(\.{2,64})([^.].{0,1000})?$/u.exec(specifier)?.slice(1) ?? [];
    if (dots === '') return undefined;
    place = joinPath(parentPath(path), `${'../'.repeat(dots.length - 1)}${names.replaceAll('.', '/')}`);
  } else if (specifier === '..' || /^(?:\.\/){0,8}\.\.\//u.test(specifier))
    place = joinPath(parentPath(path), specifier);
  else return undefined;
  return isInside(mountedDirectory, place) ? undefined : place;
}
