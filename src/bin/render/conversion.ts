/** A conversion for people. Nothing on these pages comes from a file unescaped. */

import type { ConvertResult, PlannedFile } from '../../context/convert/convert-request.ts';
import { shortenList } from '../../texts/shorten.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { renderWarnings, type Sheet } from './page.ts';
import { wrapText } from './terminal-text.ts';
import { plural } from './words.ts';

type Shown = Omit<ConvertResult, 'files'> & {
  files: (PlannedFile & { state: 'new' | 'same' | 'differs' | 'refused'; why?: string; written: boolean })[];
};

const marks = { new: '+', same: '=', differs: '!', refused: '!' } as const;
const shownEntries = 20;
const shownPaths = 3;

export function renderConversion(
  { to, files, present, lost, left, warnings }: Shown,
  sheet: Sheet,
  { write, force }: { write: boolean; force: boolean },
): string[] {
  const lines = files.map(({ path, from, state, why, written }) => {
    const mark = written ? '+' : marks[state];
    const note = why ?? (state === 'differs' && !written ? 'it is there with another text' : undefined);
    return `${mark} ${visibleText(path)}  ← ${from.map(visibleText).join(', ')}${note === undefined ? '' : `  (${visibleText(note)})`}`;
  });
  const sections = [
    ...section(
      'What cannot be said there',
      lost.map(
        ({ path, line, key, message }) =>
          `${path}${line === undefined ? '' : `, line ${line} of its text`} (${key}): ${message}`,
      ),
      sheet,
    ),
    ...section('Not converted', shownLeftRules(left, sheet), sheet),
  ];
  return [
    ...(lines.length > 0 ? [...lines, ...sections] : sections.slice(1)),
    ...(lines.length + sections.length > 0 ? [''] : []),
    ...wrapText(summaryOf({ to, files, present, left }, { write, force }), sheet.width),
    ...renderWarnings(warnings, sheet),
  ];
}

/** One line for all that are left for the same reason. */
function shownLeftRules(left: Shown['left'], { say }: Sheet): string[] {
  const groups = Map.groupBy(left, ({ reason }) => reason.detail ?? reason.code);
  return [...groups].map(([reason, each]) => {
    const paths = each.map(({ path }) => path);
    return `${shortenList(paths, shownPaths)}: ${say(reason)}`;
  });
}

function section(title: string, entries: readonly string[], { paint, width }: Sheet): string[] {
  if (entries.length === 0) return [];
  const shown = entries.slice(0, shownEntries).flatMap((entry) => wrapText(`· ${visibleText(entry)}`, width));
  const more = entries.length > shownEntries ? [`… and ${entries.length - shownEntries} more; --json has all.`] : [];
  return ['', paint('bold', title), ...shown, ...more];
}

function summaryOf(
  { to, files, present, left }: Pick<Shown, 'to' | 'files' | 'present' | 'left'>,
  { write, force }: { write: boolean; force: boolean },
): string {
  const written = files.filter((file) => file.written).length;
  const due = files.filter(({ state }) => state === 'new').length;
  const open = files.filter((file) => !file.written && file.state === 'differs').length;
  const doubled =
    'The old files stay. Text that applies in the same way is sent only once. Delete the files that you do not need.';
  const others =
    open === 0
      ? ''
      : ` ${plural(open, 'file with another text is left as it is', 'files with another text are left as they are')}${force ? '' : '; --write --force replaces them'}.`;
  if (written > 0) return `Wrote ${plural(written, 'file')}. ${doubled}${others}`;
  if (!write && due > 0) return `Would write ${plural(due, 'file')}; --write does.${others}`;
  if (open > 0) return others.trim();
  if (files.some(({ state }) => state === 'refused')) return 'Nothing was written.';
  const isThere = present.length + files.length > 0;
  if (!isThere && left.length > 0) return 'Nothing to do: nothing is left to convert.';
  return isThere ? `Nothing to do: ${to} says all of it already.` : `Nothing to do: there are no rules for ${to}.`;
}
