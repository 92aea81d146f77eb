/** `/v1/tokens`: tokens for agent runtimes. They give less access than the token of the user (S-15). */

import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import { type Caller, mayUse } from '../src/ports/caller.ts';
import { fixedLimits } from '../src/settings.ts';
import { AccessToken } from '../src/tokens/access-tokens.ts';
import { shareOfOneToken } from '../src/tokens/shares.ts';
import type { Connections } from './http/connections.ts';
import { answer, emptyAnswer, type ZodApp } from './http/operation.ts';

const id = z.string().min(1).max(64).describe('Id of the token.');

const count = z.int().min(0);
const TokenUse = z
  .object({
    sessions: count.describe('Number of sessions.'),
    storedBytes: count.describe('Stored size of these sessions, in bytes (about).'),
    connections: count.describe('Number of open connections.'),
    streams: count.describe('Number of open streams of `GET /v1/events`.'),
  })
  .meta({ id: 'TokenUse', description: 'What an agent token uses, or may use.' });
type TokenUse = z.infer<typeof TokenUse>;

const ListedToken = AccessToken.extend({ use: TokenUse }).meta({
  id: 'ListedToken',
  description: 'A minted token, and what it uses.',
});

type Holders = { engine: Engine; connections: Connections };

/** What a token uses now. */
async function useOfToken(tokenId: string, { engine, connections }: Holders): Promise<TokenUse> {
  const { bytes, ...held } = await engine.heldBy(tokenId);
  return { ...held, storedBytes: bytes, connections: connections.of(tokenId) };
}

export const TokenFigures = z
  .object({
    most: TokenUse.describe('Max use of one agent token.'),
    held: z
      .array(AccessToken.pick({ id: true, label: true }).extend({ use: TokenUse }))
      .optional()
      .describe(
        'Use of each agent token. An agent token sees only its own use. Absent while the database cannot be read.',
      ),
  })
  .meta({ id: 'TokenFigures', description: 'Agent tokens, and what they use.' });

/** What a caller sees: the user sees all tokens, the holder of an agent token only its own. */
export async function describeTokens(sources: Holders, caller: Caller): Promise<z.infer<typeof TokenFigures>> {
  const { engine, connections } = sources;
  const most = {
    sessions: fixedLimits.sessions.ofOneToken,
    storedBytes: engine.agentTokenBytes,
    connections: connections.ofOneToken,
    streams: shareOfOneToken(fixedLimits.events.listeners),
  };
  try {
    const tokens = (await engine.tokens.list()).filter(({ id }) => mayUse(caller, id));
    const show = async ({ id, label }: AccessToken) => ({ id, label, use: await useOfToken(id, sources) });
    return { most, held: await Promise.all(tokens.map(show)) };
  } catch {
    return { most };
  }
}

export const MintedToken = AccessToken.extend({
  token: z.string().describe('The token. It is shown only here.'),
}).meta({ id: 'MintedToken', description: 'A new token.' });
export type MintedToken = z.infer<typeof MintedToken>;

export const AccessTokenList = z
  .object({ tokens: z.array(ListedToken).describe('The tokens, oldest first.') })
  .meta({ id: 'AccessTokenList', description: 'The minted tokens.' });
export type AccessTokenList = z.infer<typeof AccessTokenList>;

export function tokenRoutes(app: ZodApp, engine: Engine, { connections }: { connections: Connections }): void {
  app.route({
    method: 'GET',
    url: '/v1/tokens',
    schema: {
      operationId: 'listTokens',
      tags: ['tokens'],
      summary: 'List tokens',
      description:
        'Returns the minted tokens, oldest first, and what each of them uses. The secret values are never shown.',
      response: { 200: answer('The tokens.', AccessTokenList) },
    },
    handler: async () => {
      const tokens = await engine.tokens.list();
      const show = async (token: AccessToken) => ({
        ...token,
        use: await useOfToken(token.id, { engine, connections }),
      });
      return { tokens: await Promise.all(tokens.map(show)) };
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/tokens',
    schema: {
      operationId: 'mintToken',
      tags: ['tokens'],
      summary: 'Mint a token',
      description:
        'Makes a token for an agent runtime. The token can resolve, retrieve and search context, hold sessions, and call tools of approved servers if the user need not be asked. It does not see sessions of others. All other operations are `forbidden_scope`: for example, it cannot approve, grant, write policies, define agents, change `toolPermission`, delete sessions, or stop the daemon. It is valid until it is revoked. At most 100 are kept (`limit_exceeded`).',
      body: z.strictObject({
        scope: z.literal('agent').describe('What the token gives access to.'),
        label: z
          .string()
          .max(200)
          .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
          .optional()
          .describe('What the token is for. The list of tokens shows it.'),
      }),
      refusals: ['storage_full'],
      response: { 201: answer('The token.', MintedToken) },
    },
    handler: async (request, reply) => reply.code(201).send(await engine.tokens.mint(request.body.label ?? '')),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/tokens/:id',
    schema: {
      operationId: 'revokeToken',
      tags: ['tokens'],
      summary: 'Revoke a token',
      description:
        'The token gives no access from now on. Its connections, streams and MCP sessions end. Sessions that were made with it stay, but only the user can use them.',
      params: z.strictObject({ id }),
      refusals: ['not_found', 'storage_full'],
      response: { 204: emptyAnswer('The token is revoked.') },
    },
    handler: async (request, reply) => {
      await engine.tokens.revoke(request.params.id);
      return reply.code(204).send(null);
    },
  });
}
