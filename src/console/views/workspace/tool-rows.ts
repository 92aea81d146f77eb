/**
 * The rows of the list by tool: each format with its files, then the files of no tool, then all other files left out.
 */
import type { ContextFile } from '../../../context/context-file.ts';
import type { FormatsResult } from '../../../context/formats-request.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import {
  type FormatGroup,
  type FormatHere,
  isShown,
  type Row,
  rowsOfExcluded,
  type Shown,
  shownExcluded,
} from './resolution-rows.ts';

/** With more files than this, all groups start closed, so that all headings are visible. A search opens them. */
const maxOpen = 60;

/**
 * `here` has all formats, also those that are not read. Their files are listed when everything is shown. `folded` names
 * the groups that are not in their initial state.
 */
export function rowsByTool(
  result: ResolveResult,
  here: FormatsResult,
  options: Shown & { folded: ReadonlySet<string> },
): Row[] {
  const files = Map.groupBy(
    result.files.filter((file) => isShown(file, options)),
    ({ format }) => format,
  );
  const excluded = Map.groupBy(shownExcluded(result, options), ({ format }) => format);
  const isEverything = options.show === 'all';
  const groups: [FormatGroup, Row[]][] = [];
  for (const format of formatsOf(result, here)) {
    const { name, isRead } = format;
    const own = files.get(name) ?? [];
    const notRead = isEverything && !isRead ? here.files.filter((file) => file.format === name) : [];
    const rows: Row[] = [
      ...rowsOfFiles(own),
      // A file may be left out in several places, so the path alone is no key.
      ...(excluded.get(name) ?? []).map(
        (file, at): Row => ({ kind: 'excluded', key: `${name} ${at} ${file.path}`, file }),
      ),
      ...notRead
        .filter((file) => isShown(file, options))
        .map((file): Row => ({ kind: 'not-read', key: `not read ${file.path}`, file })),
    ];
    // A format without rows stays visible, so that the user can switch it on.
    if (rows.length > 0 || (isEverything && options.find.trim() === ''))
      groups.push([groupOf(format, own, rows), rows]);
  }
  const others = files.get(undefined) ?? [];
  if (others.length > 0) groups.push([groupOf(undefined, others, others), rowsOfFiles(others)]);
  const isOpen = options.find.trim() !== '' || result.files.length + result.excluded.length <= maxOpen;
  return [
    ...groups.flatMap(([group, rows]): Row[] => {
      const shown = { ...group, isOpen: isOpen !== options.folded.has(foldName(group)) };
      return shown.isOpen ? [shown, ...rows] : [shown];
    }),
    ...rowsOfExcluded(excluded.get(undefined) ?? []),
  ];
}

/** The name of a group in the `fold` parameter of the address. */
export function foldName({ format }: Pick<FormatGroup, 'format'>): string {
  return format?.name ?? 'none';
}

function rowsOfFiles(files: readonly ContextFile[]): Row[] {
  return files.map((file) => ({ kind: 'file', key: file.path, file }));
}

function groupOf(format: FormatHere | undefined, own: readonly ContextFile[], all: readonly unknown[]): FormatGroup {
  const active = own.filter(({ state }) => state === 'active');
  const tokens = active.reduce((sum, file) => sum + file.tokens, 0);
  const key = `format ${foldName({ format })}`;
  return { kind: 'format', key, format, files: all.length, active: active.length, tokens, isOpen: true };
}

/**
 * Sorted by tool. Includes formats that only `files` mentions, because the two answers may be from different moments.
 */
function formatsOf({ files }: ResolveResult, here: FormatsResult): FormatHere[] {
  const known = new Set(here.formats.map(({ name }) => name));
  const counts = { files: 1, active: 0, duplicates: 0, tokens: 0 };
  const others = [...new Set(files.flatMap(({ format }) => format ?? []))].filter((name) => !known.has(name));
  return [...here.formats, ...others.map((name) => ({ name, tool: name, isRead: true, ...counts }))].sort(
    (a, b) => a.tool.localeCompare(b.tool, 'en') || a.name.localeCompare(b.name, 'en'),
  );
}
