/** Rules that decide by the path of a candidate alone, before anything is opened (CC-13 … CC-18, CC-24). */
import { joinPath, parentPath } from '../access/paths.ts';
import { linkWords, refusalWords, shownRefusal } from '../access/refusal-words.ts';
import { decideSensitive } from '../access/sensitive.ts';
import { type StepRule, stepOf, type Trace } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import type { Pause } from '../pace/turns.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { Reason } from '../warnings.ts';
import { type Candidate, isIncludable } from './candidate.ts';
import { decideByIgnoreFlags, decideExclusion, type ExclusionPlace } from './exclusion.ts';
import type { MergedConfig } from './merge.ts';

type Decide = (candidate: Candidate, merged: MergedConfig, place: PathPlace) => Reason | undefined;

/** In the order of checking. */
const rules: readonly (readonly [name: StepRule | ((candidate: Candidate) => StepRule), decide: Decide])[] = [
  ['sensitive', sensitive],
  ['excludeFiles', excluded],
  [
    ({ directory }) => (directory.scope === 'global' ? 'ignoreGlobalContext' : 'ignoreAncestorContext'),
    (candidate, merged, { workingDirectory }) => decideByIgnoreFlags(candidate, merged, workingDirectory),
  ],
  [
    'file_kind',
    ({ refusal, linkIs }) => (refusal === undefined ? undefined : refusalReason(refusal, linkIs && linkWords[linkIs])),
  ],
  [
    'file_type',
    ({ path, source, includedBy }) =>
      // The names of other tools' files, and what they import, need no extension of ours.
      source === 'format' || source === 'import' || isIncludable(path, includedBy?.pattern ?? '*')
        ? undefined
        : { code: 'unsupported_type', detail: 'not .md, .mdc or .txt' },
  ],
];

/** The first rule that leaves a candidate out by its path alone. */
function decideByPath(candidate: Candidate, merged: MergedConfig, place: PathPlace): Reason | undefined {
  for (const [name, decide] of rules) {
    const reason = decide(candidate, merged, place);
    place.trace?.step(candidate.path, stepOf(typeof name === 'string' ? name : name(candidate), reason));
    if (reason) return reason;
  }
  return undefined;
}

/** The most specific candidates first, so that a time limit affects the least specific. */
export async function decideByPaths(
  candidates: readonly Candidate[],
  merged: MergedConfig,
  run: PathRun & { pause: Pause },
): Promise<Map<string, Reason>> {
  const { world, pause } = run;
  const place = placeOf(run);
  const ruledOut = new Map<string, Reason>();
  for (const candidate of candidates.toReversed()) {
    traceOrigin(candidate, place);
    const reason = decideByPath(candidate, merged, place);
    if (reason) ruledOut.set(candidate.path, reason);
    if (reason?.code === 'limit_reached') world.leftOut.excludes += 1;
    const turn = pause();
    if (turn) await turn;
  }
  return ruledOut;
}

/** The candidate without the supporting files that a configuration excludes. */
export function withoutExcluded(candidate: Candidate, merged: MergedConfig, run: PathRun): Candidate {
  const { path, supportingFiles } = candidate;
  if (supportingFiles === undefined) return candidate;
  const place = placeOf(run);
  const isKept = (file: string): boolean =>
    decideExclusion({ ...candidate, path: joinPath(parentPath(path), file) }, merged, place) === undefined;
  const kept = supportingFiles.filter(isKept);
  return kept.length === supportingFiles.length ? candidate : { ...candidate, supportingFiles: kept };
}

/** The target of a link must not be excluded either. */
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
  const reason: Reason | undefined = decided && { code: 'sensitive', detail: decided.pattern };
  sensitivity.set(path, { reason });
  return reason;
}

/** Decisions by path in one request. They are the same for all its working directories. */
export type Sensitivity = Map<string, { reason: Reason | undefined }>;

/** One AI working directory of a request. */
type PathRun = { workingDirectory: string; world: World; sensitivity: Sensitivity };

function placeOf({ workingDirectory, world, sensitivity }: PathRun): PathPlace {
  const { homeDirectory, reach, trace, allowances } = world;
  return { workingDirectory, homeDirectory, roots: reach.roots, allowance: allowances.excludes, trace, sensitivity };
}

type PathPlace = ExclusionPlace & { trace: Trace | undefined; sensitivity: Sensitivity };

/** How a candidate was found. */
function traceOrigin(candidate: Candidate, place: PathPlace): void {
  if (place.trace === undefined) return;
  const { path, source, directory, format, includedBy, importedBy } = candidate;
  const found = `${format === undefined ? '' : `${format} `}in ${directory.path} (${directory.scope} scope)`;
  const included = includedBy && `${format ?? 'includeFiles'} "${includedBy.pattern}" in ${includedBy.place}`;
  const imported = importedBy && `by ${importedBy.path}, line ${importedBy.line}`;
  const detail = included ?? imported ?? found;
  place.trace.step(path, { rule: 'working_directory', outcome: 'considered', detail: place.workingDirectory });
  place.trace.step(path, {
    rule: source === 'context-directory' ? 'context_directory' : source,
    outcome: 'found',
    detail,
  });
}

/** A refusal in the words of `excluded` of the answer. */
export function refusalReason(
  code: ReasonCode | 'pseudo_file' | 'not_directory' | 'io_error',
  detail?: string,
): Reason {
  return { code: shownRefusal(code), detail: detail ?? refusalWords[code] ?? code };
}
