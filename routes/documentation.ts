/** `/openapi.json` and the page that shows it (SY-02). */
import { z } from 'zod';
import { loadOnce } from '../src/pace/deferred-verbs.ts';
import { once } from '../src/pace/once-for-each.ts';
import { assets, page, pagePolicy } from './docs-assets.ts';
import type { ZodApp } from './http/operation.ts';

export function documentationRoutes(app: ZodApp): void {
  const document = once(() => Buffer.from(JSON.stringify(app.swagger())));
  app.route({
    method: 'GET',
    url: '/openapi.json',
    schema: {
      operationId: 'getOpenApiDocument',
      tags: ['documentation'],
      summary: 'Get this document',
      description: 'The OpenAPI 3.1 description of the daemon. Needs no token.',
      response: {
        200: {
          description: 'The OpenAPI document.',
          content: { 'application/json': { schema: z.record(z.string(), z.unknown()) } },
        },
      },
    },
    handler: async (_request, reply) => reply.type('application/json; charset=utf-8').send(document() as never),
  });

  for (const url of ['/docs', '/docs/'])
    app.route({
      method: 'GET',
      url,
      schema: {
        hide: url === '/docs/',
        operationId: 'getDocumentationPage',
        tags: ['documentation'],
        summary: 'Show this document as a page',
        description: 'Shows the OpenAPI document. Every operation can be tried there. Needs no token itself.',
        response: { 200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } } },
      },
      handler: async (_request, reply) =>
        reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page),
    });

  for (const [url, { type, load }] of Object.entries(assets)) {
    const loaded = loadOnce(load);
    app.route({
      method: 'GET',
      url,
      schema: { hide: true },
      handler: async (_request, reply) => reply.type(type).send(await loaded()),
    });
  }
}
