/**
 * The one composition: which context applies to a request, with every body (CC-14 … CC-36). Answers, explanations and
 * the catalogs of agents are views of it.
 */

import type { Unsaved } from '../access/gate.ts';
import {
  countLooks,
  createLookRecorder,
  createSharedLooks,
  type LookRound,
  type LookRounds,
  type Looks,
} from '../access/looks.ts';
import { isInside, joinPath } from '../access/paths.ts';
import { createTrace } from '../access/trace.ts';
import type { Placing, World } from '../access/world.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import type { EngineCore } from '../engine-core.ts';
import { type CacheSize, createBoundedCache, sizeOf } from '../pace/bounded-cache.ts';
import { freezeWhole, isFrozenWhole } from '../pace/frozen.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { sameItems } from '../pace/same-items.ts';
import { createSharedRuns } from '../pace/shared-runs.ts';
import type { Clock, Files, Root } from '../ports/ports.ts';
import { type EngineSettings, expandHome } from '../settings.ts';
import { explainCandidates, explainStranger } from './explain.ts';
import type { ExplainRequest, ExplainResult } from './explain-result.ts';
import { formatNames } from './formats/format-names.ts';
import { withHidden } from './hidden-files.ts';
import { type LoadedContext, loadContext } from './load-context.ts';
import { absolutePath, type FormatsInstead, type NormalizedRequest, normalizeRequest } from './normalize-request.ts';
import type { ParsedFiles } from './parsed-file.ts';
import { createPlacing, placeRequest } from './placing.ts';
import { type RankRelevant, sameRelevance } from './relevance.ts';
import { assembleResult, type Composition } from './resolve.ts';
import type { ResolveRequest } from './resolve-request.ts';
import type { ResolveResult } from './resolve-result.ts';

/**
 * Variants of a composition. `formats`: formats of other tools to look at, whatever settings and configurations say, to
 * report them. `instead`: another choice in a configuration. `unsaved`: texts that replace files on disk.
 * `countsActiveOnly`: only the tokens of active files are needed.
 */
type View = Readonly<{
  formats?: readonly string[];
  instead?: FormatsInstead;
  unsaved?: Unsaved;
  countsActiveOnly?: true;
}>;

export type Composer = Readonly<{
  /** Returns the same frozen object while nothing changes. Throws `ContextdError`. */
  compose(request: ResolveRequest, view?: View): Promise<Composition>;
  /** Throws as `compose` does. */
  explain(request: ExplainRequest): Promise<ExplainResult>;
  /** How much is remembered. */
  size(): CacheSize;
}>;

type ComposerPorts = {
  clock: Clock;
  settings: EngineSettings;
  homeDirectory: string;
  parsedFiles: ParsedFiles;
  tokenCounts: TokenCounts;
  realPath: Files['realPath'];
  lookRounds: LookRounds;
  locateRoots(looking?: Pick<Files, 'stat' | 'realPath'>): Promise<readonly Root[]>;
  createWorld: EngineCore['createWorld'];
  rankRelevant: RankRelevant;
  /** Is called with the sources of each composition. */
  remember(request: NormalizedRequest, loaded: LoadedContext, askedAtMs: number): void;
};

/**
 * Everything that a composition depends on: `seen`, with the granted roots of that time. If a request sees the same,
 * the result is the same. `seen` is undefined if looking alone cannot show it.
 */
type Remembered = { loaded: LoadedContext; composition: Composition; roots: readonly Root[]; seen: Looks | undefined };

const remembered = { maxWeight: 32 * 1024 * 1024, maxEntries: 200 };

/** Composes a request if no equal one is running, or returns the earlier result. `key` identifies the request. */
function createRuns(ports: ComposerPorts) {
  const { clock, createWorld } = ports;
  const known = createBoundedCache<Remembered>(remembered);
  const shareLooks = createSharedLooks();
  const locateIn = onceForEach((round: LookRound) => ports.locateRoots(round), new WeakMap());

  const run = async (key: string, request: NormalizedRequest, unsaved: Unsaved | undefined): Promise<Composition> => {
    const askedAtMs = clock.now();
    const round = ports.lookRounds.current();
    const before = known.get(key);
    // First, because a disk that is asleep does not tell where its roots lie.
    await round.realPath(request.mountedDirectory);
    const roots = await locateIn(round);
    const seen = unsaved === undefined && before && sameRoots(before.roots, roots) ? before.seen : undefined;
    if (before && seen && (await round.stillHolds(seen))) {
      ports.remember(request, before.loaded, askedAtMs);
      return before.composition;
    }
    const recorder = unsaved === undefined ? createLookRecorder() : undefined;
    const world = await createWorld(request.mountedDirectory, { unsaved, recorder, roots });
    const loaded = await loadContext(request, world, before?.loaded);
    ports.remember(request, loaded, askedAtMs);
    const keep = (composition: Composition): Composition => {
      // What could not be searched by meaning may be searched so the next time.
      const looks = isSearched(composition.result) ? recorder?.looks() : undefined;
      const seen = looks && shareLooks(looks);
      known.set(key, { loaded, composition, roots, seen }, weightOf(loaded, composition.result, seen));
      return composition;
    };
    const same = before && sameItems(before.loaded.evidence, loaded.evidence) ? before.composition : undefined;
    if (same && isSearched(same.result)) return isOutOfTime(world) ? same : keep(same);
    const composition = await assembleResult(loaded, request, { ...ports, world });
    const { result } = composition;
    if (same && sameRelevance(same.result, result)) return same;
    // What lack of time decided may be decided otherwise the next time.
    if (isOutOfTime(world)) return composition;
    // What could not be counted may be counted the next time.
    if (result.warnings.some(({ code }) => code === 'tokens_estimated')) return composition;
    return keep(composition);
  };
  return { run, size: () => sizeOf(known) };
}

