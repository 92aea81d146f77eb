/** What the path of a candidate alone decides, before anything is opened (CC-13 … CC-18, CC-24). */
import { decideSensitive } from '../sensitive.ts';
import type { Reason } from '../warnings.ts';
import { type Candidate, isSupportedType } from './candidate.ts';
import { decideExclusion, decideIgnored, type ExclusionPlace } from './exclusion.ts';
import { refusalWords } from './load-directory.ts';
import type { MergedConfig } from './merge.ts';
import { stepOf, type Trace } from './trace.ts';

/** The first rule that leaves a candidate out by its path alone, in the order in which they are asked. */
export function decideByPath(candidate: Candidate, merged: MergedConfig, place: PathPlace): Reason | undefined {
  const { path, refusal, directory } = candidate;
  const sensitive = () => {
    const decided = decideSensitive(path);
    return decided && { code: 'sensitive', detail: decided.pattern };
  };
  const rules: [rule: string, decide: () => Reason | undefined][] = [
    ['sensitive', sensitive],
    ['excludeFiles', () => decideExclusion(candidate, merged, place)],
    [
      directory.scope === 'global' ? 'ignoreGlobalContext' : 'ignoreAncestorContext',
      () => decideIgnored(candidate, merged, place.workingDirectory),
    ],
    ['file_kind', () => (refusal === undefined ? undefined : refusalReason(refusal))],
    [
      'file_type',
      () => (isSupportedType(path) ? undefined : { code: 'unsupported_type', detail: 'not .md, .mdc or .txt' }),
    ],
  ];
  for (const [rule, decide] of rules) {
    const reason = decide();
    place.trace?.step(path, stepOf(rule, reason));
    if (reason) return reason;
  }
  return undefined;
}

export type PathPlace = ExclusionPlace & { trace: Trace | undefined };

/** How a candidate was found. */
export function traceOrigin(candidate: Candidate, place: PathPlace): void {
  const { path, source, directory, includedBy } = candidate;
  const detail =
    includedBy === undefined
      ? `in ${directory.path} (${directory.scope} scope)`
      : `includeFiles "${includedBy.pattern}" in ${includedBy.place}`;
  place.trace?.step(path, { rule: 'working_directory', outcome: 'considered', detail: place.workingDirectory });
  place.trace?.step(path, { rule: source.replace('-', '_'), outcome: 'found', detail });
}

/** A refusal in the words of `excluded` (api.md). */
export function refusalReason(code: string, detail?: string): Reason {
  const known =
    { pseudo_file: 'not_regular_file', not_directory: 'not_regular_file', io_error: 'unreadable' }[code] ?? code;
  return { code: known, detail: detail ?? refusalWords[code] ?? code };
}
