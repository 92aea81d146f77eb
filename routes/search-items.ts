/** `POST /v1/search`: which items are relevant (SS-05 … SS-07). */
import { ItemSearchResult, SearchRequest } from '../src/agent/item-search.ts';
import type { Engine } from '../src/engine.ts';
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';

export function searchItemRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/search',
    schema: {
      operationId: 'searchItems',
      tags: ['agents'],
      summary: 'Search for relevant items',
      description:
        'Searches the items of an agent, whatever their include mode, or the context files of a mounted directory. Missing options come from the agent: `search` for rules and references, `toolSearch` for tools. With `rejected`, the answer also lists items that were not selected, with the reason. Without a model, search compares only words, and `semantic` says so.',
      body: SearchRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The relevant items, the most relevant first.', ItemSearchResult) },
    },
    handler: (request) => engine.agents.search(request.body),
  });
}