export function createComposer(ports: ComposerPorts): Composer {
  const { clock, settings, homeDirectory, createWorld } = ports;
  const shared = createSharedRuns<Composition>();
  const { run, size } = createRuns(ports);

  /** Of requests that never change and that the disk does not decide about. */
  const known = new WeakMap<ResolveRequest, NormalizedRequest>();
  const normalize = async (asked: ResolveRequest): Promise<NormalizedRequest> => {
    const mountedDirectory = absolutePath(asked.mountedDirectory, '/mountedDirectory', homeDirectory);
    const placeOnDisk = createPlacing(mountedDirectory, ports);
    let isDecidedByDisk = false;
    const placing: Placing = (path) => {
      if (!isInside(mountedDirectory, path)) isDecidedByDisk = true;
      return placeOnDisk(path);
    };
    const { request, omitted } = await placeRequest(asked, { mountedDirectory, homeDirectory }, placing);
    const normalized = normalizeRequest(request, { homeDirectory, settings, omitted });
    if (!isDecidedByDisk && isFrozenWhole(asked)) known.set(asked, freezeWhole(normalized));
    return normalized;
  };

  const runOnce = (request: NormalizedRequest, unsaved?: Unsaved): Promise<Composition> => {
    const key = keyOf(request);
    // What it is remembered by has no texts: those that were read are part of what was seen.
    const asked = unsaved === undefined ? key : `${key}${JSON.stringify([unsaved.decides, ...unsaved.texts])}`;
    // It may join a run that has not begun, beside one that has begun to look.
    ports.lookRounds.end();
    return shared.join(asked, () => run(key, request, unsaved));
  };
  return Object.freeze({
    async compose(request: ResolveRequest, view?: View) {
      const unsaved = view?.unsaved?.texts.size === 0 ? undefined : view?.unsaved;
      const asked = known.get(request) ?? (await normalize(request));
      const normalized = view === undefined ? asked : viewed(asked, view);
      const composition = await runOnce(normalized, unsaved);
      const isEmpty = composition.result.files.length === 0;
      const isOtherChoice = view?.formats !== undefined || view?.instead !== undefined;
      if (!isEmpty || !composition.isNarrowed || isOtherChoice) return composition;
      const all = await runOnce({ ...normalized, formats: formatNames, narrowed: false }, unsaved);
      return withHidden(composition, all, settings);
    },
    async explain({ path, ...request }: ExplainRequest) {
      const normalized = await normalize(request);
      const { mountedDirectory, clientContextPath, formats } = normalized;
      const trace = createTrace();
      const askedAtMs = clock.now();
      const world = await createWorld(mountedDirectory, { trace });
      const loaded = await loadContext(normalized, world);
      ports.remember(normalized, loaded, askedAtMs);
      const { result } = await assembleResult(loaded, normalized, { ...ports, world });
      const { warnings } = result;
      const explained = explainCandidates(result, trace);
      if (path === undefined) return { candidates: explained, warnings };
      const asWritten = joinPath(mountedDirectory, expandHome(path.replaceAll('\\', '/'), homeDirectory));
      const wanted = await world.placing(asWritten);
      const candidate = explained.find((each) => each.path === wanted);
      const place = { world, clientContextPath, mountedDirectory, formats };
      return { candidates: [candidate ?? (await explainStranger(wanted, loaded, place))], warnings };
    },
    size,
  });
}

/** Identifies the request. The usual choice, all formats, is a long list. */
const keyOf = onceForEach(
  ({ formats, scopes, ...request }: NormalizedRequest): string =>
    JSON.stringify({ ...request, formats: formats === formatNames ? 'all' : formats, scopes: [...scopes] }),
  new WeakMap(),
);

function isOutOfTime({ allowances, isLate }: World): boolean {
  return isLate() || Object.values(allowances).some((each) => each.isOver());
}

function isSearched({ semantic }: ResolveResult): boolean {
  return (semantic?.status ?? 'ready') === 'ready';
}

function sameRoots(before: readonly Root[], now: readonly Root[]): boolean {
  const isSame = ({ path, realPath }: Root, index: number): boolean =>
    path === now[index]?.path && realPath === now[index]?.realPath;
  return before.length === now.length && before.every(isSame);
}

function viewed(request: NormalizedRequest, { formats, instead, countsActiveOnly }: View): NormalizedRequest {
  const choice = { ...(formats && { formats, narrowed: false }), ...(instead && { instead }) };
  return { ...request, ...choice, ...(countsActiveOnly && { countsActiveOnly }) };
}

/** The answer with the bodies of its active files: the same frozen object for the same composition. */
export const showBodies = onceForEach(({ result, bodies }: Composition): ResolveResult => {
  const files = result.files.map((file) =>
    file.state === 'active' ? { ...file, content: bodies.get(file.path) ?? '' } : file,
  );
  return Object.freeze({ ...result, files });
}, new WeakMap());

/** Approximate bytes of a remembered composition, without the contents that it shares with others. */
function weightOf({ chains }: LoadedContext, { usage }: ResolveResult, seen: Looks | undefined): number {
  const candidates = chains.reduce((sum, chain) => sum + chain.candidates.length, 0);
  return 4_096 + 1_024 * candidates + usage.bytes + 256 * (seen === undefined ? 0 : countLooks(seen));
}
