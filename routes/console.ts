/**
 * The console: its files at `/` and `/console/`, and its sign-in (S-10, S-12). For everything else, the console uses
 * the API.
 */

import type { Socket } from 'node:net';
import { z } from 'zod';
import { ContextdError } from '../src/errors.ts';
import { loadOnce } from '../src/pace/deferred-verbs.ts';
import { fixedLimits } from '../src/settings.ts';
import { ConsoleSession, type ConsoleSessions, type SignInPages } from '../src/sign-in/console-sessions.ts';
import type { ConsoleAssets } from './console-assets.ts';
import { isSignInHost, signInPath } from './http/guard.ts';
import { answer, emptyAnswer, NoBody, type ZodApp } from './http/operation.ts';
import { listeningUrl } from './system.ts';

export const ConsoleCode = z
  .object({
    code: z.string().describe('The code. It is shown only here.'),
    url: z
      .string()
      .describe(
        'The address of the console, with the code in its fragment. Browsers do not send the fragment. The host is a name below `localhost`, which browsers resolve to loopback. The name changes each time the daemon starts. If the daemon listens only on another address, the host is that address.',
      ),
    expiresAt: z.string().describe('When the code expires, ISO 8601 UTC.'),
  })
  .meta({ id: 'ConsoleCode', description: 'A code for one sign-in to the console.' });
export type ConsoleCode = z.infer<typeof ConsoleCode>;

export const SignInPage = z
  .object({
    file: z
      .string()
      .describe(
        'Absolute path of the page. Only its user can read it. The page is removed after its code is used, and after 30 seconds at the latest.',
      ),
    url: z.string().describe('The address of the console, without a code.'),
    expiresAt: z.string().describe('When the code expires, ISO 8601 UTC.'),
  })
  .meta({ id: 'SignInPage', description: 'A page on disk for one sign-in to the console.' });
export type SignInPage = z.infer<typeof SignInPage>;

const SignInPageRequest = z
  .strictObject({
    directory: z
      .string()
      .min(1)
      .max(4_096)
      .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
      .optional()
      .describe('The mounted directory that the console shows.'),
  })
  .meta({ id: 'SignInPageRequest', description: 'What the console shows first.' });

/** `directory`: where the build puts the console. `name`: the host name of the console, in lower case. */
export type ConsoleOptions = { sessions: ConsoleSessions; pages: SignInPages; name: string; directory: string };
/** `onEnded` is called when the session with this id has ended. `spared`: the connection that still gets the answer. */
type RouteOptions = ConsoleOptions & {
  allowedHosts: readonly string[];
  onEnded(id: string, spared?: Socket): void;
};

/**
 * Values of `Clear-Site-Data`. Both clear the cache, so that the browser shows no page of another program on this port,
 * and no signed-in page after the button "Back". Signing out also clears the storage of the page. Signing in does not,
 * because other tabs keep drafts there. Neither clears cookies: the console has none, and programs on other ports of
 * loopback have the same cookies.
 */
const clearSiteData = { signedIn: '"cache"', signedOut: '"cache", "storage"' } as const;

/** A caller that sends a code has no token yet, so only a small body is read. */
const signInBytes = 1024;

