/** `POST /v1/retrieve` (RT-01 … RT-06). */
import type { Engine } from '../src/engine.ts';
import { RetrieveRequest } from '../src/retrieval/retrieve-request.ts';
import { RetrieveResult } from '../src/retrieval/retrieve-result.ts';
import { signalOfClient } from './http/client-gone.ts';
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';

export function retrievalRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/retrieve',
    schema: {
      operationId: 'retrieveContext',
      tags: ['retrieval'],
      summary: 'The context that goes with a prompt',
      description:
        'Gathers the files the user added, the open tabs, what the active document imports, and what the query finds; asks the AI context policies; reads what they allow; and fits it into a budget. What cannot be had is left out and listed, never an error: with nothing to be had the answer is empty. Each path is there once, by the first reason it has. With a budget, items are taken in their order, whole or not at all: searched ones are the first to go, the user’s own the last.',
      body: RetrieveRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The context, and what was left out of it.', RetrieveResult) },
    },
    handler: (request, reply) => engine.retrieve(request.body, signalOfClient(reply)),
  });
}
