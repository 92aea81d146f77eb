/** `POST /v1/retrieve` (RT-01 … RT-06). */
import type { Engine } from '../src/engine.ts';
import { RetrieveRequest } from '../src/retrieval/retrieve-request.ts';
import { RetrieveResult } from '../src/retrieval/retrieve-result.ts';
import { signalOfClient } from './http/client-gone.ts';
import { answer, directoryRefusals, sendLongJson, type ZodApp } from './http/operation.ts';

export function retrievalRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/retrieve',
    schema: {
      operationId: 'retrieveContext',
      tags: ['retrieval'],
      summary: 'Retrieve the context of a prompt',
      description:
        'Gathers the files the user added, the open tabs, what the active document imports, and what the query finds. Asks the AI context policies, reads what they allow, and fits it into a budget. Items that cannot be delivered are left out and listed; they are never an error. The answer can be empty. Each path is listed once, with its first reason. With a budget, files the user added and open tabs come first. Imports and files from search share the rest. Items are taken whole or not at all.',
      body: RetrieveRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The context, and what was left out of it.', RetrieveResult) },
    },
    handler: async (request, reply) => sendLongJson(reply, await engine.retrieve(request.body, signalOfClient(reply))),
  });
}
