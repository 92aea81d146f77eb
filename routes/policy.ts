/** `/v1/policy`: what an AI system may see of a workspace (AP-07, AP-09). */
import { z } from 'zod';
import { mountedDirectory } from '../src/context/resolve-request.ts';
import type { Engine } from '../src/engine.ts';
import {
  PolicyCheckRequest,
  PolicyCheckResult,
  PolicyDocument,
  PolicyList,
  PolicyPreview,
  PolicyPreviewRequest,
  PolicyRemoval,
  PolicyWriteRequest,
} from '../src/policy/policy-requests.ts';
import { answer, directoryRefusals, emptyAnswer, type ZodApp } from './http/operation.ts';
import { preconditionHeaders, requiredVersion } from './http/precondition.ts';

export function policyRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'POST',
    url: '/v1/policy/check',
    schema: {
      operationId: 'checkPolicy',
      tags: ['policy'],
      summary: 'Check what an AI system may see',
      description:
        'Decides about up to 10,000 files, which need not exist, and says which policy, pattern and line decided. Only the nearest policy decides, from the directory of the file up to the top of its git repository, or else to the granted root. The mounted directory makes no difference. If a link is on the way, the place that it leads to decides too. A link that leads nowhere is refused (`outside_roots`). Every operation that returns content makes the same decision.',
      body: PolicyCheckRequest,
      refusals: directoryRefusals,
      response: { 200: answer('One decision for each path.', PolicyCheckResult) },
    },
    handler: (request) => engine.policy.check(request.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/policy',
    schema: {
      operationId: 'listPolicies',
      tags: ['policy'],
      summary: 'List policies',
      description: 'Returns all AI context policies of a tree: their texts, and what they mean.',
      querystring: z.strictObject({ mountedDirectory }),
      refusals: directoryRefusals,
      response: { 200: answer('The policies.', PolicyList) },
    },
    handler: (request) => engine.policy.list(request.query.mountedDirectory),
  });

  app.route({
    method: 'PUT',
    url: '/v1/policy',
    schema: {
      operationId: 'putPolicy',
      tags: ['policy'],
      summary: 'Write a policy',
      description:
        'Writes the policy of a directory, whole or not at all. With `aiContextPolicy` and `exclude`, the comments, order and quotes of what stays are kept, and an invalid file is replaced. With `text`, the file is written byte for byte; an invalid policy is refused. The header names the version that the caller has seen. If the file has changed since then, the answer is `version_mismatch`.',
      headers: preconditionHeaders,
      body: PolicyWriteRequest,
      refusals: [...directoryRefusals, 'conflict', 'storage_full'],
      isVersioned: true,
      response: {
        200: answer('The policy was changed. This is what it is now.', PolicyDocument),
        201: answer('The policy was created.', PolicyDocument),
      },
    },
    handler: async (request, reply) => {
      const expected = requiredVersion(request.headers, ['if-match', 'if-none-match']);
      const { policy, created } = await engine.policy.put(request.body, expected);
      if (policy.etag !== undefined) reply.header('etag', `"${policy.etag}"`);
      return reply.code(created ? 201 : 200).send(policy);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/policy',
    schema: {
      operationId: 'deletePolicy',
      tags: ['policy'],
      summary: 'Remove a policy',
      description:
        'Removes the policy file of a directory. Then the next policy above the directory decides. The header names the version that the caller has seen. If a directory has two policy files, the version says which of them is meant; if both have the same content, `name` says it.',
      headers: preconditionHeaders,
      querystring: PolicyRemoval,
      refusals: [...directoryRefusals, 'conflict', 'storage_full'],
      response: { 204: emptyAnswer('The policy is removed.') },
    },
    handler: async (request, reply) => {
      await engine.policy.remove(request.query, requiredVersion(request.headers, ['if-match']));
      return reply.code(204).send(null);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/policy/preview',
    schema: {
      operationId: 'previewPolicy',
      tags: ['policy'],
      summary: 'Preview a policy',
      description:
        'Counts the files below a directory that a policy would allow and block before it is written. Shows some of both, and says what would change. Policies in directories below still decide for themselves. `.git` and `node_modules` are skipped.',
      body: PolicyPreviewRequest,
      refusals: directoryRefusals,
      response: { 200: answer('What the policy would allow.', PolicyPreview) },
    },
    handler: (request) => engine.policy.preview(request.body),
  });
}
