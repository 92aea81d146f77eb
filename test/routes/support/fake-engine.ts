/** An engine without files: cheap, predictable, and it counts what was asked of it. */
import type { ResolveRequest } from '../../../src/context/resolve-request.ts';
import type { ResolveResult } from '../../../src/context/resolve-result.ts';
import type { Engine } from '../../../src/engine.ts';
import { ContextdError } from '../../../src/errors.ts';
import { createEvent } from '../../../src/events/event.ts';
import { writeExport } from '../../../src/ports/store/export.ts';
import { createFakeAgents } from './fake-agents.ts';
import { createFakeIndex } from './fake-index.ts';
import { createFakePolicy } from './fake-policy.ts';
import { createFakeRetrieval } from './fake-retrieval.ts';
import { createFakeServers } from './fake-servers.ts';
import { createFakeSupplementary } from './fake-supplementary.ts';
import { createFakeTokens } from './fake-tokens.ts';

type GrantedRoot = Awaited<ReturnType<Engine['listRoots']>>[number];

type Observed = { calls: { verb: string; argument?: unknown }[]; failWith: Error | undefined };
/** The verbs that the routes use. */
type Verbs = Pick<
  Engine,
  | 'resolve'
  | 'explain'
  | 'formats'
  | 'putFormats'
  | 'convert'
  | 'validate'
  | 'agents'
  | 'sessions'
  | 'sessionsOf'
  | 'retrieve'
  | 'gatherContext'
  | 'supplementary'
  | 'index'
  | 'policy'
  | 'tokens'
  | 'heldBy'
  | 'agentTokenBytes'
  | 'mcp'
  | 'listRoots'
  | 'grantRoot'
  | 'revokeRoot'
  | 'subscribe'
  | 'resync'
  | 'endEvents'
  | 'watching'
  | 'exportState'
  | 'storeState'
  | 'together'
  | 'figures'
  | 'settingsWarnings'
  | 'dispose'
>;

export type FakeEngine = Engine & Observed;

