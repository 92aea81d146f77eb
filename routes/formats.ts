/** `GET /v1/formats`: rule files of other tools (FM-03). */
import { FormatsRequest, FormatsResult } from '../src/context/formats-request.ts';
import type { Engine } from '../src/engine.ts';
import { answer, type ZodApp } from './http/operation.ts';

export function formatRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'GET',
    url: '/v1/formats',
    schema: {
      operationId: 'listFormats',
      tags: ['context'],
      summary: 'Which rule files of other tools are here',
      description:
        'Which formats of other tools have files in a project, which of them apply for the files in play, what they cost, and what each tool would load of the whole. Files of formats that are not read are listed too, without their texts.',
      querystring: FormatsRequest,
      response: { 200: answer('Formats, files and tools.', FormatsResult) },
    },
    handler: (request) => engine.formats(request.query),
  });
}
