/** `POST /v1/config/validate` and `GET /v1/schemas/{kind}` (AP-08). */
import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import { ContextdError } from '../src/errors.ts';
import { CheckedKind, ValidateRequest, ValidateResult } from '../src/validation/diagnostic.ts';
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';

export function validationRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/config/validate',
    schema: {
      operationId: 'validateConfig',
      tags: ['validation'],
      summary: 'Validate files',
      description:
        'Checks a text as it is typed, or all configurations, context files, policies and rule files of other tools in a tree. Also checks what they do together: patterns that match nothing, definitions that hide others, front matter that is not recognised. Says where each mistake is and how to fix it.',
      body: ValidateRequest,
      refusals: directoryRefusals,
      response: { 200: answer('What is wrong, where, and how to fix it.', ValidateResult) },
    },
    handler: (request) => engine.validate(request.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/schemas/:kind',
    schema: {
      operationId: 'getFileSchema',
      tags: ['validation'],
      summary: 'Get the schema of a kind of file',
      description:
        'The JSON Schema (2020-12) of a kind of file. Editors use it to check a file while the user types. An unknown kind is `not_found`.',
      params: z.strictObject({
        // Not an enum for the check, so that another kind is `not_found` instead of `invalid_request`.
        kind: z.string().meta({
          enum: [...CheckedKind.options],
          description: '`context-config`, `ai-context-policy` or `context-file` (its front matter).',
        }),
      }),
      refusals: ['not_found'],
      response: { 200: answer('The JSON Schema.', z.record(z.string(), z.unknown())) },
    },
    handler: async (request) => {
      const kind = CheckedKind.safeParse(request.params.kind);
      if (!kind.success)
        throw new ContextdError(
          'not_found',
          `There is no such kind of file. The kinds are ${CheckedKind.options.join(', ')}.`,
        );
      const { jsonSchemaOf } = await import('../src/validation/json-schemas.ts');
      return jsonSchemaOf(kind.data);
    },
  });
}
