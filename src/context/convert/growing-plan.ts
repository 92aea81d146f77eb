/** A plan while it grows, for formats with a file for each rule and for those with one for each directory. */
import { relativePath } from '../../access/paths.ts';
import { ruleFormats } from '../formats/formats.ts';
import type { ConvertResult, Loss } from './convert-request.ts';
import type { KeyLoss } from './losses.ts';
import { moveText } from './moved-text.ts';
import type { SourceRule } from './rules-here.ts';
import type { Target } from './targets.ts';

/** `answerBytes`: how much text a plan has at most. */
export type Place = Readonly<{
  mountedDirectory: string;
  contextPath: string;
  frontMatterBytes: number;
  answerBytes: number;
}>;

/** `bytesLeft`: what the answer can still take. `leftOut`: rules that it cannot take. */
export type GrowingPlan = Pick<ConvertResult, 'files' | 'present' | 'lost' | 'left'> & {
  target: Target;
  place: Place;
  bytesLeft: number;
  leftOut: number;
};

/** The text of a rule for its new place, which is an absolute path. */
export function textAt(
  to: string,
  { path: from, format, body }: SourceRule,
  { target: { imports, title }, place: { mountedDirectory } }: GrowingPlan,
) {
  const places = ruleFormats.find(({ name }) => name === format)?.places ?? [];
  const reads = places.find((each) => each.imports)?.imports;
  return moveText(body, { from, to, mountedDirectory, reads, imports, title });
}

/** Leaves a rule that the target format cannot express. */
export function leave({ left, place }: GrowingPlan, { path }: SourceRule, detail: string): void {
  left.push({ path: relativePath(place.mountedDirectory, path), reason: { code: 'cannot_be_said', detail } });
}

/**
 * Adds what a rule loses in the file `to`. False if the answer has no room for this and for the added text: then the
 * rule is left.
 */
export function addLosses(
  plan: GrowingPlan,
  { path }: SourceRule,
  { losses, to, added }: { losses: readonly KeyLoss[]; to: string; added: readonly string[] },
): boolean {
  const { mountedDirectory, answerBytes } = plan.place;
  const from = relativePath(mountedDirectory, path);
  const lost = losses.map((loss): Loss => ({ path: from, to, ...loss }));
  const bytes = [...added, ...lost.map((loss) => JSON.stringify(loss))].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
  if (bytes > plan.bytesLeft) {
    plan.leftOut += 1;
    const detail = `more than ${answerBytes} bytes of converted text`;
    plan.left.push({ path: from, reason: { code: 'limit_reached', detail } });
    return false;
  }
  plan.bytesLeft -= bytes;
  for (const loss of lost) plan.lost.push(loss);
  return true;
}
