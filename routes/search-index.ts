/** `POST /v1/search/warm` and `GET /v1/search/status`: the model and its vectors (SS-03, SS-04). */
import { z } from 'zod';
import { AgentId } from '../src/agent/agent.ts';
import { RequestPath } from '../src/context/resolve-request.ts';
import type { Engine } from '../src/engine.ts';
import { SearchStatus } from '../src/search/index-verbs.ts';
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';

const WarmRequest = z
  .strictObject({
    agentId: AgentId.optional().describe('The agent whose items are indexed.'),
    mountedDirectory: RequestPath.optional().describe(
      'The directory whose context files are indexed: absolute, or starting with `~/`.',
    ),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'The expected model, as in `GET /v1/search/status`. If the daemon uses another model, the answer is `conflict`.',
      ),
  })
  .meta({ id: 'WarmRequest', description: 'What to index. Without agent and directory, only the model is prepared.' });

export const WarmJob = z
  .object({ jobId: z.string().describe('Id of the job in `index-progress` events.') })
  .meta({ id: 'WarmJob', description: 'A running job.' });

export function searchIndexRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/search/warm',
    schema: {
      operationId: 'warmSearch',
      tags: ['search'],
      summary: 'Prepare search by meaning',
      description:
        'Begins a job. The job downloads the embedding model if it is missing (unless the daemon runs with `--offline` or `--model-dir`), loads it, and embeds what is not indexed yet. No other operation downloads anything. If the user named an embedding server, this job and all searches send texts to that server. `index-progress` events show the progress, and why a job failed. The same request during a job joins this job.',
      body: WarmRequest,
      refusals: [...directoryRefusals, 'conflict'],
      response: { 202: answer('The job is running.', WarmJob) },
    },
    handler: async ({ body }, reply) => reply.code(202).send(await engine.index.warm(body)),
  });

  app.route({
    method: 'GET',
    url: '/v1/search/status',
    schema: {
      operationId: 'getSearchStatus',
      tags: ['search'],
      summary: 'State of search by meaning',
      description: 'The embedding model, the vectors in memory, and the running jobs. Starts nothing.',
      response: { 200: answer('Model, vectors and jobs.', SearchStatus) },
    },
    handler: () => engine.index.status(),
  });
}
