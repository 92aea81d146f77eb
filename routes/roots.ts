/** `/v1/roots`: the directories the user allows to be read (CC-33). */
import { z } from 'zod';
import { GrantedRoot } from '../src/access/roots.ts';
import { RequestPath } from '../src/context/resolve-request.ts';
import type { Engine } from '../src/engine.ts';
import { ContextdError } from '../src/errors.ts';
import { answer, emptyAnswer, type ZodApp } from './http/operation.ts';

const path = RequestPath.describe('Directory: absolute, or starting with `~/`.');

const RootPath = z.strictObject({ path }).meta({ id: 'RootPath', description: 'A directory.' });

export const GrantedRoots = z
  .object({ roots: z.array(GrantedRoot).describe('All granted roots.') })
  .meta({ id: 'GrantedRoots', description: 'The directories whose files may be read.' });
export type GrantedRoots = z.infer<typeof GrantedRoots>;

export function rootRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'GET',
    url: '/v1/roots',
    schema: {
      operationId: 'listRoots',
      tags: ['roots'],
      summary: 'List granted roots',
      description: 'The directories whose files may be read. Nothing outside them is ever opened.',
      response: { 200: answer('The granted roots.', GrantedRoots) },
    },
    handler: async () => ({ roots: await engine.listRoots() }),
  });

  app.route({
    method: 'POST',
    url: '/v1/roots',
    schema: {
      operationId: 'grantRoot',
      tags: ['roots'],
      summary: 'Grant a root',
      description:
        'Allows the daemon to read a directory and everything below it. The grant survives restarts. Granting twice changes nothing.',
      body: RootPath,
      refusals: ['not_found', 'storage_full'],
      response: {
        200: answer('The directory was already granted.', GrantedRoot),
        201: answer('The directory is granted now.', GrantedRoot),
      },
    },
    handler: async (request, reply) => {
      const { root, created } = await engine.grantRoot(request.body.path);
      return reply.code(created ? 201 : 200).send(root);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/roots',
    schema: {
      operationId: 'revokeRoot',
      tags: ['roots'],
      summary: 'Revoke a root',
      description:
        'Revokes a grant. Name the directory in the query or in the body, not in both. A root that was granted at start stays until the daemon stops (`conflict`). If the disk does not answer, only the grant with this name is revoked, and `unavailable` says which other root may be the same directory.',
      querystring: z.strictObject({ path: path.optional() }),
      body: RootPath.nullish(),
      refusals: ['not_found', 'conflict', 'storage_full'],
      response: { 204: emptyAnswer('The grant is revoked.') },
    },
    handler: async (request, reply) => {
      const paths = [request.query.path, request.body?.path].filter((path) => path !== undefined);
      if (paths.length !== 1)
        throw new ContextdError('invalid_request', 'Name the directory once, in the query or in the body.', [
          { pointer: '/path', message: paths.length === 0 ? 'Required.' : 'Named twice.' },
        ]);
      await engine.revokeRoot(paths[0] as string);
      return reply.code(204).send(null);
    },
  });
}
