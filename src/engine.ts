/** The engine: verbs over the ports, without HTTP. Long, because each verb is described here. */
import { randomBytes } from 'node:crypto';
import { createEndingFiles, type EndingFiles } from './access/ending-files.ts';
import { createLookRounds } from './access/looks.ts';
import type { GrantedRoot, RootVerbs } from './access/roots.ts';
import type { AgentVerbs } from './agent/agent-verbs.ts';
import { countTokens, createTokenCounts } from './budget/token-counts.ts';
import { createComposer, showBodies } from './context/compose.ts';
import type { ConvertRequest, ConvertResult } from './context/convert/convert-request.ts';
import type { ExplainRequest, ExplainResult } from './context/explain-result.ts';
import { unknownFormats } from './context/formats/choose-formats.ts';
import type { FormatsRequest, FormatsResult } from './context/formats-request.ts';
import { checkMountedDirectory } from './context/mounted-directory.ts';
import { absolutePath } from './context/normalize-request.ts';
import { createParsedFiles } from './context/parsed-file.ts';
import type { ResolveRequest } from './context/resolve-request.ts';
import type { ResolveResult } from './context/resolve-result.ts';
import type { PutFormats } from './context/write-formats.ts';
import type { EngineCore } from './engine-core.ts';
import { type GroupPorts, openGroups } from './engine-groups.ts';
import { ContextdError } from './errors.ts';
import type { ResyncReason, StreamedEvent } from './events/event.ts';
import { createEventLog, type Subscriber, type Subscription } from './events/event-log.ts';
import { createRemember } from './events/remember.ts';
import { followStore, untilStored } from './events/remote-changes.ts';
import { createWatching, type WatchingStatus } from './events/watching.ts';
import { unknownIgnoreFiles } from './ignore/ignore-kinds.ts';
import type { McpVerbs } from './mcp/mcp-verbs.ts';
import type { RunState } from './mcp/server-runs.ts';
import type { CacheSize } from './pace/bounded-cache.ts';
import { deferVerbs } from './pace/deferred-verbs.ts';
import type { PolicyVerbs } from './policy/policy-verbs.ts';
import { createWorlds } from './policy/worlds.ts';
import type { Caller } from './ports/caller.ts';
import type { Clock, Files, Leases, Logger, SourceParser, TokenCounter, Watcher } from './ports/ports.ts';
import type { SharedState, StateExport, Store, StoreFigures } from './ports/store/store.ts';
import type { GatherContext } from './prompt/context-verb.ts';
import type { Retrieve } from './retrieval/retrieval-verbs.ts';
import type { IndexVerbs } from './search/index-verbs.ts';
import type { OwnSessions } from './session/agent-group.ts';
import type { RequestVerbs } from './session/request-verbs.ts';
import type { SessionVerbs } from './session/session-verbs.ts';
import type { EngineSettings } from './settings.ts';
import type { SupplementaryVerbs } from './supplementary/supplementary-verbs.ts';
import { createKeyedHash } from './texts/mask.ts';
import { type AccessTokens, createAccessTokens } from './tokens/access-tokens.ts';
import { createValidate, type Validate } from './validation/validate-verb.ts';
import type { Warning } from './warnings.ts';

/**
 * Without `leases`, each request looks at the disk again. Without a `watcher`, changes are not reported. Without a
 * `fileWriter`, no policy or configuration is written. Without `mcp`, no MCP server is started. Without a `secretKey`
 * that is the same in each run, servers must be approved in each run. Without a `toolSource`, tools come from MCP
 * servers. Without a `sourceParser` there are no imports. Without a `workingTree` there are no `changes`.
 */
export type Ports = GroupPorts & {
  files: Files;
  leases?: Leases;
  store: Store;
  clock: Clock;
  logger: Logger;
  tokenCounter: TokenCounter;
  watcher?: Watcher;
  secretKey?: Uint8Array;
  sourceParser?: SourceParser;
};

/**
 * How often the disk was read and files were parsed since the start; unchanged files are neither read nor parsed again.
 */
export type EngineStatistics = { filesRead: number; directoriesListed: number; filesParsed: number };

/**
 * What the daemon does, in numbers: since its start, or at the moment. `servers` are those that were started in this
 * run. `weight` of contents and results is about their size in bytes.
 */
