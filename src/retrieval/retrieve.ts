/**
 * Retrieves the context of a prompt (RT-03): first the supplementary list, then the automatic list, then policy and
 * content of each file, then the answer. What fails is left out and reported (RT-04).
 */

import { parentPath } from '../access/paths.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { type TokenCounts, tokensEstimated } from '../budget/token-counts.ts';
import type { FileExclusion } from '../context/file-exclusion.ts';
import { placePath } from '../context/normalize-request.ts';
import type { SemanticStatus } from '../context/resolve-result.ts';
import { createTurns, nextTurn } from '../pace/turns.ts';
import { ParseFailure } from '../ports/parsed-source.ts';
import type { Clock } from '../ports/ports.ts';
import type { StoredSupplementaryItem } from '../ports/store/supplementary.ts';
import { defaultEncoding } from '../ports/token-encoding.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import { importsOf, refuseDocument } from './active-document.ts';
import { assembleItems, type FetchedItem } from './assemble.ts';
import { type Focus, namesMeant } from './attention.ts';
import { type Candidate, createDelivery, type LeaveOut } from './delivery.ts';
import { createReader, type Part } from './fetch.ts';
import type { ExpandedFolder } from './folder-files.ts';
import { takeImportedFiles } from './imported-files.ts';
import type { Lookup } from './imports/import.ts';
import { listSupplementary } from './list-supplementary.ts';
import { createModules } from './modules.ts';
import type { ParsedSources } from './parsed-sources.ts';
import { rankFetched } from './rank-imports.ts';
import type { RetrieveRequest } from './retrieve-request.ts';
import type { OmittedItem, RetrieveResult } from './retrieve-result.ts';
import type { SourceAccess } from './source-access.ts';

/** What the query found, best first. */
export type Found = { matches: readonly { path: string; part?: Part }[]; status: SemanticStatus; warnings: Warning[] };

/** What retrieval needs in addition to the request. */
export type Retrieval = {
  mountedDirectory: string;
  world: World;
  /** `warnings`: why the list could not be read. */
  supplementary: { items: readonly Pick<StoredSupplementaryItem, 'kind' | 'path'>[]; warnings: readonly Warning[] };
  clock: Clock;
  lookup: Lookup;
  parsedSources: ParsedSources;
  tokenCounts: TokenCounts;
  /** The files below a folder, in order. `truncated`: there are more. */
  expandFolder(path: string, exclude: FileExclusion): Promise<ExpandedFolder | Reason>;
  /** The files that configurations exclude from search results, for work in this directory. */
  loadExclusion(workingDirectory: string): Promise<FileExclusion>;
  /** `without`: paths that are sent anyway. `document`: the path of the active one. */
  search(
    query: string,
    place: { without: ReadonlySet<string>; document: string | undefined; exclude: FileExclusion },
  ): Promise<Found>;
  /** Whether the caller no longer waits. Then the answer may be incomplete. */
  isOver(): boolean;
};

/**
 * What was found and read for a prompt, in the order of the answer. `ranked`: the same items in the order in which they
 * get space. `about`: warnings about the files, by path.
 */
export type Collected = {
  fetched: readonly FetchedItem[];
  ranked: readonly FetchedItem[];
  omitted: OmittedItem[];
  about: ReadonlyMap<string, readonly Warning[]>;
  warnings: Warning[];
  found: Found | undefined;
  activeDocument: RetrieveResult['activeDocument'];
};

export async function retrieveContext(request: RetrieveRequest, run: Retrieval): Promise<RetrieveResult> {
  const { maxTokens, encoding = defaultEncoding } = request.budget ?? {};
  const { fetched, ranked, omitted, about, warnings, found, activeDocument } = await collectItems(request, run);
  const assembled = await assembleItems({ fetched, ranked }, { maxTokens, encoding }, run.tokenCounts);
  return {
    items: assembled.items,
    omitted: [...omitted, ...assembled.omitted],
    usage: { tokens: assembled.tokens, maxTokens },
    warnings: [
      ...warnings,
      ...(assembled.estimated ? [tokensEstimated] : []),
      ...assembled.items.flatMap(({ path }) => about.get(path) ?? []),
    ],
    ...(found && { semantic: found.status }),
    ...(activeDocument && { activeDocument }),
  };
}

