/** `POST /v1/context/resolve`, `explain` (CC-01 … CC-36) and `convert` (FM-15). */

import { ConvertRequest, ConvertResult } from '../src/context/convert/convert-request.ts';
import { ExplainRequest, ExplainResult } from '../src/context/explain-result.ts';
import { ResolveRequest } from '../src/context/resolve-request.ts';
import { ResolveResult } from '../src/context/resolve-result.ts';
import type { Engine } from '../src/engine.ts';
import { ContextRequest } from '../src/prompt/context-request.ts';
import { ContextResult } from '../src/prompt/context-result.ts';
import { resultForAgents } from './agent-view.ts';
import { signalOfClient } from './http/client-gone.ts';
import { answer, directoryRefusals, emptyAnswer, sendLongJson, type ZodApp } from './http/operation.ts';
import { expectedVersion, seenHeaders } from './http/precondition.ts';
import { callerOfRequest } from './http/server.ts';
import { keptBytes } from './resolve-bytes.ts';

export function contextRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/context',
    schema: {
      operationId: 'gatherContext',
      tags: ['context'],
      summary: 'Get all context of a prompt',
      description:
        'Returns the rules that apply, files the user added, open documents, what the active document imports, and what the query finds. All items pass the same gate and share one budget. They are in the order in which to send them. Items that change least come first, so that the prompt cache of a model stays valid. An item that does not fit is first cut between sections of a rule or definitions of a file. If that is not enough, it is left out. Texts of `documents` replace what is on disk, also for rule files, configurations and policies. Items that cannot be delivered are left out and listed; they are never an error.',
      body: ContextRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The context, and what was left out of it.', ContextResult) },
    },
    handler: async (request, reply) => {
      const asked = { caller: callerOfRequest(request), signal: signalOfClient(reply) };
      return sendLongJson(reply, await engine.gatherContext(request.body, asked));
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/context/resolve',
    config: { repeatsBodies: true },
    schema: {
      operationId: 'resolveContext',
      tags: ['context'],
      summary: 'Resolve which context applies',
      description:
        'Finds the context files that apply to a piece of work, merges the configurations that apply, and says for every file why it is active, available or excluded. The answer always shows the files as they are now. A mistake in a user’s file is a warning inside the answer, never an error. The header `ETag` is the version of the answer. A client that sends it back as `If-None-Match` gets 304 without a body while the answer is the same.',
      headers: seenHeaders,
      body: ResolveRequest,
      refusals: directoryRefusals,
      isVersioned: true,
      response: {
        200: answer('The context that applies, and why.', ResolveResult),
        304: emptyAnswer('The caller has this answer already.'),
      },
    },
    handler: async (request, reply) => {
      const result = await engine.resolve(request.body);
      const isForAgent = callerOfRequest(request).scope === 'agent';
      const made = (isForAgent ? bytesForAgent : bytesForUser)(result);
      const { bytes, etag } = made instanceof Promise ? await made : made;
      reply.header('etag', `"${etag}"`);
      const seen = request.headers['if-none-match'];
      const isNew = seen === undefined || expectedVersion({ 'if-none-match': seen })(etag);
      // With null, the answer would have a content type, although it has no body.
      if (!isNew) return reply.code(304).send(undefined as unknown as null);
      // The schema asks for the object. These bytes are the same object, already serialised.
      reply.type('application/json; charset=utf-8').send(bytes as unknown as ResolveResult);
      // The answer is sent. The framework would wait for a returned `reply` as for a promise.
      return undefined as unknown as null;
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/context/explain',
    schema: {
      operationId: 'explainContext',
      tags: ['context'],
      summary: 'Explain why context applies or not',
      description:
        'Returns, for every candidate file or for one path, the verdict that `resolve` gives for the same request, and the ordered steps that led to it. Each step names the pattern, file and line, flag, limit or trigger that decided. The path need not exist and may be anywhere.',
      body: ExplainRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The verdicts and the steps that led to them.', ExplainResult) },
    },
    handler: async (request, reply) => sendLongJson(reply, await engine.explain(request.body)),
  });

  app.route({
    method: 'POST',
    url: '/v1/context/convert',
    schema: {
      operationId: 'convertContext',
      tags: ['context'],
      summary: 'Convert rules to another format',
      description:
        'Plans the files that express the rules of a project in the format of another tool, or in `.context/`. Names by file and key what that format cannot express. Writes nothing.',
      body: ConvertRequest,
      refusals: directoryRefusals,
      response: { 200: answer('Files to write, and what would be lost.', ConvertResult) },
    },
    handler: (request) => engine.convert(request.body),
  });
}

const bytesForUser = keptBytes((result) => result);
const bytesForAgent = keptBytes(resultForAgents);
