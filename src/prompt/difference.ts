/** The difference of two texts of a file, in the unified format. */
import { formatPatch, OMIT_HEADERS, type StructuredPatch, structuredPatch } from 'diff';
import type { ChangedFile } from '../ports/working-tree.ts';
import { fixedLimits } from '../settings.ts';
import { harmlessName } from './render-items.ts';

/** Most files are compared within one turn of the event loop; slow comparisons take several. */
const turnMs = 15;

/**
 * Empty if the texts differ only in line ends. Undefined if they are too large, or so different that the comparison
 * takes longer than `maxMs`.
 */
export async function differenceOf(
  name: string,
  change: ChangedFile['change'],
  { before, now, maxMs }: { before: string; now: string; maxMs: number },
): Promise<string | undefined> {
  if (Math.max(before.length, now.length) > fixedLimits.changes.comparedBytes) return undefined;
  const [old, present] = [before.replaceAll('\r\n', '\n'), now.replaceAll('\r\n', '\n')];
  if (old === present && change === 'modified') return '';
  const patch = await patchOf(old, present, maxMs);
  if (patch === undefined) return undefined;
  const shown = harmlessName(name);
  const names = [change === 'added' ? '/dev/null' : `a/${shown}`, change === 'removed' ? '/dev/null' : `b/${shown}`];
  return `--- ${names[0]}\n+++ ${names[1]}\n${formatPatch(patch, OMIT_HEADERS)}`;
}

async function patchOf(before: string, now: string, maxMs: number): Promise<StructuredPatch | undefined> {
  const compare = { context: 3 } as const;
  const quick = structuredPatch('', '', before, now, undefined, undefined, { ...compare, timeout: turnMs });
  if (quick !== undefined || maxMs <= turnMs) return quick;
  return new Promise((callback) => {
    structuredPatch('', '', before, now, undefined, undefined, { ...compare, timeout: maxMs, callback });
  });
}