type EngineFigures = EngineStatistics & {
  readsBlocked: number;
  caches: { contents: CacheSize; listings: CacheSize; results: CacheSize };
  events: { listeners: number; published: number; replayed: number };
  servers: Record<RunState, number>;
  parser: { starts: number; failures: number };
  store: StoreFigures;
};

export type Engine = Readonly<{
  /** Which context applies. Returns the same frozen object while nothing changes. Throws `ContextdError`. */
  resolve(request: ResolveRequest): Promise<ResolveResult>;
  /** The verdict on every candidate, or on one path, and the steps that led to it. Throws like `resolve`. */
  explain(request: ExplainRequest): Promise<ExplainResult>;
  /** Which rule files of other tools are here, and what each tool sees. Throws like `resolve`. */
  formats(request: FormatsRequest): Promise<FormatsResult>;
  putFormats: PutFormats;
  /** The rules of a project in another format: what would be written and what would be lost. Throws like `resolve`. */
  convert(request: ConvertRequest): Promise<ConvertResult>;
  /**
   * What is wrong with a text, or with the files of a tree, and how to mend it (AP-08). For a tree throws like
   * `resolve`.
   */
  validate: Validate;
  /** What a prompt needs of the workspace: files, tabs, imports, what a query finds (RT-01). Throws `ContextdError`. */
  retrieve: Retrieve;
  /** The rules and references that apply, and what `retrieve` finds, under one budget. Throws `ContextdError`. */
  gatherContext: GatherContext;
  supplementary: SupplementaryVerbs;
  agents: AgentVerbs;
  index: IndexVerbs;
  /** All sessions, as the user sees them. */
  sessions: SessionVerbs & RequestVerbs;
  /** The sessions that a caller can see. All others are unknown to it. */
  sessionsOf(caller: Caller): OwnSessions;
  /** Max use of one token by its sessions. */
  readonly agentTokenBytes: number;
  /** What an AI system may see (AP-01 … AP-09). */
  policy: PolicyVerbs;
  tokens: AccessTokens;
  /** What a token uses: sessions with their stored bytes, and listeners. */
  heldBy(tokenId: string): Promise<{ sessions: number; bytes: number; streams: number }>;
  mcp: McpVerbs;
  /** Tokens of each text in `o200k_base`. If counting fails, an estimate by bytes. */
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
  /** The real path of an existing path, which is absolute and normalised. Opens nothing. */
  realPath(path: string): Promise<string | undefined>;
  listRoots(): Promise<GrantedRoot[]>;
  locateRoots: RootVerbs['locate'];
  /** Each call ends, also on a disk that does not answer. */
  files: EndingFiles;
  /**
   * Grants a directory permanently. Throws `invalid_request` or `not_found`. `created` is false if it was granted
   * before, under any name.
   */
  grantRoot(path: string): Promise<{ root: GrantedRoot; created: boolean }>;
  /**
   * Revokes a stored grant, by any name of the directory. Throws `not_found`, and `conflict` for a root that was
   * granted at start.
   */
  revokeRoot(path: string): Promise<void>;
  /** Delivers missed events, then new ones (SY-03). Throws `unavailable` if too many listen. */
  subscribe(subscriber: Subscriber): Subscription;
  /** The event for a listener that has missed events, with the reason. */
  resync(reason: ResyncReason): StreamedEvent;
  /** Ends all listeners, and refuses new ones. */
  endEvents(): void;
  /**
   * Everything that is stored, except vectors, as the text of one file, in pieces. `writtenBy` says which version wrote
   * it.
   */
  exportState(writtenBy: string): ReturnType<StateExport>;
  watching(): WatchingStatus;
  statistics(): EngineStatistics;
  /** Never throws, and loads nothing. */
  figures(): Promise<EngineFigures>;
  /** State of a store that is shared with other daemons. Never waits. */
  storeState(): SharedState | undefined;
  /** All questions of `work` to a shared store together wait no longer than one question may (FT-07). */
  together<Result>(work: () => Result | Promise<Result>): Result | Promise<Result>;
  /** Warnings about the daemon's own settings and storage. */
  settingsWarnings(): Promise<Warning[]>;
  /** Ends the running MCP servers, and waits until all of their processes are gone. */
  stopServers(): Promise<void>;
  dispose(): Promise<void>;
}>;

