/** `/v1/tokens`: tokens for agent runtimes, which open less than the user's own (S-15). */
import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import { answer, emptyAnswer, type ZodApp } from './operation.ts';

const id = z
  .string()
  .regex(/^[0-9a-f]{32}$/u, 'must be the id of a token')
  .describe('Id of the token.');

export const AccessToken = z
  .object({
    id: z.string().describe('Names the token; it is not the token.'),
    scope: z.literal('agent').describe('What it opens.'),
    label: z.string().describe('What it is for.'),
    createdAt: z.string().describe('When it was minted, ISO 8601 UTC.'),
  })
  .meta({ id: 'AccessToken', description: 'A token that was minted, without the token itself.' });
export type AccessToken = z.infer<typeof AccessToken>;

export const MintedToken = AccessToken.extend({
  token: z.string().describe('The token. It is told only here.'),
}).meta({ id: 'MintedToken', description: 'A new token.' });
export type MintedToken = z.infer<typeof MintedToken>;

export const AccessTokenList = z
  .object({ tokens: z.array(AccessToken).describe('In the order in which they were minted.') })
  .meta({ id: 'AccessTokenList', description: 'The tokens that were minted.' });
export type AccessTokenList = z.infer<typeof AccessTokenList>;

export function tokenRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'GET',
    url: '/v1/tokens',
    schema: {
      operationId: 'listTokens',
      tags: ['tokens'],
      summary: 'List tokens',
      description: 'The tokens that were minted, in the order in which they were; never the tokens themselves.',
      response: { 200: answer('The tokens.', AccessTokenList) },
    },
    handler: async () => ({ tokens: engine.tokens.list() }),
  });

  app.route({
    method: 'POST',
    url: '/v1/tokens',
    schema: {
      operationId: 'mintToken',
      tags: ['tokens'],
      summary: 'Mint a token',
      description:
        'Makes a token for an agent runtime. With it context can be resolved, retrieved and searched, sessions held, and tools of approved servers called; it cannot approve, grant, write policies, define agents, change `toolPermission`, delete, or stop the daemon (`forbidden_scope`). It is valid until it is revoked. At most 100 are kept (`limit_exceeded`).',
      body: z.strictObject({
        scope: z.literal('agent').describe('What the token opens.'),
        label: z
          .string()
          .max(200)
          .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
          .optional()
          .describe('What it is for, so that it can be told from others.'),
      }),
      response: { 201: answer('The token.', MintedToken) },
    },
    handler: async (request, reply) => reply.code(201).send(engine.tokens.mint(request.body.label ?? '')),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/tokens/:id',
    schema: {
      operationId: 'revokeToken',
      tags: ['tokens'],
      summary: 'Revoke a token',
      description: 'From now on the token opens nothing; a stream of events that is open stays until it ends.',
      params: z.strictObject({ id }),
      response: { 204: emptyAnswer('The token is revoked.') },
    },
    handler: async (request, reply) => {
      engine.tokens.revoke(request.params.id);
      return reply.code(204).send(null);
    },
  });
}
