/** `POST /v1/hooks/{tool}`: answers events of coding tools, so that they need not start a process for each event. */
import { z } from 'zod';
import { RequestPath } from '../src/context/resolve-request.ts';
import type { Caller } from '../src/ports/caller.ts';
import { hookToolIds } from '../src/settings.ts';
import { signalOfClient } from './http/client-gone.ts';
import { answer, directoryRefusals, type ZodApp } from './http/operation.ts';
import { callerOfRequest } from './http/server.ts';

const HookPlace = z.strictObject({
  project: RequestPath.optional().describe('The root of the project, if the event does not name it.'),
  cwd: RequestPath.optional().describe('The directory where the tool works, if the event does not name it.'),
  outside: z
    .enum(['refuse', 'problem'])
    .default('refuse')
    .describe(
      'What to do with an event about a path outside the granted roots. `refuse`: tell the tool that it may not open the path; mentions of such paths in a prompt are ignored. `problem`: answer `path_outside_roots`, for a caller that can decide by itself.',
    ),
});

type AskedHook = z.output<typeof HookPlace> & { tool: string; event: Readonly<Record<string, unknown>> };
/** The answer for the tool. Throws `ContextdError`, also if there is no context. */
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
        'Takes an event in the form of the tool, and answers in the form of the tool. The answer refuses files that models must not see, with the reason, or gives the context that applies, once in a conversation. If an event needs no answer, the answer is an empty object.',
      params: z.strictObject({
        // Not an enum for the check, so that another tool is `not_found` instead of `invalid_request`.
        tool: z.string().meta({ enum: [...hookToolIds], description: 'The tool that sends the event.' }),
      }),
      querystring: HookPlace,
      body: z
        .record(z.string(), z.unknown())
        .describe('The event, with `hook_event_name`, in the form that the tool documents.'),
      refusals: [...directoryRefusals, 'unavailable'],
      response: {
        200: answer('The answer, in the form that the tool documents.', z.record(z.string(), z.unknown())),
      },
    },
    handler: (request, reply) =>
      answerHook(
        { ...request.query, ...request.params, event: request.body },
        { caller: callerOfRequest(request), signal: signalOfClient(reply) },
      ),
  });
}
