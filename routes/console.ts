/** The console: its files at `/` and `/console/`, and its sign-in (S-10, S-12). Everything else it does is the API's. */

import type { Socket } from 'node:net';
import { z } from 'zod';
import { ContextdError } from '../src/errors.ts';
import { fixedLimits } from '../src/settings.ts';
import type { ConsoleSessions, SignInPages } from '../src/sign-in/console-sessions.ts';
import type { ConsoleAssets } from './console-assets.ts';
import { isSignInHost, signInPath } from './http/guard.ts';
import { answer, emptyAnswer, NoBody, type ZodApp } from './http/operation.ts';
import { listeningUrl } from './system.ts';

export const ConsoleCode = z
  .object({
    code: z.string().describe('The code. It is told only here.'),
    url: z
      .string()
      .describe(
        'The address of the console with the code in its fragment, which browsers send nowhere. Its host is another one each time the daemon starts: a name below `localhost`, which browsers resolve to loopback.',
      ),
    expiresAt: z.string().describe('Until when it can be used, ISO 8601 UTC.'),
  })
  .meta({ id: 'ConsoleCode', description: 'A code that signs the console in, once.' });
export type ConsoleCode = z.infer<typeof ConsoleCode>;

export const SignInPage = z
  .object({
    file: z
      .string()
      .describe(
        'The absolute path of the page. Only its user can read it; it is gone when its code was used, and after 30 seconds.',
      ),
    url: z.string().describe('The address of the console, without a code.'),
    expiresAt: z.string().describe('Until when its code can be used, ISO 8601 UTC.'),
  })
  .meta({ id: 'SignInPage', description: 'A page on disk that signs a browser in, once.' });
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

export const ConsoleSession = z
  .object({
    token: z.string().describe('The token of the session. It is told only here.'),
    createdAt: z.string().describe('When the session began, ISO 8601 UTC.'),
  })
  .meta({ id: 'ConsoleSession', description: 'A console that is signed in.' });

/** `directory` is where the build puts the console; `name` the host that it has, in lower case. */
export type ConsoleOptions = { sessions: ConsoleSessions; pages: SignInPages; name: string; directory: string };
/** `onEnded`: the session with this id opens nothing any more; on `spared` its end is answered. */
type RouteOptions = ConsoleOptions & {
  allowedHosts: readonly string[];
  onEnded(id: string, spared?: Socket): void;
};

/**
 * Sent with both: nothing of another program on this port, and no page that was signed in, comes out of the cache or by the
 * button "Back". Signing out empties what the page keeps, too. Signing in must not: other tabs keep drafts there. Cookies
 * are left alone: the console has none, and those of loopback belong to programs on other ports too.
 */
const clearSiteData = { signedIn: '"cache"', signedOut: '"cache", "storage"' } as const;

/** Whoever sends a code has no token yet, so little of what they send is read. */
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
      summary: 'Make a code that signs the console in',
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
      summary: 'Make a page on disk that signs the console in',
      description:
        'For programs that start a browser: other users of the machine can read its arguments, but not this file, which leads the browser to the console with a code. File and code are good for 30 seconds, and once. At most 16 are there; the oldest makes room. `storage_full` and `unavailable` when it cannot be written.',
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
      summary: 'Sign in by a code',
      description:
        'Needs no token, but a code, and the `Host` of the address that came with it, or one that was allowed when the daemon was started: under any other name of the daemon it is `forbidden_host`, because another program may have left something in a browser there. The token that it gives opens everything, as the user’s own, until it is signed out, the daemon ends, or 64 others came after it. A code that is unknown, used or too old is `unauthorized`.',
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
        'Ends the session whose token the request carries: from now on it opens nothing, and what it has open ends: streams of events, and sessions at `/mcp`. `not_found` for a token that is not that of a session, such as the user’s own.',
      refusals: ['not_found'],
      response: { 204: emptyAnswer('The session has ended.') },
    },
    handler: async (request, reply) => {
      const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
      const endedId = sessions.end(token);
      if (endedId === undefined) throw new ContextdError('not_found', 'This token is not that of a console session.');
      onEnded(endedId, request.raw.socket);
      return reply.code(204).header('clear-site-data', clearSiteData.signedOut).send(null);
    },
  });
}

function pageRoutes(app: ZodApp, { directory, name, allowedHosts }: RouteOptions): void {
  let assets: (() => Promise<ConsoleAssets | undefined>) | undefined;
  const load = async (): Promise<ConsoleAssets | undefined> => {
    const { consoleAssets } = await import('./console-assets.ts');
    assets ??= consoleAssets(directory);
    return assets();
  };

  app.route({
    method: 'GET',
    url: '/',
    schema: {
      operationId: 'getConsolePage',
      tags: ['console'],
      summary: 'The console',
      description:
        'The page for people, at the address that `createConsoleCode` gives; elsewhere a page that says how to open it. Needs no token itself and holds no data: it signs in by a code and then asks the API. Where it was not built, a page (503) that says how to.',
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

/** Where a browser finds the console: at its own name, unless the daemon does not listen on loopback. */
function consoleUrl(app: ZodApp, name: string): string {
  return listeningUrl(app).replace(/\/\/(?:127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):/u, `//${name}:`);
}
