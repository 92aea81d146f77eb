/** `POST /v1/hooks/{tool}`: events of coding tools, which have no process to start for them. */
import { z } from 'zod';
import { RequestPath } from '../src/context/resolve-request.ts';
import type { Caller } from '../src/ports/caller.ts';
import { hookToolIds } from '../src/settings.ts';
import { signalOfClient } from './http/client-gone.ts';
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';
import { callerOfRequest } from './http/server.ts';

const HookPlace = z.strictObject({
  project: RequestPath.optional().describe('The root of the project, where the event does not name it.'),
  cwd: RequestPath.optional().describe('Where the tool is, when the event does not say it.'),
  outside: z
    .enum(['refuse', 'problem'])
    .default('refuse')
    .describe(
      'What becomes of an event about what lies outside of the granted roots. `refuse`: the tool is told that it may not open it; what a prompt mentions there is passed over. `problem`: `path_outside_roots`, for a caller that can decide by itself.',
    ),
});

export type AskedHook = z.output<typeof HookPlace> & { tool: string; event: Readonly<Record<string, unknown>> };
/** What the tool is told. Throws `ContextdError`: also where no context can be had. */
export type AnswerHook = (
  asked: AskedHook,
  by: { caller: Caller; signal: AbortSignal },
) => Promise<Record<string, unknown>>;

export function hookRoutes(app: ZodApp, answerHook: AnswerHook): void {
  app.route({
    method: 'POST',
    url: '/v1/hooks/:tool',
    schema: {
      operationId: 'answerHook',
      tags: ['hooks'],
      summary: 'Answer an event of a coding tool',
      description:
        'Takes an event as the tool writes it and answers as the tool reads it: a refusal of files that are kept from models, with the reason, or the context that applies, once in a conversation. An event that needs no answer is answered with an empty object.',
      params: z.strictObject({
        // Known to clients; another one is found nowhere, instead of not being valid.
        tool: z.string().meta({ enum: [...hookToolIds], description: 'Whose event it is.' }),
      }),
      querystring: HookPlace,
      body: z
        .record(z.string(), z.unknown())
        .describe('The event, with `hook_event_name`, by the documents of the tool.'),
      refusals: [...directoryRefusals, 'unavailable'],
      response: {
        200: answer('What the tool is told, by its own documents.', z.record(z.string(), z.unknown())),
      },
    },
    handler: (request, reply) =>
      answerHook(
        { ...request.query, ...request.params, event: request.body },
        { caller: callerOfRequest(request), signal: signalOfClient(reply) },
      ),
  });
}
