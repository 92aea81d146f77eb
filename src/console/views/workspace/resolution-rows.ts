/**
 * The rows of the list: files below the directory that owns them, in the order of the answer, then the files left out.
 */
import type { ContextFile } from '../../../context/context-file.ts';
import type { FormatsResult, RuleFile } from '../../../context/formats-request.ts';
import type { Scope } from '../../../context/item-values.ts';
import type { ExcludedFile, ResolveResult } from '../../../context/resolve-result.ts';

export const shows = ['all', 'active', 'available', 'excluded', 'text'] as const;
export type Show = (typeof shows)[number];

/** A format of another tool that has files here. */
export type FormatHere = FormatsResult['formats'][number];

export type FormatGroup = {
  kind: 'format';
  key: string;
  /** Undefined for the group of files that belong to no other tool. */
  format: FormatHere | undefined;
  files: number;
  active: number;
  tokens: number;
  isOpen: boolean;
};

export type Row =
  | { kind: 'group'; key: string; scope: Scope; owner: string; files: number; active: number; tokens: number }
  | FormatGroup
  | { kind: 'not-read'; key: string; file: RuleFile }
  | { kind: 'excluded-group'; key: string; files: number }
  | { kind: 'file'; key: string; file: ContextFile }
  | { kind: 'excluded'; key: string; file: ExcludedFile };

/** `find` is a part of a path or name; letter case is ignored. */
export type Shown = { show: Show; find: string };

export function rowsOf(result: ResolveResult, options: Shown): Row[] {
  const { show } = options;
  const rows: Row[] = [];
  let group: Extract<Row, { kind: 'group' }> | undefined;
  for (const file of show === 'excluded' ? [] : result.files) {
    if (!isShown(file, options)) continue;
    if (group?.owner !== file.owner || group.scope !== file.scope) {
      const { scope, owner } = file;
      group = { kind: 'group', key: `before ${file.path}`, scope, owner, files: 0, active: 0, tokens: 0 };
      rows.push(group);
    }
    group.files += 1;
    if (file.state === 'active') {
      group.active += 1;
      group.tokens += file.tokens;
    }
    rows.push({ kind: 'file', key: file.path, file });
  }
  return [...rows, ...rowsOfExcluded(shownExcluded(result, options))];
}

/** Whether the list shows a file. */
export function isShown(file: Pick<ContextFile, 'path' | 'name' | 'state'>, options: Shown): boolean {
  const { show } = options;
  if (show === 'excluded' || ((show === 'active' || show === 'available') && file.state !== show)) return false;
  const find = options.find.trim().toLowerCase();
  return find === '' || file.path.toLowerCase().includes(find) || file.name.toLowerCase().includes(find);
}

/** The left-out files that the list shows. */
export function shownExcluded({ excluded }: ResolveResult, { show, find }: Shown): ExcludedFile[] {
  if (show !== 'all' && show !== 'excluded') return [];
  return excluded.filter(({ path }) => path.toLowerCase().includes(find.trim().toLowerCase()));
}

export function rowsOfExcluded(excluded: readonly ExcludedFile[]): Row[] {
  if (excluded.length === 0) return [];
  return [
    { kind: 'excluded-group', key: 'excluded', files: excluded.length },
    // A file may be left out in several places, so the path alone is no key.
    ...excluded.map((file, index): Row => ({ kind: 'excluded', key: `${index} ${file.path}`, file })),
  ];
}
