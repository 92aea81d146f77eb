/** What the path of a candidate alone decides, before anything is opened (CC-13 … CC-18, CC-24). */
import { decideSensitive } from '../access/sensitive.ts';
import { stepOf, type Trace } from '../access/trace.ts';
import type { Reason } from '../warnings.ts';
import { type Candidate, isIncludable } from './candidate.ts';
import { decideExclusion, decideIgnored, type ExclusionPlace } from './exclusion.ts';
import { refusalWords } from './load-directory.ts';
import type { MergedConfig } from './merge.ts';

type Decide = (candidate: Candidate, merged: MergedConfig, place: PathPlace) => Reason | undefined;

/** In the order in which they are asked. */
const rules: readonly (readonly [name: string | ((candidate: Candidate) => string), decide: Decide])[] = [
  ['sensitive', sensitive],
  ['excludeFiles', excluded],
  [
    ({ directory }) => (directory.scope === 'global' ? 'ignoreGlobalContext' : 'ignoreAncestorContext'),
    (candidate, merged, { workingDirectory }) => decideIgnored(candidate, merged, workingDirectory),
  ],
  ['file_kind', ({ refusal }) => (refusal === undefined ? undefined : refusalReason(refusal))],
  [
    'file_type',
    ({ path, source, includedBy }) =>
      // The names of other tools' files need no extension.
      source === 'format' || isIncludable(path, includedBy?.pattern ?? '*')
        ? undefined
        : { code: 'unsupported_type', detail: 'not .md, .mdc or .txt' },
  ],
];

/** The first rule that leaves a candidate out by its path alone. */
export function decideByPath(candidate: Candidate, merged: MergedConfig, place: PathPlace): Reason | undefined {
  for (const [name, decide] of rules) {
    const reason = decide(candidate, merged, place);
    place.trace?.step(candidate.path, stepOf(typeof name === 'string' ? name : name(candidate), reason));
    if (reason) return reason;
  }
  return undefined;
}

/** What a link leads to must not be excluded either. */
function excluded(candidate: Candidate, merged: MergedConfig, place: PathPlace): Reason | undefined {
  const { linksTo } = candidate;
  const reason = decideExclusion(candidate, merged, place);
  return (
    reason ?? (linksTo === undefined ? undefined : decideExclusion({ ...candidate, path: linksTo }, merged, place))
  );
}

function sensitive({ path }: Candidate, _merged: MergedConfig, { sensitivity }: PathPlace): Reason | undefined {
  const known = sensitivity.get(path);
  if (known !== undefined) return known.reason;
  const decided = decideSensitive(path);
  const reason = decided && { code: 'sensitive', detail: decided.pattern };
  sensitivity.set(path, { reason });
  return reason;
}

/** `sensitivity`: what was decided by path, in one request; it is the same for all its working directories. */
export type PathPlace = ExclusionPlace & {
  trace: Trace | undefined;
  sensitivity: Map<string, { reason: Reason | undefined }>;
};

/** How a candidate was found. */
export function traceOrigin(candidate: Candidate, place: PathPlace): void {
  const { path, source, directory, format, includedBy } = candidate;
  const detail =
    includedBy === undefined
      ? `${format === undefined ? '' : `${format} `}in ${directory.path} (${directory.scope} scope)`
      : `includeFiles "${includedBy.pattern}" in ${includedBy.place}`;
  place.trace?.step(path, { rule: 'working_directory', outcome: 'considered', detail: place.workingDirectory });
  place.trace?.step(path, { rule: source.replace('-', '_'), outcome: 'found', detail });
}

/** A refusal in the words of `excluded` of the answer. */
export function refusalReason(code: string, detail?: string): Reason {
  const known =
    { pseudo_file: 'not_regular_file', not_directory: 'not_regular_file', io_error: 'unreadable' }[code] ?? code;
  return { code: known, detail: detail ?? refusalWords[code] ?? code };
}