export type EngineOptions = {
  ports: Ports;
  settings: EngineSettings;
  /** Absolute paths granted by flags for the life of the process. */
  grantedRoots: readonly string[];
  settingsWarnings?: readonly Warning[];
  /** Absolute paths that are never read: the daemon keeps its own data there (S-08). */
  deniedDirectories?: readonly string[];
};

export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { ports, settings } = options;
  const { store, clock, tokenCounter } = ports;
  const parts = openParts(options);
  const { files, gate, events, watching, composer, parsedFiles, groups, core } = parts;
  const statistics = (): EngineStatistics => ({ ...gate.statistics(), filesParsed: parsedFiles.parsed });
  const tokens = await createAccessTokens({ store: store.tokens, waiting: store.waiting, clock });
  const following = followStore(store, {
    publish: events.publish,
    namesOf: groups.namesOfList,
    logger: ports.logger,
    takeOver: { tokens: tokens.refresh, approvals: async () => (await groups.mcp.loaded())?.takeApprovals() },
  });
  // What changed after they were read and before it was heard.
  if (store.follow !== undefined) await tokens.refresh();

  return Object.freeze({
    async resolve(request: ResolveRequest) {
      const composition = await composer.compose(request);
      return request.content === false ? composition.result : showBodies(composition);
    },
    explain: composer.explain,
    formats: async (request) =>
      (await import('./context/formats-here.ts')).describeFormats(request, { ...composer, ...core }),
    putFormats: async (request, expected) => (await groups.putFormats())(request, expected),
    convert: async (request) => (await import('./context/convert/convert.ts')).convertRules(request, core),
    validate: createValidate(core),
    retrieve: async (request, signal) => (await groups.retrieval()).retrieve(request, signal),
    gatherContext: async (...asked) => (await groups.gatherContext())(...asked),
    supplementary: deferVerbs(groups.supplementary),
    agents: deferVerbs(async () => (await groups.agents()).agents),
    sessions: deferVerbs(async () => (await groups.agents()).sessions),
    agentTokenBytes: settings.agentTokenBytes,
    sessionsOf: (caller) => deferVerbs(async () => (await groups.agents()).sessionsOf(caller)),
    index: deferVerbs(async () => (await groups.index()).verbs),
    mcp: deferVerbs(async () => untilStored((await groups.mcp()).verbs, () => following.takeOver('approvals'))),
    policy: deferVerbs(groups.policy),
    tokens: untilStored(tokens, () => following.takeOver('tokens')),
    countTokens: (texts) => countTokens(texts, tokenCounter),
    async realPath(path: string) {
      const real = await files.realPath(path);
      return real.ok ? real.realPath : undefined;
    },
    heldBy: async (tokenId) => ({ ...(await store.sessions.owned(tokenId)), streams: events.listenersOf(tokenId) }),
    files,
    ...rootVerbs(parts, ports),
    subscribe: events.subscribe,
    resync: events.resync,
    endEvents: events.close,
    exportState: (writtenBy) => store.export({ writtenBy, createdAt: new Date(clock.now()).toISOString() }),
    watching: watching.status,
    statistics,
    figures: async () => ({ ...statistics(), ...(await figuresOf(parts, ports)) }),
    storeState: () => store.state?.(),
    together: store.together ?? ((work) => work()),
    settingsWarnings: async () => [
      ...(options.settingsWarnings ?? []),
      ...warningsOfNames(settings),
      ...(await store.warnings()),
    ],
    stopServers: async () => (await groups.mcp.loaded())?.dispose(),
    async dispose() {
      following.end();
      events.close();
      ports.leases?.close();
      tokenCounter.dispose();
      ports.embedder?.dispose();
      ports.sourceParser?.dispose();
      await store.close();
    },
  });
}

type EngineParts = ReturnType<typeof openParts>;

async function figuresOf({ gate, composer, events, groups }: EngineParts, { store, sourceParser }: Ports) {
  const { readsBlocked, contents, listings } = gate.figures();
  const servers: Record<RunState, number> = { stopped: 0, starting: 0, ready: 0, failed: 0 };
  for (const state of (await groups.mcp.loaded())?.states() ?? []) servers[state] += 1;
  return {
    readsBlocked,
    caches: { contents, listings, results: composer.size() },
    events: { listeners: events.listeners, ...events.figures() },
    servers,
    parser: sourceParser?.figures() ?? { starts: 0, failures: 0 },
    store: await store.figures(),
  };
}