/** `~/` stands for `/home/ada/`. `failWith` makes every verb throw. */
export function createFakeEngine(): FakeEngine {
  const stored = new Map<string, GrantedRoot>();
  const results = new Map<string, ResolveResult>();
  const inHome = (path: string) => path.replace(/^~(?=\/|$)/u, '/home/ada');
  const absolute = (path: string): string => {
    if (!inHome(path).startsWith('/')) throw new ContextdError('invalid_request', 'A path must be absolute.');
    return inHome(path);
  };

  function called(verb: string, argument?: unknown): void {
    engine.calls.push({ verb, ...(argument !== undefined && { argument }) });
    if (engine.failWith !== undefined) throw engine.failWith;
  }

  const engine: Verbs & Observed = {
    calls: [],
    failWith: undefined,
    settingsWarnings: async () => [
      { code: 'invalid_client_context_path', message: 'CLIENT_CONTEXT_PATH is not used.' },
    ],
    async resolve(request: ResolveRequest) {
      called('resolve', request);
      const mountedDirectory = absolute(request.mountedDirectory);
      let result = results.get(mountedDirectory);
      if (result === undefined) {
        result = Object.freeze(emptyResult(mountedDirectory));
        results.set(mountedDirectory, result);
      }
      return result;
    },
    async explain(request) {
      called('explain', request);
      const steps = [{ rule: 'granted_roots' as const, outcome: 'outside_roots' as const }];
      return {
        candidates: [{ path: '/etc/x.md', verdict: 'excluded', reason: { code: 'outside_roots' }, steps }],
        warnings: [],
      };
    },
    async formats(request) {
      called('formats', request);
      const mountedDirectory = absolute(request.mountedDirectory);
      const usage = { active: 0, tokens: 0, alwaysOnTokens: 0, suggestedBudget: 1_000 };
      return { mountedDirectory, formats: [], files: [], tools: [], usage, warnings: [] };
    },
    async putFormats({ mountedDirectory, formats }, expected) {
      called('putFormats', { mountedDirectory, formats, isNewAllowed: expected(undefined) });
      const configuration = `${mountedDirectory}/.context/context-config.json`;
      return { written: { configuration, formats, etag: '1-1' }, created: true };
    },
    async convert(request) {
      called('convert', request);
      const mountedDirectory = absolute(request.mountedDirectory);
      return { mountedDirectory, to: request.to, files: [], present: [], lost: [], left: [], warnings: [] };
    },
    async validate(request) {
      called('validate', request);
      const { path } = 'kind' in request ? request : { path: inHome(request.mountedDirectory) };
      const finding = {
        severity: 'warning' as const,
        code: 'empty_body' as const,
        message: 'There is no text for a model.',
      };
      return {
        valid: true,
        diagnostics: [{ ...finding, ...(path === undefined ? {} : { path, line: 1, column: 1 }) }],
      };
    },
    async listRoots() {
      called('listRoots');
      return [...stored.values()];
    },
    async grantRoot(path) {
      called('grantRoot', path);
      const root = { path: absolute(path), grantedAt: '2026-01-05T08:31:00.000Z', origin: 'stored' as const };
      const created = !stored.has(root.path);
      stored.set(root.path, root);
      return { root, created };
    },
    async revokeRoot(path) {
      called('revokeRoot', path);
      if (!stored.delete(inHome(path))) throw new ContextdError('not_found', 'This directory is not granted.');
    },
    supplementary: createFakeSupplementary(called),
    ...createFakeRetrieval(called),
    ...createFakeAgents((request) => engine.resolve(request), called),
    index: createFakeIndex(called),
    policy: createFakePolicy(called),
    mcp: createFakeServers(called),
    tokens: createFakeTokens(called),
    heldBy: async () => ({ sessions: 1, bytes: 4_096, streams: 0 }),
    agentTokenBytes: 256 * 1024 * 1024,
    // Its streams end where they begin.
    subscribe(subscriber) {
      called('subscribe', subscriber.since);
      queueMicrotask(() => subscriber.end());
      return { lastId: `${'0'.repeat(12)}-0`, close() {} };
    },
    resync: (reason) => createEvent('0'.repeat(12), 'resync', { reason }),
    endEvents() {},
    watching: () => ({ directories: 0 }),
    async *exportState(writtenBy) {
      called('exportState', writtenBy);
      yield* writeExport({ schema: 1, writtenBy, createdAt: '2026-01-05T08:31:00.000Z' }, []);
    },
    storeState: () => undefined,
    together: (work) => work(),
    figures: async () => ({
      filesRead: 0,
      directoriesListed: 0,
      filesParsed: 0,
      readsBlocked: 0,
      caches: {
        contents: { entries: 0, weight: 0 },
        listings: { entries: 0, weight: 0 },
        results: { entries: 0, weight: 0 },
      },
      events: { listeners: 0, published: 0, replayed: 0 },
      servers: { stopped: 0, starting: 0, ready: 0, failed: 0 },
      parser: { starts: 0, failures: 0 },
      store: { databaseBytes: 0, journalBytes: 0, waitingWrites: 0 },
    }),
    async dispose() {},
  };
  return engine as FakeEngine;
}

function emptyResult(mountedDirectory: string): ResolveResult {
  return {
    mountedDirectory,
    workingDirectories: [mountedDirectory],
    files: [],
    excluded: [],
    config: {
      clientContext: {
        includeFiles: ['*'],
        excludeFiles: ['context-config.json'],
        ignoreGlobalContext: false,
        ignoreAncestorContext: false,
      },
      mcpServers: {},
    },
    configSources: [],
    omitted: [],
    warnings: [],
    usage: { files: 0, bytes: 0, tokens: 0, omitted: [] },
    digest: '0'.repeat(64),
  };
}