export function consoleRoutes(app: ZodApp, options: RouteOptions): void {
  const { sessions, pages, name, onEnded } = options;
  pageRoutes(app, options);
  const addressWith = (code: string): string => `${consoleUrl(app, name)}/#code=${code}`;

  app.route({
    method: 'POST',
    url: '/v1/console/codes',
    schema: {
      operationId: 'createConsoleCode',
      tags: ['console'],
      summary: 'Create a code to sign in to the console',
      description:
        'The code can be used once, within 60 seconds. At most 16 unused codes are kept; a new code replaces the oldest. No code survives a restart of the daemon.',
      body: NoBody,
      response: { 201: answer('The code.', ConsoleCode) },
    },
    handler: async (_request, reply) => {
      const { code, expiresAt } = sessions.createCode();
      return reply.code(201).send({ code, url: addressWith(code), expiresAt });
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/console/sign-in-pages',
    schema: {
      operationId: 'createSignInPage',
      tags: ['console'],
      summary: 'Create a page on disk to sign in to the console',
      description:
        'For programs that start a browser. Other users of the machine can read the arguments of a program, but not this file. The file sends the browser to the console with a code. File and code can be used once, within 30 seconds. At most 16 files exist; a new one replaces the oldest. If the file cannot be written, the answer is `storage_full` or `unavailable`.',
      body: SignInPageRequest,
      refusals: ['storage_full'],
      response: { 201: answer('The page.', SignInPage) },
    },
    handler: async ({ body }, reply) => {
      const { code, expiresAt } = sessions.createCode(fixedLimits.signIn.pageMs);
      const { directory } = body;
      const shown = directory === undefined ? '' : `&dir=${encodeURIComponent(directory)}`;
      const file = pages.create(code, addressWith(code) + shown);
      return reply.code(201).send({ file, url: `${consoleUrl(app, name)}/`, expiresAt });
    },
  });

  app.route({
    method: 'POST',
    url: signInPath,
    bodyLimit: signInBytes,
    schema: {
      operationId: 'createConsoleSession',
      tags: ['console'],
      summary: 'Sign in with a code',
      description:
        'Needs no token, but a code. The `Host` must be that of the address that came with the code, or a host that was allowed when the daemon started. Any other name of the daemon is `forbidden_host`, because another program may have left something in a browser there. The new token gives access to everything, like the token of the user. It is valid until the console signs out, the daemon stops, or 64 newer sessions exist. A code that is unknown, used or too old is `unauthorized`.',
      body: z.strictObject({
        code: z
          .string()
          .regex(/^[\w-]{1,128}$/u, 'must be a code')
          .describe('The code.'),
      }),
      refusals: ['unauthorized'],
      response: { 201: answer('The session.', ConsoleSession) },
    },
    handler: async (request, reply) => {
      const redeemed = sessions.redeem(request.body.code);
      if (redeemed === undefined)
        throw new ContextdError('unauthorized', 'The code is unknown, was used, or is too old.');
      pages.remove(request.body.code);
      if (redeemed.endedId !== undefined) onEnded(redeemed.endedId);
      return reply.code(201).header('clear-site-data', clearSiteData.signedIn).send(redeemed.session);
    },
  });

  app.route({
    method: 'DELETE',
    url: signInPath,
    schema: {
      operationId: 'endConsoleSession',
      tags: ['console'],
      summary: 'Sign out',
      description:
        'Ends the session of the token in the request. From now on the token gives no access. Its open event streams and sessions at `/mcp` end. If the token does not belong to a console session, like the token of the user, the answer is `not_found`.',
      refusals: ['not_found'],
      response: { 204: emptyAnswer('The session has ended.') },
    },
    handler: async (request, reply) => {
      const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
      const endedId = sessions.end(token);
      if (endedId === undefined) throw new ContextdError('not_found', 'This is not the token of a console session.');
      onEnded(endedId, request.raw.socket);
      return reply.code(204).header('clear-site-data', clearSiteData.signedOut).send(null);
    },
  });
}

function pageRoutes(app: ZodApp, { directory, name, allowedHosts }: RouteOptions): void {
  const assets = loadOnce(async () => (await import('./console-assets.ts')).consoleAssets(directory));
  const load = async (): Promise<ConsoleAssets | undefined> => (await assets())();

  app.route({
    method: 'GET',
    url: '/',
    schema: {
      operationId: 'getConsolePage',
      tags: ['console'],
      summary: 'Show the console',
      description:
        'Returns the page of the console, at the address that `createConsoleCode` gives. At other addresses, returns a page that says how to open the console. Needs no token and contains no data: the page signs in with a code and then uses the API. If the console was not built, the answer is a page (503) that says how to build it.',
      response: { 200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } } },
    },
    handler: async (request, reply) => {
      const known = { localPort: request.socket.localPort ?? 0, allowedHosts, consoleName: name };
      if (!isSignInHost(request.headers.host ?? '', known)) {
        const { elsewherePage } = await import('./console-assets.ts');
        return reply.type('text/html; charset=utf-8').send(elsewherePage);
      }
      const page = (await load())?.get('/');
      if (page !== undefined) return reply.type(page.type).send(page.content as never);
      const { notBuiltPage } = await import('./console-assets.ts');
      return reply
        .code(503 as 200)
        .type('text/html; charset=utf-8')
        .send(notBuiltPage);
    },
  });

  app.route({
    method: 'GET',
    url: '/console/:name',
    schema: { hide: true },
    handler: async (request, reply) => {
      const [path = ''] = (request.raw.url ?? '').split('?', 1);
      const asset = (await load())?.get(path);
      if (asset === undefined) throw new ContextdError('not_found', 'There is nothing at this path.');
      return reply.type(asset.type).send(asset.content);
    },
  });
}

/** Address of the console: its own name, if the daemon listens on loopback or on all addresses. */
function consoleUrl(app: ZodApp, name: string): string {
  return listeningUrl(app).replace(/\/\/(?:127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):/u, `//${name}:`);
}