/** Everything before the budget. `focus`: the cursor and selection in the active document. */
export async function collectItems(request: RetrieveRequest, run: Retrieval, focus?: Focus): Promise<Collected> {
  const { mountedDirectory, world } = run;
  const { automatic = {}, query = '' } = request;
  const { activePath, tabs } = await placeDocuments(request, world);
  const omitted: OmittedItem[] = [];
  const leaveOut: LeaveOut = (origin, path, reason) => void omitted.push({ origin, path, reason });

  // First the lists of files.
  const refused = activePath === undefined ? undefined : await refuseDocument(activePath, run);
  const visible = refused ? undefined : activePath;
  const exclude = await run.loadExclusion(visible === undefined ? mountedDirectory : parentPath(visible));
  const candidates: Candidate[] = await listSupplementary(run, { exclude, leaveOut });
  for (const path of tabs) candidates.push({ origin: 'open-tab', path });
  const known = new Set([...candidates.map(({ path }) => path), ...(activePath === undefined ? [] : [activePath])]);
  const isSearched = query.trim() !== '' && automatic.search !== false;
  const found = isSearched ? await run.search(query, { without: known, document: visible, exclude }) : undefined;
  // The time limit for parsing begins here, after the search.
  const access = openAccess(run, createReader(world));
  const mode = automatic.imports ?? 'definitions';
  const document = activePath === undefined ? undefined : { ...request.activeDocument, path: activePath };
  const imports = await importsOf(document, {
    isFollowed: mode !== 'off',
    refused,
    access,
    focus,
    leaveOut: (path, reason) => leaveOut('import', path, reason),
  });

  // Then policy and content of each file, as the gate decides.
  const delivery = createDelivery(run, { read: access.read, leaveOut, without: activePath });
  await delivery.fetchAll(candidates);
  const meant =
    mode === 'off'
      ? new Set<string>()
      : await fetchImports(run, { imports, delivery, access, mode, exclude, found, leaveOut });
  await delivery.fetchAll((found?.matches ?? []).map((match) => ({ origin: 'search', ...match })));

  await nextTurn();
  const fetched = run.isOver() ? [] : delivery.fetched;
  const limits = [...world.reach.policies.warnings(), ...warningsOfLimits(world)];
  return {
    omitted,
    found,
    fetched,
    ranked: await rankFetched(fetched, { query, meant, found: found?.matches.map(({ path }) => path) ?? [] }),
    about: delivery.about,
    warnings: [...run.supplementary.warnings, ...limits, ...imports.warnings, ...(found?.warnings ?? [])],
    activeDocument:
      activePath === undefined ? undefined : refused ? { allowed: false, reason: refused } : { allowed: true },
  };
}

/** Fetches what the document imports, and returns the paths that it means. */
async function fetchImports(
  run: Retrieval,
  parts: {
    imports: Awaited<ReturnType<typeof importsOf>>;
    delivery: ReturnType<typeof createDelivery>;
    access: SourceAccess;
    mode: 'files' | 'definitions';
    exclude: FileExclusion;
    found: Found | undefined;
    leaveOut: LeaveOut;
  },
): Promise<ReadonlySet<string>> {
  const { imports, delivery, access, mode, exclude, found, leaveOut } = parts;
  const { attention } = imports;
  const { policies } = run.world.reach;
  await nextTurn();
  const taken = await takeImportedFiles(imports.targets, {
    namesMeant: attention && ((target) => namesMeant(target, attention)),
    mode,
    access,
    modules: createModules(access, { elapsed: run.clock.elapsed, isOver: run.isOver }),
    found: new Map(found?.matches.map(({ path, part }) => [path, part])),
  });
  for (const { path, reason } of taken.leftOut)
    if (reason.code === 'limit_reached' || !delivery.seen.has(path)) leaveOut('import', path, reason);
  const wanted: Candidate[] = [];
  for (const file of taken.files) {
    const isSeen = delivery.seen.has(file.path);
    const reason = isSeen ? undefined : (exclude(file.path) ?? (await policies.decideSearch(file.path)));
    if (reason) leaveOut('import', file.path, reason);
    else wanted.push({ origin: 'import', ...file });
  }
  await delivery.fetchAll(wanted);
  return taken.meant;
}

/** Paths below the mounted directory's name. Throws `invalid_request` for an invalid path. */
async function placeDocuments({ activeDocument, openTabs = [] }: RetrieveRequest, world: World) {
  const { placing } = world;
  const activePath = activeDocument && (await placing(placePath(activeDocument.path, '/activeDocument/path', world)));
  const asWritten = openTabs.map((tab, at) => placePath(tab, `/openTabs/${at}`, world));
  const tabs: string[] = [];
  for (const tab of asWritten) tabs.push(await placing(tab));
  return { activePath, tabs };
}

const parallelParses = 2;

function openAccess(run: Retrieval, read: SourceAccess['read']): SourceAccess {
  const deadline = run.clock.elapsed() + fixedLimits.retrieval.parseMs;
  const inTurn = createTurns(parallelParses);
  return {
    lookup: run.lookup,
    read,
    // Checks the time when a text's turn comes, because earlier texts may have taken long.
    parse: (source, { language }) =>
      inTurn(() =>
        run.parsedSources.parse(source, language, () => {
          if (run.clock.elapsed() > deadline || run.isOver())
            throw new ParseFailure(
              'parse_timeout',
              `Parsing for one request takes longer than ${fixedLimits.retrieval.parseMs} ms.`,
            );
        }),
      ),
  };
}
