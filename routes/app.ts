/**
 * The HTTP service: routes over an engine, behind the guard. The caller decides where it listens and when it stops.
 * Requests injected in process (`app.inject`) go straight to the routes, because the guard and the security headers
 * belong to the server.
 */

import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { documentOptions } from '../openapi/document.ts';
import type { Engine } from '../src/engine.ts';
import { fixedLimits, type HttpLimits, type OverloadLimits } from '../src/settings.ts';
import { agentRoutes } from './agents.ts';
import { type ConsoleOptions, consoleRoutes } from './console.ts';
import { contextRoutes } from './context.ts';
import { documentationRoutes } from './documentation.ts';
import { eventRoutes } from './events.ts';
import { formatRoutes } from './formats.ts';
import { type AnswerHook, hookRoutes } from './hooks.ts';
import { answerUnrouted, createErrorHandler } from './http/answer-error.ts';
import { createConnections } from './http/connections.ts';
import { createEventLoopWatch } from './http/event-loop.ts';
import { acceptJsonOnly } from './http/json-body.ts';
import { observeRequests } from './http/observe-requests.ts';
import { refuseUnknownQuery, validatorCompiler, type ZodApp } from './http/operation.ts';
import { shedLoad } from './http/overload.ts';
import { createRequestLog } from './http/request-log.ts';
import { createRequestMetrics } from './http/request-metrics.ts';
import { checkScope } from './http/scopes.ts';
import { requestIdOf } from './http/secured-response.ts';
import { answerClientError, createGuardedServer } from './http/server.ts';
import { mcpServerRoutes } from './mcp-servers.ts';
import { metricsRoutes } from './metrics.ts';
import { mcpRoutes } from './own-mcp-server.ts';
import { policyRoutes } from './policy.ts';
import { requestRoutes } from './requests.ts';
import { retrievalRoutes } from './retrieval.ts';
import { rootRoutes } from './roots.ts';
import { searchIndexRoutes } from './search-index.ts';
import { searchItemRoutes } from './search-items.ts';
import { sessionRoutes } from './sessions.ts';
import { stateRoutes } from './state.ts';
import { type ProcessFacts, type StatusSources, statusRoutes } from './status.ts';
import { supplementaryRoutes } from './supplementary.ts';
import { type SystemOptions, systemRoutes } from './system.ts';
import { tokenRoutes } from './tokens.ts';
import { validationRoutes } from './validation.ts';

export type AppOptions = SystemOptions &
  ProcessFacts & {
    engine: Engine;
    answerHook: AnswerHook;
    logger: FastifyBaseLogger | false;
    console: ConsoleOptions;
    /** Exact `Host` values that are accepted in addition to those of loopback. */
    allowedHosts?: readonly string[];
    /** Whether requests on the Unix socket need no token. */
    isOwnerTrusted?: boolean;
    /** Other limits than the documented ones, for tests. */
    limits?: Partial<HttpLimits & OverloadLimits>;
    /** A request that takes longer is written as a warning. */
    slowRequestMs?: number | undefined;
  };

/** The app is ready, but does not listen yet. The caller calls `app.listen({ host, port })` and `app.close()`. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const limits = { ...fixedLimits.http, ...fixedLimits.overload, ...options.limits };
  const metrics = createRequestMetrics();
  const eventLoop = createEventLoopWatch(limits);
  const requestLog = createRequestLog(options.logger, {
    count: metrics.count,
    slowMs: options.slowRequestMs,
  });
  const answerError = createErrorHandler(requestLog, limits.bodyBytes);
  const connections = createConnections(limits.connections);
  let isClosing = false;

  // The framework gets no logger: with one, it would listen to the end of each answer. Its errors reach `answerError`.
  const app = fastify({
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytes,
    // Names of tools are longer than the default of 100, and percent-encoded.
    routerOptions: { maxParamLength: 1_024 },
    trustProxy: false,
    return503OnClosing: true,
    serverFactory: (handler) =>
      createGuardedServer(handler, {
        token: options.token,
        idOfAgentToken: (digest) => options.engine.tokens.idOf(digest),
        idOfConsole: options.console.sessions.idOf,
        isOwnerTrusted: options.isOwnerTrusted ?? false,
        allowedHosts: options.allowedHosts ?? [],
        consoleName: options.console.name,
        limits,
        connections,
        requestLog,
        isClosing: () => isClosing,
      }),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, requestLog),
    frameworkErrors(error, request, reply) {
      observe(request as FastifyRequest, reply as FastifyReply);
      answerError(error, request as FastifyRequest, reply as FastifyReply);
    },
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerUnrouted(app, request, reply));
  const observe = observeRequests(app, { metrics, eventLoop, requestLog });
  app.addHook('onRequest', checkScope);
  shedLoad(app, { metrics, eventLoop, limits });
  app.addHook('preClose', (done) => {
    isClosing = true;
    eventLoop.stop();
    done();
  });
  acceptJsonOnly(app, limits.jsonDepth);

  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      return options.engine.together(() => handler.call(this, request, reply));
    };
  });
  app.addHook('onRoute', refuseUnknownQuery);
  await app.register(swagger, documentOptions(options.version));
  registerRoutes(app, options, { metrics, eventLoop, connections });
  await app.ready();
  return app;
}

type Parts = Pick<StatusSources, 'metrics' | 'eventLoop' | 'connections'>;

function registerRoutes(app: ZodApp, options: AppOptions, parts: Parts): void {
  const { engine, logger } = options;
  const { connections, metrics } = parts;
  const sources = { ...options, ...parts };
  /** Ends all connections and MCP sessions of a token or a console that was ended. */
  const endAll = (id: string, spared?: Socket): void => {
    connections.end(id, spared);
    mcp.endSessions(id);
  };
  systemRoutes(app, options);
  statusRoutes(app, sources);
  metricsRoutes(app, sources);
  contextRoutes(app, engine);
  formatRoutes(app, engine);
  rootRoutes(app, engine);
  tokenRoutes(app, engine, { connections });
  engine.tokens.onRevoked((id) => endAll(id));
  stateRoutes(app, options);
  validationRoutes(app, engine);
  hookRoutes(app, options.answerHook);
  policyRoutes(app, engine);
  agentRoutes(app, engine);
  sessionRoutes(app, engine);
  requestRoutes(app, engine);
  searchItemRoutes(app, engine);
  searchIndexRoutes(app, engine);
  retrievalRoutes(app, engine);
  supplementaryRoutes(app, engine);
  mcpServerRoutes(app, engine);
  eventRoutes(app, engine, metrics);
  const mcp = mcpRoutes(app, engine, {
    version: options.version,
    onError(error) {
      if (logger !== false) logger.warn({ err: error }, 'an MCP client could not be served');
    },
  });
  documentationRoutes(app);
  consoleRoutes(app, { ...options.console, allowedHosts: options.allowedHosts ?? [], onEnded: endAll });
}
