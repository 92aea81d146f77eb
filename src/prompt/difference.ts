/** The difference of two texts of a file, in the unified format. */
import { formatPatch, OMIT_HEADERS, type StructuredPatch, structuredPatch } from 'diff';
import { fixedLimits } from '../settings.ts';
import { harmlessName } from './render-items.ts';

/** Most files are compared within one turn of the event loop; slow comparisons take several. */
const turnMs = 15;

/** The name of a file before and now. One is missing for an added or a removed file; they differ for a renamed one. */
type Names = Readonly<{ before?: string | undefined; now?: string | undefined }>;

/**
 * Empty if the texts of a file with one name differ only in line ends. Undefined if they are too large, or so different
 * that the comparison takes longer than `maxMs`.
 */
export async function differenceOf(
  names: Names,
  { before, now, maxMs }: { before: string; now: string; maxMs: number },
): Promise<string | undefined> {
  if (Math.max(before.length, now.length) > fixedLimits.changes.comparedBytes) return undefined;
  const [old, present] = [before.replaceAll('\r\n', '\n'), now.replaceAll('\r\n', '\n')];
  const heading = headingOf(names);
  const isEverywhere = names.before !== undefined && names.now !== undefined;
  if (old === present && isEverywhere) return heading;
  const patch = await patchOf(old, present, maxMs);
  if (patch === undefined) return undefined;
  const from = names.before === undefined ? '/dev/null' : `a/${harmlessName(names.before)}`;
  const to = names.now === undefined ? '/dev/null' : `b/${harmlessName(names.now)}`;
  return `${heading}--- ${from}\n+++ ${to}\n${formatPatch(patch, OMIT_HEADERS)}`;
}

/** As git has it. Empty for a file that was not renamed. */
function headingOf({ before, now }: Names): string {
  if (before === undefined || now === undefined || before === now) return '';
  return `rename from ${harmlessName(before)}\nrename to ${harmlessName(now)}\n`;
}

async function patchOf(before: string, now: string, maxMs: number): Promise<StructuredPatch | undefined> {
  const compare = { context: 3 } as const;
  const quick = structuredPatch('', '', before, now, undefined, undefined, { ...compare, timeout: turnMs });
  if (quick !== undefined || maxMs <= turnMs) return quick;
  return new Promise((callback) => {
    structuredPatch('', '', before, now, undefined, undefined, { ...compare, timeout: maxMs, callback });
  });
}
