/**
 * The verbs that contextd's own MCP server needs. In the daemon they are those of the engine; `contextd mcp` asks the
 * daemon.
 */
import { grantedPaths } from '../access/granted-paths.ts';
import type { ItemSearchResult, SearchRequest } from '../agent/item-search.ts';
import type { ExplainRequest, ExplainResult } from '../context/explain-result.ts';
import type { ResolveRequest } from '../context/resolve-request.ts';
import type { ResolveResult } from '../context/resolve-result.ts';
import type { Engine } from '../engine.ts';
import type { EventData, EventType } from '../events/event.ts';
import type { PolicyCheckRequest, PolicyCheckResult } from '../policy/policy-requests.ts';
import type { ContextRequest } from '../prompt/context-request.ts';
import type { ContextResult } from '../prompt/context-result.ts';
import type { RetrieveRequest } from '../retrieval/retrieve-request.ts';
import type { RetrieveResult } from '../retrieval/retrieve-result.ts';

/** `context-changed`, `policy-changed` or `resync`, with its data. */
export type ChangeEvent = Readonly<{ type: EventType; data: EventData[EventType] }>;

/** Each verb throws `ContextdError`, as the route of the same name does. */
export type ContextVerbs = Readonly<{
  resolve(request: ResolveRequest): Promise<ResolveResult>;
  explain(request: ExplainRequest): Promise<ExplainResult>;
  /** Ends early when `signal` is aborted, if the engine is in this process. */
  retrieve(request: RetrieveRequest, signal?: AbortSignal): Promise<RetrieveResult>;
  /** All context of a prompt. Ends early as `retrieve` does. */
  gather(request: ContextRequest, signal?: AbortSignal): Promise<ContextResult>;
  search(request: SearchRequest & { mountedDirectory: string }): Promise<ItemSearchResult>;
  checkPolicy(request: PolicyCheckRequest): Promise<PolicyCheckResult>;
  /** An existing path with all links resolved. */
  realPath(absolutePath: string): Promise<string | undefined>;
  /** Absolute paths of the directories that the user granted. */
  grantedDirectories(): Promise<string[]>;
  /** Tokens of each text, in the encoding of answers that do not name one. */
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
  /** Calls `deliver` for each change of context, until the subscription is closed. Never throws. */
  subscribe(deliver: (event: ChangeEvent) => void): { close(): void };
}>;

/** Events that may change answers of the MCP server. */
export const changeTypes = ['context-changed', 'policy-changed'] as const satisfies readonly EventType[];

/** The verbs of an engine in this process. `onError` is told why changes cannot be followed. */
export function verbsOfEngine(engine: Engine, onError: (error: unknown) => void): ContextVerbs {
  return {
    resolve: engine.resolve,
    explain: engine.explain,
    retrieve: engine.retrieve,
    gather: (request, signal) => engine.gatherContext(request, signal && { signal }),
    search: (request) => engine.agents.search(request),
    checkPolicy: (request) => engine.policy.check(request),
    realPath: engine.realPath,
    async grantedDirectories() {
      return grantedPaths(await engine.listRoots());
    },
    countTokens: engine.countTokens,
    subscribe(deliver) {
      try {
        return engine.subscribe({ types: new Set(changeTypes), deliver, end() {} });
      } catch (error) {
        onError(error);
        return { close() {} };
      }
    },
  };
}
