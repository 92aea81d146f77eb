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
      summary: 'Which rule files of other tools are here',
      description:
        'Returns which formats of other tools have files in a project, which of the files apply for the files in play, what they cost, and what each tool would load. Files of formats that are not read are listed too, without their texts.',
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
      summary: 'Write which formats are read',
      description:
        'Writes which formats of other tools a project enables, among those that the user reads. It writes `formats` in `clientContext` of the configuration that `change` of `listFormats` names. Everything else in the file stays as it is. If there is no such file, the daemon creates it. The header names the version that the caller has seen, so that nobody overwrites what somebody else has written since (`version_mismatch`).',
      headers: preconditionHeaders,
      body: FormatsWriteRequest,
      refusals: [...directoryRefusals, 'conflict', 'storage_full'],
      isVersioned: true,
      response: {
        200: answer('There was a configuration; this is its choice now.', FormatsWritten),
        201: answer('The configuration is new.', FormatsWritten),
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
