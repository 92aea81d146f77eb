/** Lists the files that the active document imports (RT-02), without reading them. */

import { isInside, joinPath, parentPath } from '../access/paths.ts';
import { type ImportStatement, ParseFailure } from '../ports/parsed-source.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import type { LeftOut, SourceAccess } from './imported-definitions.ts';
import type { ImportingFile, ImportTarget } from './imports/import.ts';
import { importResolverOf, languageOf } from './imports/languages.ts';
import type { SourceText } from './parsed-sources.ts';

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
  let imports: readonly ImportStatement[];
  let readLines: number | undefined;
  try {
    ({ imports, readLines } = await access.parse(document, file));
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    const detail = `its imports are not known: ${error.message}`;
    return { targets: [], leftOut: [{ path, reason: { code: error.code, detail } }] };
  }
  const targets = new Map<string, Set<string>>();
  const certain = new Map<string, Set<string>>();
  const statements = new Map<string, ImportStatement[]>();
  const leftOut = new Map<string, LeftOut>();
  for (const resolved of await resolve(imports.slice(0, retrievalLimits.imports), file, access.lookup)) {
    const { statement } = resolved;
    if ('targets' in resolved) {
      for (const target of resolved.targets) {
        if (target.path !== path) addNames(targets, target);
        statements.set(target.path, [...(statements.get(target.path) ?? []), statement]);
        if (!target.guessed) addNames(certain, target);
      }
    } else {
      const { specifier, line } = statement;
      const above = placeAbove(specifier, file, access.lookup.mountedDirectory);
      if (above !== undefined) {
        const detail = `line ${line} imports "${specifier}", which lies above the mounted directory`;
        leftOut.set(above, leftOut.get(above) ?? { path: above, reason: { code: 'outside_workspace', detail } });
        continue;
      }
      if (resolved.none === 'outside_workspace') continue;
      const place = /^\.{1,2}(?:\/|$)/u.test(specifier) ? joinPath(parentPath(path), specifier) : specifier;
      const isLink = resolved.none === 'not_found' && access.lookup.isBehindLink(place);
      const code = isLink ? 'symlink' : access.lookup.isExhausted() ? 'limit_reached' : resolved.none;
      const reason: Reason = { code, detail: `line ${line} imports "${specifier}"${whyNot[code]}` };
      leftOut.set(place, leftOut.get(place) ?? { path: place, reason });
    }
  }
  const limits: string[] = [];
  const next = imports[retrievalLimits.imports];
  if (next)
    limits.push(
      `only ${retrievalLimits.imports} imports of a document are followed; those from line ${next.line} on are not`,
    );
  if (readLines !== undefined)
    limits.push(`only its first ${readLines} lines could be parsed in time; imports below them are not known`);
  if (access.lookup.isExhausted()) limits.push('its imports could not be looked for to the end');
  if (limits.length > 0) leftOut.set(path, { path, reason: { code: 'limit_reached', detail: limits.join('; ') } });
  return {
    targets: [...targets].map(([each, names]) => ({
      path: each,
      names: [...names],
      statements: statements.get(each) ?? [],
      ...(certain.has(each) ? { certain: certain.get(each) } : { guessed: true as const }),
    })),
    leftOut: [...leftOut.values()],
  };
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

/** An import without names does not change the names that others import. */
function addNames(all: Map<string, Set<string>>, { path, names }: ImportTarget): void {
  const known = all.get(path) ?? new Set();
  for (const name of names) known.add(name);
  all.set(path, known);
}