function rootVerbs({ roots, watching, groups }: EngineParts, { embedder, logger }: Ports) {
  /** Prepares what the first search by meaning would wait for. Downloads nothing. */
  const index = async (mountedDirectory: string): Promise<void> => {
    if (!embedder?.isPresent()) return;
    try {
      await (await groups.index()).verbs.warm({ mountedDirectory }, { download: false });
    } catch (error) {
      logger.info({ err: error, mountedDirectory }, 'a granted directory is indexed when it is first searched');
    }
  };
  return {
    listRoots: () => roots.list(),
    locateRoots: roots.locate,
    async grantRoot(path: string) {
      const granted = await roots.grant(path);
      if (granted.created) {
        watching.restart();
        void index(granted.root.path);
      }
      return granted;
    },
    async revokeRoot(path: string) {
      try {
        await roots.revoke(path);
      } catch (error) {
        // Other refusals can revoke a part.
        if (!(error instanceof ContextdError && error.code === 'not_found')) watching.restart();
        throw error;
      }
      watching.restart();
    },
  };
}

/** What the verbs are made of. */
function openParts({ ports, settings, grantedRoots, deniedDirectories = [] }: EngineOptions) {
  const { store, clock, logger, tokenCounter } = ports;
  const files = createEndingFiles(ports.files);
  const homeDirectory = files.homeDirectory();
  const worlds = createWorlds({ files, clock, settings, rootStore: store.roots, grantedRoots, deniedDirectories });
  const { gate, roots, policies, createWorld } = worlds;
  const { frontMatterBytes, depth } = settings.limits;
  const parsedFiles = createParsedFiles(frontMatterBytes);
  const tokenCounts = createTokenCounts(tokenCounter);
  const locateRoots = roots.locate;
  const events = createEventLog({
    instance: randomBytes(6).toString('hex'),
    onListeners: (count) => (count > 0 ? watching.start() : watching.stop()),
  });
  const watching = createWatching({
    watcher: ports.watcher,
    files,
    clock,
    logger,
    depth,
    locateRoots,
    publish: (type, data) => events.publish(type, data),
    resync: (reason) => events.publish('resync', { reason }),
  });
  const remember = createRemember(watching, { homeDirectory, settings });
  const composer = createComposer({
    clock,
    settings,
    homeDirectory,
    parsedFiles,
    tokenCounts,
    createWorld,
    locateRoots,
    realPath: gate.realPath,
    lookRounds: createLookRounds(files, ports.leases),
    rankRelevant: (...asked) => groups.rankRelevant(...asked),
    remember: remember.resolved,
  });
  const core: EngineCore = Object.freeze({
    files,
    store,
    clock,
    tokenCounter,
    logger,
    homeDirectory,
    settings,
    tokenCounts,
    keyed: createKeyedHash(ports.secretKey ?? randomBytes(32)),
    sourceParser: ports.sourceParser,
    createWorld,
    async openWorkspace(asWritten, options) {
      const mountedDirectory = absolutePath(asWritten, '/mountedDirectory', homeDirectory);
      const world = await createWorld(mountedDirectory, options);
      await checkMountedDirectory(mountedDirectory, world);
      return { mountedDirectory, world };
    },
    compose: composer.compose,
    publish: events.publish,
  });
  const groups = openGroups(core, { ports, policies, remember });
  return { files, gate, roots, events, watching, composer, parsedFiles, groups, core };
}

/** Warnings about names in the settings that nothing has. */
function warningsOfNames({ formats, ignoreFiles }: EngineSettings): Warning[] {
  return [
    ...unknownFormats(formats).map((name) => ({
      code: 'invalid_formats' as const,
      message: `CONTEXTD_FORMATS names "${name}", which is not a format; it is ignored.`,
    })),
    ...unknownIgnoreFiles(ignoreFiles).map((name) => ({
      code: 'invalid_ignore_files' as const,
      message: `CONTEXTD_IGNORE_FILES names "${name}", which is not an ignore file; all ignore files are honoured.`,
    })),
  ];
}
