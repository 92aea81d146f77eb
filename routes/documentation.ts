/**
 * `/openapi.json` and the page that shows it. The page is a fixed map of names, never a path on disk that a request
 * could influence (S-12); the large parts are read from the installed package when they are first asked for.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';
import type { ZodApp } from './operation.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>contextd API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="api">The documentation needs JavaScript. The same in JSON: <a href="/openapi.json">/openapi.json</a></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

// `persistAuthorization` off: the token stays in the memory of the page. `validatorUrl` off: nothing leaves the machine.
const pageScript = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** As for every answer, but the page's style sheet holds its icons as `data:` images. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const require = createRequire(import.meta.url);
const installed = (name: string) => () => readFile(require.resolve(`@fastify/swagger-ui/static/${name}`));

const assets: Record<string, { type: string; load: () => Promise<Buffer> }> = {
  '/docs/page.js': { type: 'text/javascript; charset=utf-8', load: async () => Buffer.from(pageScript) },
  '/docs/swagger-ui.css': { type: 'text/css; charset=utf-8', load: installed('swagger-ui.css') },
  '/docs/swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', load: installed('swagger-ui-bundle.js') },
};

export function documentationRoutes(app: ZodApp): void {
  let document: Buffer | undefined;
  app.route({
    method: 'GET',
    url: '/openapi.json',
    schema: {
      operationId: 'getOpenApiDocument',
      tags: ['documentation'],
      summary: 'This document',
      description: 'The OpenAPI 3.1 description of the daemon. Needs no token.',
      response: {
        200: {
          description: 'The OpenAPI document.',
          content: { 'application/json': { schema: z.record(z.string(), z.unknown()) } },
        },
      },
    },
    handler: async (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(app.swagger()));
      return reply.type('application/json; charset=utf-8').send(document as never);
    },
  });

  for (const url of ['/docs', '/docs/'])
    app.route({
      method: 'GET',
      url,
      schema: {
        hide: url === '/docs/',
        operationId: 'getDocumentationPage',
        tags: ['documentation'],
        summary: 'This document as a page',
        description: 'Shows the OpenAPI document and lets every operation be tried. Needs no token itself.',
        response: { 200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } } },
      },
      handler: async (_request, reply) =>
        reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page),
    });

  for (const [url, { type, load }] of Object.entries(assets)) {
    let loading: Promise<Buffer> | undefined;
    app.route({
      method: 'GET',
      url,
      schema: { hide: true },
      handler: async (_request, reply) => {
        loading ??= load();
        return reply.type(type).send(await loading);
      },
    });
  }
}
