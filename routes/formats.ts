/** `/v1/formats`: rule files of other tools (FM-03, FM-14). */
import { FormatsRequest, FormatsResult, FormatsWriteRequest, FormatsWritten } from '../src/context/formats-request.ts';
import type { Engine } from '../src/engine.ts';
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';
import { preconditionHeaders, requiredVersion } from './http/precondition.ts';

export function formatRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'GET',
    url: '/v1/formats',
    schema: {
      operationId: 'listFormats',
      tags: ['context'],
      summary: 'List rule files of other tools',
      description:
        'Returns which formats of other tools have files in a project, which of the files apply for the files in play, what they cost, and what each tool would load. Formats that are not read are listed too, without the texts of their files.',
      querystring: FormatsRequest,
      refusals: directoryRefusals,
      response: { 200: answer('Formats, files and tools.', FormatsResult) },
    },
    handler: (request) => engine.formats(request.query),
  });

  app.route({
    method: 'PUT',
    url: '/v1/formats',
    schema: {
      operationId: 'putFormats',
      tags: ['context'],
      summary: 'Choose which formats are read',
      description:
        'Writes which formats of other tools a project enables, among those that the user reads. It writes `formats` in `clientContext` of the configuration that `change` of `listFormats` names. Everything else in the file stays as it is. If there is no such file, the daemon creates it. The header names the version that the caller has seen. If the file has changed since then, the answer is `version_mismatch`.',
      headers: preconditionHeaders,
      body: FormatsWriteRequest,
      refusals: [...directoryRefusals, 'conflict', 'storage_full'],
      isVersioned: true,
      response: {
        200: answer('The configuration was changed. This is its choice now.', FormatsWritten),
        201: answer('The configuration was created.', FormatsWritten),
      },
    },
    handler: async (request, reply) => {
      const expected = requiredVersion(request.headers, ['if-match', 'if-none-match']);
      const { written, created } = await engine.putFormats(request.body, expected);
      return reply
        .header('etag', `"${written.etag}"`)
        .code(created ? 201 : 200)
        .send(written);
    },
  });
}
