/** Each operation names the statuses and codes of its refusals (AN-06). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../routes/http/problem.ts';
import { undocumented } from '../support/documented-answers.ts';

type Media = { schema: { $ref?: string }; example?: unknown };
type Response = { $ref?: string; description: string; content?: Record<string, Media> };
type Operation = { operationId: string; responses: Record<string, Response> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response> };
};

const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as Document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const referred = ({ $ref }: Response) => document.components.responses[$ref?.split('/').at(-1) ?? ''];

const refusalsOf = (operationId: string): Record<string, string[]> => {
  const operation = operations.find((each) => each.operationId === operationId);
  const refusals = Object.entries(operation?.responses ?? {}).filter(([status]) => status >= '400');
  return Object.fromEntries(
    refusals.map(([status, response]) => [
      status,
      [...(referred(response) ?? response).description.matchAll(/`(\w+)`/gu)].map((match) => match[1] as string),
    ]),
  );
};

describe('refusals', () => {
  it('AN-06 have a status each, no range, and an example with one of the codes that are named', () => {
    for (const { operationId, responses } of operations)
      for (const [status, response] of Object.entries(responses)) {
        expect(status, operationId).toMatch(/^[1-5]\d\d$/u);
        if (status < '400') continue;
        const { description, content } = referred(response) ?? response;
        const media = content?.['application/problem+json'];
        // The Model Context Protocol refuses messages by its own errors.
        if (operationId.endsWith('Mcp') && media === undefined) continue;
        const problem = Problem.strict().parse(media?.example);
        expect(media?.schema).toEqual({ $ref: '#/components/schemas/Problem' });
        expect(problem.status).toBe(Number(status));
        expect(description).toContain(`\`${problem.code}\``);
        expect(description).toMatch(/^[A-Z].*\.$/u);
      }
  });

  it('AN-06 are those that the operation can give, and no others', () => {
    const ofAll = {
      400: ['invalid_request'],
      408: ['invalid_request'],
      414: ['invalid_request'],
      415: ['unsupported_media_type'],
      417: ['invalid_request'],
      431: ['invalid_request'],
      500: ['internal'],
      503: ['unavailable'],
    };
    const atHost = ['forbidden_host', 'forbidden_origin'];
    const withToken = { ...ofAll, 401: ['unauthorized'], 429: ['limit_exceeded'] };
    expect(refusalsOf('getHealth')).toEqual({ ...ofAll, 403: atHost });
    expect(refusalsOf('listSessions')).toEqual({ ...withToken, 403: atHost });
    expect(refusalsOf('listAgents')).toEqual({ ...withToken, 403: atHost });
    expect(refusalsOf('listTokens')).toEqual({ ...withToken, 403: [...atHost, 'forbidden_scope'] });
    expect(refusalsOf('putPolicy')).toEqual({
      ...withToken,
      403: [...atHost, 'forbidden_scope', 'path_outside_roots'],
      404: ['not_found'],
      409: ['conflict'],
      412: ['version_mismatch'],
      413: ['payload_too_large'],
      507: ['storage_full'],
    });
    expect(refusalsOf('callMcpTool')).toMatchObject({ 502: ['upstream_failed'], 504: ['upstream_timeout'] });
  });

  it('AN-06 that no document names are noticed by every test', () => {
    const answer = { method: 'POST', target: '/v1/agents/import?x=1', status: 409, code: 'conflict' };
    expect(undocumented(answer)).toBeUndefined();
    expect(undocumented({ ...answer, status: 418 })).toContain('answers 418');
    expect(undocumented({ ...answer, code: 'approval_stale' })).toContain('the code approval_stale');
    expect(undocumented({ ...answer, code: undefined })).toBeUndefined();
    expect(undocumented({ method: 'HEAD', target: '/health', status: 404 })).toContain('GET /health answers 404');
    expect(undocumented({ method: 'PATCH', target: '/health', status: 405 })).toBeUndefined();
  });
});
