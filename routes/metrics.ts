/** `GET /metrics`, for Prometheus (SY-05). */
import { z } from 'zod';
import type { ZodApp } from './http/operation.ts';
import { observe, type StatusSources } from './status.ts';

export function metricsRoutes(app: ZodApp, sources: StatusSources): void {
  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'getMetrics',
      tags: ['system'],
      summary: 'Metrics for Prometheus',
      description:
        'Metrics in the text format of Prometheus, version 0.0.4. Needs a token; an agent token is enough. Labels are methods, registered paths, states and codes. They contain nothing that a client sent, and nothing from files.',
      response: {
        200: {
          description: 'The metrics.',
          content: {
            'text/plain': { schema: z.string().describe('Families of metrics, each with its help and type.') },
          },
        },
      },
    },
    async handler(_request, reply) {
      // Loaded at the first request, because many daemons get none.
      const [{ metricFamilies }, { formatMetrics, metricsContentType }] = await Promise.all([
        import('./metrics-families.ts'),
        import('./metrics-text.ts'),
      ]);
      const families = metricFamilies(await observe(sources), sources.metrics);
      return reply.type(metricsContentType).send(formatMetrics(families));
    },
  });
}
