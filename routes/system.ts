/** `/health`, `/v1/status` and `/v1/shutdown`: the daemon itself (SY-01, S-74). */
import { createHmac } from 'node:crypto';
import { finished } from 'node:stream';
import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import { Warning } from '../src/warnings.ts';
import { answer, NoBody, type ZodApp } from './operation.ts';

export const Health = z
  .object({
    status: z.literal('ok').describe('The daemon answers.'),
    proof: z
      .string()
      .optional()
      .describe('HMAC-SHA256 of the challenge under the token, in hexadecimal; present when a challenge was given.'),
  })
  .meta({ id: 'Health', description: 'The daemon answers.' });

const bytes = z.int().min(0);

export const Status = z
  .object({
    version: z.string().describe('Version of the daemon.'),
    pid: z.int().min(1).describe('Process id.'),
    instanceId: z.string().describe('Random id of this run of the daemon.'),
    url: z.string().describe('Address the daemon listens at.'),
    startedAt: z.string().describe('When this run began, ISO 8601 UTC.'),
    uptimeSeconds: z.number().min(0).describe('Seconds since then.'),
    nodeVersion: z.string().describe('Version of Node.js that runs the daemon.'),
    grantedRoots: z.int().min(0).describe('Number of granted roots.'),
    memory: z
      .object({
        rssBytes: bytes.describe('Resident set size of the process.'),
        heapUsedBytes: bytes.describe('Heap in use by JavaScript.'),
      })
      .describe('Memory of the process, in bytes.'),
    watching: z
      .object({
        directories: z.int().min(0).describe('Number of watched directories; 0 while nobody listens to events.'),
        degraded: z
          .enum(['polling', 'too_many_directories'])
          .optional()
          .describe(
            'Why changes are told late or not all: the system has no more watches, so that directories are polled; or there are more directories than may be watched.',
          ),
      })
      .meta({ id: 'Watching', description: 'What is watched for those who listen to events.' }),
    warnings: z.array(Warning).describe('Settings of the daemon that could not be used.'),
  })
  .meta({ id: 'Status', description: 'The running daemon.' });

export const Stopping = z
  .object({ status: z.literal('stopping').describe('The daemon stops after this answer.') })
  .meta({ id: 'Stopping', description: 'The daemon stops.' });

export type SystemOptions = {
  engine: Engine;
  token: string;
  version: string;
  startedAt: Date;
  instanceId: string;
  /** Called once, after the answer to the first `POST /v1/shutdown` was sent or its client has gone. */
  onShutdown: () => void;
};

export function systemRoutes(app: ZodApp, options: SystemOptions): void {
  const { engine, token, version, startedAt, instanceId, onShutdown } = options;

  app.route({
    method: 'GET',
    url: '/health',
    schema: {
      operationId: 'getHealth',
      tags: ['system'],
      summary: 'Whether the daemon answers',
      description:
        'Needs no token. With a `challenge`, the answer proves that the daemon knows the token, so that a client can tell it from a stranger on the same port before sending the token.',
      querystring: z.strictObject({
        challenge: z
          .string()
          .regex(/^[A-Za-z0-9_-]{1,128}$/u)
          .optional()
          .describe('Random text of the client: 1 to 128 characters of `A-Z`, `a-z`, `0-9`, `_`, `-`.'),
      }),
      response: { 200: answer('The daemon answers.', Health) },
    },
    handler: async ({ query: { challenge } }) =>
      challenge === undefined
        ? { status: 'ok' as const }
        : { status: 'ok' as const, proof: createHmac('sha256', token).update(challenge).digest('hex') },
  });

  app.route({
    method: 'GET',
    url: '/v1/status',
    schema: {
      operationId: 'getStatus',
      tags: ['system'],
      summary: 'The running daemon',
      description: 'Version, process, address, memory, and what is wrong with the settings.',
      response: { 200: answer('The running daemon.', Status) },
    },
    handler: async () => {
      const { rss, heapUsed } = process.memoryUsage();
      return {
        version,
        pid: process.pid,
        instanceId,
        url: listeningUrl(app),
        startedAt: startedAt.toISOString(),
        uptimeSeconds: Math.max(0, (Date.now() - startedAt.getTime()) / 1000),
        nodeVersion: process.version,
        grantedRoots: (await engine.listRoots()).length,
        memory: { rssBytes: rss, heapUsedBytes: heapUsed },
        watching: engine.watching(),
        warnings: [...engine.settingsWarnings],
      };
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
      description: 'Answers, then stops: requests under way are finished, new ones are refused with `unavailable`.',
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

/** `http://<address>:<port>`; port 0 while the server does not listen, which only a request in process can see. */
export function listeningUrl(app: ZodApp): string {
  const address = app.server.address();
  if (address === null || typeof address === 'string') return 'http://127.0.0.1:0';
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
