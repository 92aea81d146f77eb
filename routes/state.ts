/** `/v1/export`: all stored state as one file. The command line imports it while no daemon runs. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import type { ZodApp } from './http/operation.ts';

/** A client that reads nothing for this long is gone. */
const silenceMs = 120_000;

export function stateRoutes(app: ZodApp, { engine, version }: { engine: Engine; version: string }): void {
  app.route({
    method: 'GET',
    url: '/v1/export',
    // A HEAD request would make the whole export for nothing.
    exposeHeadRoute: false,
    schema: {
      operationId: 'exportState',
      tags: ['system'],
      summary: 'Export all state',
      description:
        'Streams all stored state as JSON Lines, as it was at one moment: a header, one line for each stored row, and at the end the number of rows and the SHA-256 of all lines before. It includes secrets of MCP servers that agents define. It does not include vectors, because the daemon computes them again. Without the last line the export is not complete. Only one export runs at a time (`limit_exceeded`). `contextd import` reads it.',
      response: {
        200: {
          description: 'JSON Lines.',
          content: {
            'application/jsonl': { schema: z.string().describe('The header, rows as `{ table, row }`, the end.') },
          },
        },
      },
    },
    handler: async (_request, reply) => {
      reply.raw.setTimeout(silenceMs, () => reply.raw.destroy());
      const lines = Readable.from(engine.exportState(`contextd ${version}`), { objectMode: false });
      return reply.type('application/jsonl; charset=utf-8').send(lines as unknown as string);
    },
  });
}
