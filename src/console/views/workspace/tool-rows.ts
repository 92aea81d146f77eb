/** The lines of the list by tool: the files of each format under it, then those of no tool, then what else was left out. */
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

/** Where there are more files than this, all groups begin closed, so that each can be seen, but for what was searched. */
const maxOpen = 60;

/**
 * `here` tells of the formats, also of those that are not read: their files are listed where everything is. `folded` are
 * groups that are not as they begin.
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
      // A file may be left out in several places.
      ...(excluded.get(name) ?? []).map(
        (file, at): Row => ({ kind: 'excluded', key: `${name} ${at} ${file.path}`, file }),
      ),
      ...notRead
        .filter((file) => isShown(file, options))
        .map((file): Row => ({ kind: 'not-read', key: `not read ${file.path}`, file })),
    ];
    // What is off stays in sight, so that it can be switched on.
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

/** By which a group is folded. */
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

/** By tool; with those that only the other answer knows, which may be of another moment. */
function formatsOf({ files }: ResolveResult, here: FormatsResult): FormatHere[] {
  const known = new Set(here.formats.map(({ name }) => name));
  const counts = { files: 1, active: 0, duplicates: 0, tokens: 0 };
  const others = [...new Set(files.flatMap(({ format }) => format ?? []))].filter((name) => !known.has(name));
  return [...here.formats, ...others.map((name) => ({ name, tool: name, isRead: true, ...counts }))].sort(
    (a, b) => a.tool.localeCompare(b.tool, 'en') || a.name.localeCompare(b.name, 'en'),
  );
}
