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
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';
import { callerOfRequest } from './http/server.ts';

export function contextRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/context',
    schema: {
      operationId: 'gatherContext',
      tags: ['context'],
      summary: 'All context of a prompt',
      description:
        'Rules that apply, files the user added, what is open, what the active document imports, what the query finds: under one gate and one budget, in the order in which they should be sent. What changes least stands first, so that a model’s prompt cache holds. What does not fit is cut at its own joints, sections of a rule or definitions of a file, before it is left out. Texts of `documents` count in place of what is on disk, also those of rule files, configurations and policies. What cannot be had is left out and listed, never an error.',
      body: ContextRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The context, and what was left out of it.', ContextResult) },
    },
    handler: (request, reply) =>
      engine.gatherContext(request.body, { caller: callerOfRequest(request), signal: signalOfClient(reply) }),
  });

  app.route({
    method: 'POST',
    url: '/v1/context/resolve',
    schema: {
      operationId: 'resolveContext',
      tags: ['context'],
      summary: 'Which context applies',
      description:
        'Finds the context files that apply to a piece of work, merges the configurations on the way, and says for every file why it is active, available or excluded. The answer always shows the files as they are now. A mistake in a user’s file is a warning inside the answer, never an error.',
      body: ResolveRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The context that applies, and why.', ResolveResult) },
    },
    handler: async (request, reply) => {
      const result = await engine.resolve(request.body);
      const isForAgent = callerOfRequest(request).scope === 'agent';
      // Bytes instead of the object that the schema of the answer asks for: they are the object, already serialised.
      return reply
        .type('application/json; charset=utf-8')
        .send(bytesOf(result, isForAgent) as unknown as ResolveResult);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/context/explain',
    schema: {
      operationId: 'explainContext',
      tags: ['context'],
      summary: 'Why, or why not',
      description:
        'For every candidate file, or for one path, which may not exist or lie anywhere: the verdict of the same request to `resolve`, and the ordered steps that led to it, with the pattern, file and line, flag, limit or trigger that decided.',
      body: ExplainRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The verdicts and the steps that led to them.', ExplainResult) },
    },
    handler: (request) => engine.explain(request.body),
  });

  app.route({
    method: 'POST',
    url: '/v1/context/convert',
    schema: {
      operationId: 'convertContext',
      tags: ['context'],
      summary: 'The rules in another format',
      description:
        'Plans the files that would say the rules of a project in the format of another tool, or in `.context/`, and names by file and key what that format cannot say. Nothing is written.',
      body: ConvertRequest,
      refusals: directoryRefusals,
      response: { 200: answer('Files to write, and what would be lost.', ConvertResult) },
    },
    handler: (request) => engine.convert(request.body),
  });
}

/** The engine returns the same frozen object until something changes; its bytes live as long as it does. */
const bytesOfResults = { user: new WeakMap<ResolveResult, Buffer>(), agent: new WeakMap<ResolveResult, Buffer>() };

function bytesOf(result: ResolveResult, isForAgent: boolean): Buffer {
  const known = bytesOfResults[isForAgent ? 'agent' : 'user'];
  let bytes = known.get(result);
  if (bytes === undefined) {
    const text = JSON.stringify(isForAgent ? resultForAgents(result) : result);
    // Not from the pool, of which a small part would hold all for as long as the result is remembered.
    bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    bytes.write(text);
    known.set(result, bytes);
  }
  return bytes;
}
