/** The state of imported files: an imported file is present whenever a file that imports it is (FM-07). */
import type { Trace } from '../access/trace.ts';
import type { Reason } from '../warnings.ts';
import type { ContextFile, Importer } from './context-file.ts';
import type { Duplicate } from './duplicates.ts';
import type { Import, Imports } from './imports.ts';
import type { Trigger } from './item-values.ts';
import { type RequestPlace, shownPath } from './normalize-request.ts';
import type { ReadableFile } from './readable.ts';
import type { TriggerDecision } from './triggers.ts';

export type ShownTrigger = Pick<ContextFile, 'trigger' | 'globs'>;

/**
 * What each file imports, by path. A file that was left out as a duplicate counts as the file that replaces it. Nothing
 * comes from other repositories.
 */
type Brought = ReadonlyMap<string, readonly { path: string; line: Import }[]>;

export function broughtBy(
  ordered: readonly ReadableFile[],
  imports: Imports,
  duplicates: ReadonlyMap<string, Duplicate>,
): Brought {
  const brought = new Map<string, { path: string; line: Import }[]>();
  for (const { candidate } of imports.size === 0 ? [] : ordered)
    for (const line of imports.get(candidate.path) ?? []) {
      if (line.isForeign) continue;
      const by = duplicates.get(line.path)?.standIn ?? line.path;
      const known = brought.get(by);
      if (known) known.push({ path: candidate.path, line });
      else brought.set(by, [{ path: candidate.path, line }]);
    }
  return brought;
}

/**
 * Makes the imports of active files active, unless only a part of the importing file is delivered. A file that is only
 * imported names the file that it waits for.
 */
export function decideImported(
  decided: Map<string, TriggerDecision>,
  ordered: readonly ReadableFile[],
  {
    brought,
    imports,
    place,
    trace,
  }: { brought: Brought; imports: Imports; place: RequestPlace; trace?: Trace | undefined },
): void {
  if (imports.size === 0) return;
  const set = (path: string, decision: TriggerDecision): void => {
    decided.set(path, decision);
    const { code, detail } = decision.reason;
    trace?.step(path, { rule: 'import', outcome: decision.state, detail: `${code}: ${detail}` });
  };
  const active = [...decided].flatMap(([path, { state, part }]) =>
    state === 'active' && part === undefined ? [path] : [],
  );
  for (const by of active)
    for (const { path, line } of brought.get(by) ?? []) {
      if (decided.get(path)?.state !== 'available') continue;
      set(path, { state: 'active', reason: { code: 'imported', detail: shownImporter(line, place) } });
      active.push(path);
    }
  for (const { candidate } of ordered) {
    const { path, source } = candidate;
    if (source !== 'import' || decided.get(path)?.state === 'active') continue;
    const [first] = linesThatCount(path, imports);
    if (first === undefined) continue;
    const by = shownImporter(first, place);
    const reason: Reason = first.isForeign
      ? { code: 'outside_repository', detail: `${by} imports it from outside its repository` }
      : { code: 'importer_not_active', detail: by };
    set(path, { state: 'available', reason });
  }
}

/** An imported file applies when its importer does, unless it applies more often by itself. */
export function triggersOf(
  ordered: readonly ReadableFile[],
  brought: Brought,
  ownTrigger: (file: ReadableFile) => ShownTrigger,
): ReadonlyMap<string, ShownTrigger> {
  const shown = new Map(ordered.map((file) => [file.candidate.path, ownTrigger(file)]));
  if (brought.size === 0) return shown;
  const strongest: Trigger[] = [];
  for (const level of ['always', 'auto'] as const) {
    strongest.push(level);
    const bringing = [...shown].flatMap(([path, { trigger }]) => (trigger === level ? [path] : []));
    for (const by of bringing)
      for (const { path } of brought.get(by) ?? []) {
        if (strongest.includes((shown.get(path) as ShownTrigger).trigger)) continue;
        shown.set(path, shown.get(by) as ShownTrigger);
        bringing.push(path);
      }
  }
  return shown;
}

/**
 * The importers as answers show them. A line that leads out of its repository counts only if no other line imports the
 * file.
 */
export function importersOf(path: string, imports: Imports): Importer[] | undefined {
  const lines = linesThatCount(path, imports);
  return lines.length === 0 ? undefined : lines.map(({ path: by, line }) => ({ path: by, line }));
}

/** Why a file is left out, and where it is imported. */
export function withImporter(reason: Reason, lines: readonly Import[] | undefined, place: RequestPlace): Reason {
  const [first] = lines ?? [];
  if (first === undefined) return reason;
  const { code, detail = code.replaceAll('_', ' ') } = reason;
  return { code, detail: `${detail}; imported by ${shownImporter(first, place)}` };
}

function linesThatCount(path: string, imports: Imports): readonly Import[] {
  const lines = imports.get(path) ?? [];
  const own = lines.filter(({ isForeign }) => !isForeign);
  return own.length > 0 ? own : lines;
}

function shownImporter({ path, line }: Importer, place: RequestPlace): string {
  return `${shownPath(path, place)}:${line}`;
}
