/** Decides whether a context file is active, and why (CC-28, CC-30). */
import { baseName, isInside, relativePath } from '../access/paths.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import type { Reason } from '../warnings.ts';
import { ruleGlobOf } from './candidate.ts';
import type { Trigger } from './item-values.ts';
import type { OfferedPart } from './offered-part.ts';
import type { Found } from './relevance.ts';
import type { SemanticStatus } from './resolve-result.ts';

/** `part`: the delivered part, if not all. */
export type TriggerDecision = {
  state: 'active' | 'available';
  reason: Reason;
  similarityScore?: number;
  part?: OfferedPart | undefined;
};

type TriggerRequest = {
  mountedDirectory: string;
  filesInPlay: readonly string[];
  isMentioned: boolean;
  /** Whether the file lies below the working directory, on the way to a file in play. */
  isBelow: boolean;
  /** Patterns match only files of this directory. Patterns of a context file match all files. */
  patternsIn?: string | undefined;
  /** Why the file is outside its repository, if only a mention may make it active. */
  foreign?: string;
  /** The result of search for an `agent` file. Absent without a query. */
  relevance?: { semantic: SemanticStatus; found: Found | undefined };
  allowance: TimeAllowance;
};

const tookTooLong = 'matching the patterns takes too long';

/**
 * A mention always makes a file active, and is the only way for a file outside its repository. `auto` needs a file in
 * play, and `agent` a mention or a query that finds it relevant.
 */
export function decideTrigger(
  file: { trigger: Trigger; globs: readonly string[]; owner: string },
  request: TriggerRequest,
): TriggerDecision {
  if (request.foreign !== undefined && !request.isMentioned) {
    return { state: 'available', reason: { code: 'outside_repository', detail: request.foreign } };
  }
  if (file.trigger === 'always' && request.foreign === undefined && !request.isBelow)
    return { state: 'active', reason: { code: 'trigger_always' } };
  if (request.isMentioned) return { state: 'active', reason: { code: 'mentioned' } };
  if (file.trigger === 'always') return decidePlace(file, request);
  if (file.trigger === 'auto') return decideGlobs(file, request);
  if (file.trigger === 'agent') {
    const place = isForSomeFiles(file, request) ? decideGlobs(file, request) : undefined;
    return place?.state === 'available' ? place : decideRelevance(request.relevance);
  }
  return { state: 'available', reason: { code: 'needs_mention' } };
}

/** FM-05: below the working directory, `always` means: for the files beside the rule and below. */
function decidePlace({ owner }: { owner: string }, request: TriggerRequest): TriggerDecision {
  const { mountedDirectory, filesInPlay } = request;
  const path = filesInPlay.find((each) => isInside(owner, each));
  if (path === undefined) return { state: 'available', reason: { code: 'no_glob_matched' } };
  const detail = `${relativePath(mountedDirectory, owner)}/** ↔ ${relativePath(mountedDirectory, path)}`;
  return { state: 'active', reason: { code: 'glob_matched', detail } };
}

/** FM-12: a file of another tool that waits to be chosen can be for some files only. */
function isForSomeFiles({ globs }: { globs: readonly string[] }, { patternsIn }: TriggerRequest): boolean {
  return patternsIn !== undefined && !globs.includes('*');
}

function decideRelevance(relevance: TriggerRequest['relevance']): TriggerDecision {
  if (relevance === undefined) return { state: 'available', reason: { code: 'needs_query_or_mention' } };
  const { semantic, found: { score, part, rejected } = {} } = relevance;
  if (score !== undefined && rejected === undefined)
    return { state: 'active', reason: { code: 'semantic_match' }, similarityScore: score, part };
  const code = semantic.status === 'unavailable' ? 'semantic_unavailable' : 'not_relevant';
  return { state: 'available', reason: { code, detail: rejected } };
}

function decideGlobs(file: { globs: readonly string[]; owner: string }, request: TriggerRequest): TriggerDecision {
  const { mountedDirectory, allowance, patternsIn } = request;
  const bases = patternsIn === undefined ? [...new Set([mountedDirectory, file.owner])] : [patternsIn];
  for (const path of request.filesInPlay) {
    if (patternsIn !== undefined && !isInside(patternsIn, path)) continue;
    const glob = file.globs.find(
      (pattern) => allowance.isOver() || allowance.spend(() => matchesFile(pattern, path, bases)),
    );
    if (allowance.isOver()) return { state: 'available', reason: { code: 'limit_reached', detail: tookTooLong } };
    if (glob === undefined) continue;
    return {
      state: 'active',
      reason: { code: 'glob_matched', detail: `${glob} ↔ ${relativePath(request.mountedDirectory, path)}` },
    };
  }
  const detail = request.filesInPlay.length === 0 ? 'no files are in play' : undefined;
  return { state: 'available', reason: { code: 'no_glob_matched', detail } };
}

/** Whether a pattern matches a file, given by its absolute path, as in `fileMatcher`. */
function matchesFile(pattern: string, path: string, bases: readonly string[]): boolean {
  return fileMatcher(pattern, bases)(path);
}

/**
 * Compares a pattern with the path relative to each base that contains the file. A pattern without `/` is also compared
 * with the base name. A leading `/` prevents this.
 */
export function fileMatcher(pattern: string, bases: readonly string[]): (path: string) => boolean {
  const compiled = ruleGlobOf(pattern);
  if ('problem' in compiled) return () => false;
  const { glob, isForNames } = compiled;
  return (path) =>
    (isForNames && glob.matches(baseName(path))) ||
    bases.some((base) => isInside(base, path) && glob.matches(relativePath(base, path)));
}
