/** `/v1/supplementary` and `/v1/workspace/files/search` (SU-01 … SU-03). */
import { z } from 'zod';
import { ResolveRequest } from '../src/context/resolve-request.ts';
import type { Engine } from '../src/engine.ts';
import {
  FileSearchRequest,
  FileSearchResult,
  SupplementaryAddition,
  SupplementaryItem,
  SupplementaryList,
  SupplementaryReplacement,
} from '../src/supplementary/supplementary-item.ts';
import { answer, directoryRefusals, emptyAnswer, type ZodApp } from './http/operation.ts';
import { expectedVersion, preconditionHeaders } from './http/precondition.ts';

const ofDirectory = z.strictObject({
  mountedDirectory: ResolveRequest.shape.mountedDirectory,
});

const tags = ['supplementary'];

export function supplementaryRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'GET',
    url: '/v1/supplementary',
    schema: {
      operationId: 'listSupplementary',
      tags,
      summary: 'List what the user added',
      description:
        'The files, folders and tabs that the user added to the context of a mounted directory. Items that cannot be used now stay in the list, with the reasons. The reasons are determined anew for each request.',
      querystring: ofDirectory,
      refusals: directoryRefusals,
      isVersioned: true,
      response: { 200: answer('The list.', SupplementaryList) },
    },
    handler: async (request, reply) => {
      const list = await engine.supplementary.list(request.query.mountedDirectory);
      return reply.header('etag', `"${list.etag}"`).send(list);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/supplementary',
    schema: {
      operationId: 'addSupplementary',
      tags,
      summary: 'Add a file, folder or tab',
      description:
        'Adds an item to the end of the list. If the list already has an item with this kind and path, nothing changes. Only the path is stored, not the content. A list holds at most 1,000 items (`limit_exceeded`).',
      body: SupplementaryAddition,
      refusals: [...directoryRefusals, 'storage_full'],
      response: {
        200: answer('The item was already in the list.', SupplementaryItem),
        201: answer('The item was added.', SupplementaryItem),
      },
    },
    handler: async (request, reply) => {
      const { item, created } = await engine.supplementary.add(request.body);
      return reply.code(created ? 201 : 200).send(item);
    },
  });

  app.route({
    method: 'PUT',
    url: '/v1/supplementary',
    schema: {
      operationId: 'replaceSupplementary',
      tags,
      summary: 'Replace the list',
      description:
        'Replaces the whole list; the order counts. With `If-Match`, the list is replaced only if nobody has changed it since the caller read it (`version_mismatch`).',
      headers: preconditionHeaders,
      body: SupplementaryReplacement,
      refusals: [...directoryRefusals, 'storage_full'],
      isVersioned: true,
      response: { 200: answer('The new list.', SupplementaryList) },
    },
    handler: async (request, reply) => {
      const list = await engine.supplementary.replace(request.body, expectedVersion(request.headers));
      return reply.header('etag', `"${list.etag}"`).send(list);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/supplementary/:id',
    schema: {
      operationId: 'removeSupplementary',
      tags,
      summary: 'Remove an item',
      description: 'Takes an item out of its list. The file itself is not touched.',
      params: z.strictObject({
        id: z.string().min(1).max(64).describe('Id of the item.'),
      }),
      refusals: ['not_found', 'storage_full'],
      response: { 204: emptyAnswer('The item is removed.') },
    },
    handler: async (request, reply) => {
      await engine.supplementary.remove(request.params.id);
      return reply.code(204).send(null);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/supplementary',
    schema: {
      operationId: 'clearSupplementary',
      tags,
      summary: 'Clear the list',
      description:
        'Removes all items of a mounted directory, which need not exist any more. The files themselves are not touched.',
      headers: preconditionHeaders,
      querystring: ofDirectory,
      refusals: ['storage_full'],
      response: { 204: emptyAnswer('The list is empty.') },
    },
    handler: async (request, reply) => {
      await engine.supplementary.clear(request.query.mountedDirectory, expectedVersion(request.headers));
      return reply.code(204).send(null);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/workspace/files/search',
    schema: {
      operationId: 'searchWorkspaceFiles',
      tags,
      summary: 'Find files to add',
      description:
        'Finds files of a workspace by letters of their paths. Files that `.gitignore` excludes are not suggested. Sensitive files are never suggested. A file that was written before the request is found.',
      body: FileSearchRequest,
      refusals: directoryRefusals,
      response: { 200: answer('The files that match best, best first.', FileSearchResult) },
    },
    handler: (request) => engine.supplementary.searchFiles(request.body),
  });
}
