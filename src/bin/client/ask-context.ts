/** The verbs of the MCP server on standard input and output, asked of the running daemon, which is the one engine. */

import { realpath } from 'node:fs/promises';
import { grantedPaths } from '../../access/granted-paths.ts';
import { createWorkerTokenCounter } from '../../adapters/workers/worker-token-counter.ts';
import { countTokens } from '../../budget/token-counts.ts';
import { type ContextVerbs, changeTypes } from '../../mcp-server/verbs.ts';
import { grantedRootsOf } from './granted-roots.ts';
import { type Connect, createSteadyDaemon } from './steady-daemon.ts';

/** `connect` is called again when the daemon that it gave is gone. */
export function askContext(connect: Connect): ContextVerbs {
  const tokenCounter = createWorkerTokenCounter();
  const { ask, follow } = createSteadyDaemon(connect);
  const post = <Result>(path: string, body: unknown) => ask<Result>({ method: 'POST', path, body });
  return {
    resolve: (request) => post('/v1/context/resolve', request),
    explain: (request) => post('/v1/context/explain', request),
    retrieve: (request) => post('/v1/retrieve', request),
    gather: (request) => post('/v1/context', request),
    search: (request) => post('/v1/search', request),
    checkPolicy: (request) => post('/v1/policy/check', request),
    countTokens: (texts) => countTokens(texts, tokenCounter),
    realPath: (path) => realpath(path).catch(() => undefined),
    async grantedDirectories() {
      return grantedPaths(await grantedRootsOf({ request: ask }));
    },
    subscribe: (deliver) => follow(changeTypes, deliver),
  };
}
