/** `/health` and `/v1/shutdown`: whether the daemon answers, and its end (SY-01, S-74). */
import { createHmac } from 'node:crypto';
import { finished } from 'node:stream';
import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import type { SharedState } from '../src/ports/store/store.ts';
import { protocol } from '../src/settings.ts';
import { answer, NoBody, type ZodApp } from './http/operation.ts';

/**
 * What is refused while the store cannot be reached. A store that can be reached may refuse `writes`, or report no
 * changes.
 */
const needsStore = ['agents', 'sessions', 'supplementary', 'tokens', 'approvals', 'writes'] as const;

export const Health = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .describe(
        '`ok`: everything works. `degraded`: the daemon answers, but some features do not work, because it cannot fully use its store.',
      ),
    unavailable: z
      .array(z.enum([...needsStore, 'events']))
      .optional()
      .describe(
        'What does not work now. Present if the status is `degraded`. Everything else works. `events`: the daemon does not learn what other daemons change or revoke.',
      )
      .meta({ examples: [['agents', 'sessions']] }),
    protocolVersion: z
      .int()
      .describe('Version of the protocol. It rises when a field changes its meaning.')
      .meta({ examples: [1] }),
    capabilities: z
      .array(z.string())
      .describe('Names of what the daemon can do. A name never changes.')
      .meta({ examples: [['context', 'formats']] }),
    proof: z
      .string()
      .optional()
      .describe(
        'HMAC-SHA256 of the challenge with the token as key, in hexadecimal. Present if the request had a challenge.',
      ),
  })
  .meta({ id: 'Health', description: 'Health of the daemon.' });

export const StoreState = z
  .object({
    kind: z
      .enum(['sqlite', 'postgres'])
      .describe('`sqlite`: only for this daemon. `postgres`: shared with other daemons.'),
    available: z.boolean().describe('Whether the store can be used now.'),
    since: z.string().optional().describe('Since when the store cannot be used, ISO 8601 UTC.'),
    detail: z.string().optional().describe('What is wrong with the store.'),
  })
  .meta({
    id: 'StoreState',
    description: 'The store of agents, sessions and everything else that outlives the daemon.',
  });

export const Stopping = z
  .object({ status: z.literal('stopping').describe('The daemon stops after this answer.') })
  .meta({ id: 'Stopping', description: 'The daemon stops.' });

export type SystemOptions = {
  engine: Pick<Engine, 'storeState'>;
  token: string;
  /** Called once, after the answer to the first `POST /v1/shutdown` was sent or its client has gone. */
  onShutdown: () => void;
};

/** A store of this daemon alone is always available while the daemon runs. */
function healthOf({
  available,
  lacks,
}: Partial<SharedState> = {}): Pick<z.infer<typeof Health>, 'status' | 'unavailable'> {
  if (available === false) return { status: 'degraded', unavailable: [...needsStore, 'events'] };
  return lacks === undefined ? { status: 'ok' } : { status: 'degraded', unavailable: [lacks] };
}

export function systemRoutes(app: ZodApp, { engine, token, onShutdown }: SystemOptions): void {
  app.route({
    method: 'GET',
    url: '/health',
    schema: {
      operationId: 'getHealth',
      tags: ['system'],
      summary: 'Check whether the daemon answers',
      description:
        'Needs no token. The daemon listens only when it is ready to work, so any answer means that it is ready. With a `challenge`, the answer proves that the daemon knows the token. A client can check this before it sends the token, because another program may listen on the same port.',
      querystring: z.strictObject({
        challenge: z
          .string()
          .regex(/^[A-Za-z0-9_-]{1,128}$/u)
          .optional()
          .describe('Random text of the client: 1 to 128 characters of `A-Z`, `a-z`, `0-9`, `_`, `-`.'),
      }),
      response: { 200: answer('The daemon answers.', Health) },
    },
    handler: async ({ query: { challenge } }) => {
      const health = { ...healthOf(engine.storeState()), ...protocol, capabilities: [...protocol.capabilities] };
      return challenge === undefined
        ? health
        : { ...health, proof: createHmac('sha256', token).update(challenge).digest('hex') };
    },
  });

  let isStopping = false;
  app.route({
    method: 'POST',
    url: '/v1/shutdown',
    schema: {
      operationId: 'shutDown',
      tags: ['system'],
      summary: 'Stop the daemon',
      description: 'Answers, then stops. The daemon finishes running requests and refuses new ones with `unavailable`.',
      body: NoBody,
      response: { 202: answer('The daemon stops.', Stopping) },
    },
    handler: async (_request, reply) => {
      if (!isStopping) finished(reply.raw, () => onShutdown());
      isStopping = true;
      return reply.code(202).send({ status: 'stopping' });
    },
  });
}

/**
 * `http://<address>:<port>`. The port is 0 while the server does not listen; only a request in process can see that.
 */
export function listeningUrl(app: ZodApp): string {
  const address = app.server.address();
  if (address === null || typeof address === 'string') return 'http://127.0.0.1:0';
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
