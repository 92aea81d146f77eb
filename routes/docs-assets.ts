/**
 * The documentation page: a fixed map of paths to contents, never a path on disk that a request could influence (S-12).
 * The large parts are read from the disk when they are first asked for.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The page has no data and no inline script. */
export const page = `<!doctype html>
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

// `persistAuthorization` off: the token stays in the memory of the page. `validatorUrl` off: nothing leaves the
// machine.
const pageScript = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** The policy of all answers, plus `data:` images, because the style sheet has its icons in this form. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const require = createRequire(import.meta.url);
/** In a built program, these files are beside the code. */
const isBuilt = import.meta.url.endsWith('.js');
const installed = (name: string) => () =>
  readFile(isBuilt ? join(import.meta.dirname, name) : require.resolve(`@fastify/swagger-ui/static/${name}`));
const javascript = 'text/javascript; charset=utf-8';

/** What the page loads, by path. */
export const assets: Readonly<Record<string, { type: string; load: () => Promise<Buffer> }>> = {
  '/docs/page.js': { type: javascript, load: async () => Buffer.from(pageScript) },
  '/docs/swagger-ui.css': { type: 'text/css; charset=utf-8', load: installed('swagger-ui.css') },
  '/docs/swagger-ui-bundle.js': { type: javascript, load: installed('swagger-ui-bundle.js') },
};
