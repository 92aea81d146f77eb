/** The OpenAPI document: complete, consistent, committed, and its examples work (SY-02). */

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operationExamples } from '../../openapi/examples.ts';
import { exampleAgent } from '../../openapi/examples-agents.ts';
import { exampleServer } from '../../openapi/examples-servers.ts';
import { exampleSession } from '../../openapi/examples-sessions.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { AgentItems, AgentList } from '../../routes/agents.ts';
import { ConsoleCode, SignInPage } from '../../routes/console.ts';
import { isPublicRequest } from '../../routes/http/guard.ts';
import { scopeNeeded } from '../../routes/http/scopes.ts';
import { ReplyAnswer, RequestList } from '../../routes/requests.ts';
import { GrantedRoots } from '../../routes/roots.ts';
import { WarmJob } from '../../routes/search-index.ts';
import { SessionList } from '../../routes/sessions.ts';
import { Status } from '../../routes/status.ts';
import { Health, Stopping } from '../../routes/system.ts';
import { AccessTokenList, MintedToken } from '../../routes/tokens.ts';
import { GrantedRoot } from '../../src/access/roots.ts';
import { Agent } from '../../src/agent/agent.ts';
import { InlineItem } from '../../src/agent/item.ts';
import { ItemSearchResult } from '../../src/agent/item-search.ts';
import { ConvertResult } from '../../src/context/convert/convert-request.ts';
import { ExplainResult } from '../../src/context/explain-result.ts';
import { FormatsResult, FormatsWritten } from '../../src/context/formats-request.ts';
import { ResolveResult } from '../../src/context/resolve-result.ts';
import type { Engine } from '../../src/engine.ts';
import {
  McpPromptContent,
  McpPromptList,
  McpResourceContent,
  McpResourceList,
  McpServerEntry,
  McpServerList,
  McpToolList,
  ToolCallResult,
} from '../../src/mcp/server-requests.ts';
import { PolicyCheckResult, PolicyDocument, PolicyList, PolicyPreview } from '../../src/policy/policy-requests.ts';
import { ContextResult } from '../../src/prompt/context-result.ts';
import { RetrieveResult } from '../../src/retrieval/retrieve-result.ts';
import { SearchStatus } from '../../src/search/index-verbs.ts';
import { RebuiltRequest, RequestReceipt } from '../../src/session/request.ts';
import { Session, SessionChanges, SessionItems, SessionSummary } from '../../src/session/session.ts';
import { AgentUsage } from '../../src/session/usage.ts';
import { ConsoleSession, createConsoleSessions } from '../../src/sign-in/console-sessions.ts';
import { FileSearchResult, SupplementaryItem, SupplementaryList } from '../../src/supplementary/supplementary-item.ts';
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import { jsonSchemaOf } from '../../src/validation/json-schemas.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeMcpLauncher } from '../support/fake-mcp-launcher.ts';
import { nothingYet } from '../support/versions.ts';
import { contextFile, createWorkspace } from '../support/workspace.ts';
import { createTestApp, operationsOf, type TestApp, testConsole } from './support/listening-app.ts';

type Schema = {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  required?: string[];
};
type Media = { schema: Schema; example?: unknown };
type Answer = {
  $ref?: string;
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
};
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: unknown[];
  parameters?: { name: string; description?: string; example?: unknown; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer>;
};
type Document = {
  openapi: string;
  info: { version: string; title: string; description: string };
  tags: { name: string }[];
  security: unknown[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Answer>;
    headers: Record<string, { description: string; example: unknown; schema: { type: string } }>;
    securitySchemes: Record<string, { type: string; scheme: string }>;
  };
};

let document: Document;
let operations: { path: string; method: string; operation: Operation }[];
beforeAll(async () => {
  const { app } = await createTestApp({ version: packageJson.version });
  document = JSON.parse(JSON.stringify(app.swagger()));
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  await app.close();
});

const refPrefix = '#/components/schemas/';
const responsePrefix = '#/components/responses/';
const headerPrefix = '#/components/headers/';
const headersIn = ({ $ref, headers }: Answer): string[] =>
  Object.keys(
    ($ref === undefined ? headers : document.components.responses[$ref.slice(responsePrefix.length)]?.headers) ?? {},
  );
const referencesIn = (part: unknown) =>
  [...JSON.stringify(part).matchAll(/"\$ref":"([^"]+)"/gu)].map((match) => match[1] as string);

describe('document', () => {
  it('SY-02 is the committed file', async () => {
    const committed = await readFile(new URL('../../openapi/openapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(committed), 'run `npm run openapi`').toEqual(document);
    expect(committed).toBe(`${JSON.stringify(document, undefined, 2)}\n`);
  });

  it('SY-02 holds every operation of the contract', () => {
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual([
      'DELETE /mcp',
      'DELETE /v1/agents/{agentId}',
      'DELETE /v1/agents/{agentId}/references/{name}',
      'DELETE /v1/agents/{agentId}/rules/{name}',
      'DELETE /v1/console/sessions',
      'DELETE /v1/mcp/approvals/{fingerprint}',
      'DELETE /v1/policy',
      'DELETE /v1/roots',
      'DELETE /v1/sessions/{sessionId}',
      'DELETE /v1/sessions/{sessionId}/context-items',
      'DELETE /v1/supplementary',
      'DELETE /v1/supplementary/{id}',
      'DELETE /v1/tokens/{id}',
      'GET /',
      'GET /docs',
      'GET /health',
      'GET /mcp',
      'GET /metrics',
      'GET /openapi.json',
      'GET /v1/agents',
      'GET /v1/agents/{agentId}',
      'GET /v1/agents/{agentId}/export',
      'GET /v1/agents/{agentId}/items',
      'GET /v1/agents/{agentId}/usage',
      'GET /v1/events',
      'GET /v1/export',
      'GET /v1/formats',
      'GET /v1/mcp/servers',
      'GET /v1/mcp/servers/{id}/prompts',
      'GET /v1/mcp/servers/{id}/resources',
      'GET /v1/mcp/servers/{id}/tools',
      'GET /v1/policy',
      'GET /v1/request-contexts',
      'GET /v1/roots',
      'GET /v1/schemas/{kind}',
      'GET /v1/search/status',
      'GET /v1/sessions',
      'GET /v1/sessions/{sessionId}',
      'GET /v1/sessions/{sessionId}/changes',
      'GET /v1/sessions/{sessionId}/requests',
      'GET /v1/sessions/{sessionId}/requests/{requestId}',
      'GET /v1/status',
      'GET /v1/supplementary',
      'GET /v1/tokens',
      'PATCH /v1/sessions/{sessionId}',
      'POST /mcp',
      'POST /v1/agents/import',
      'POST /v1/config/validate',
      'POST /v1/console/codes',
      'POST /v1/console/sessions',
      'POST /v1/console/sign-in-pages',
      'POST /v1/context',
      'POST /v1/context/convert',
      'POST /v1/context/explain',
      'POST /v1/context/resolve',
      'POST /v1/hooks/{tool}',
      'POST /v1/mcp/approvals',
      'POST /v1/mcp/servers/{id}/prompts/get',
      'POST /v1/mcp/servers/{id}/resources/read',
      'POST /v1/mcp/servers/{id}/restart',
      'POST /v1/mcp/servers/{id}/start',
      'POST /v1/mcp/servers/{id}/stop',
      'POST /v1/mcp/servers/{id}/tools/{tool}/call',
      'POST /v1/policy/check',
      'POST /v1/policy/preview',
      'POST /v1/retrieve',
      'POST /v1/roots',
      'POST /v1/search',
      'POST /v1/search/warm',
      'POST /v1/sessions',
      'POST /v1/sessions/{sessionId}/context-items',
      'POST /v1/sessions/{sessionId}/requests',
      'POST /v1/sessions/{sessionId}/requests/{requestId}/reply',
      'POST /v1/shutdown',
      'POST /v1/supplementary',
      'POST /v1/tokens',
      'POST /v1/workspace/files/search',
      'PUT /v1/agents/{agentId}',
      'PUT /v1/agents/{agentId}/references/{name}',
      'PUT /v1/agents/{agentId}/rules/{name}',
      'PUT /v1/formats',
      'PUT /v1/policy',
      'PUT /v1/supplementary',
    ]);
  });

  it('SY-02 is OpenAPI 3.1 and declares the bearer token', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'contextd', version: packageJson.version });
    expect(document.components.securitySchemes).toMatchObject({ token: { type: 'http', scheme: 'bearer' } });
    expect(document.security).toEqual([{ token: [] }]);
    expect(JSON.stringify(document)).not.toMatch(/"x-/u);
  });

  it('SY-02 S-06 says of each operation what it is called and whether it needs the token', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { path, method, operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/u);
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/u);
      expect(operation.description).toMatch(/^[A-Z].*\.$/su);
      expect(operation.tags.length).toBe(1);
      expect(tags).toContain(operation.tags[0]);
      const scope = scopeNeeded(operation.operationId);
      expect(operation.security).toEqual(isPublicRequest(method.toUpperCase(), path) ? [] : [{ token: [scope] }]);
    }
  });

  it('SY-02 describes good answers of each operation', () => {
    for (const { operation } of operations) {
      const good = Object.entries(operation.responses).filter(([status]) => /^2\d\d$/u.test(status));
      expect(good.length).toBeGreaterThan(0);
      for (const [, { description }] of good) expect(description).toMatch(/^[A-Z].*\.$/u);
    }
  });

  it('SY-02 has no dangling reference and no schema that nothing uses', () => {
    const { schemas, responses } = document.components;
    const used = new Set<string>();
    const usedResponses = new Set<string>();
    const visit = (part: unknown): void => {
      for (const reference of referencesIn(part)) {
        if (reference.startsWith(headerPrefix)) continue;
        if (reference.startsWith(responsePrefix)) {
          const response = reference.slice(responsePrefix.length);
          expect(responses[response], reference).toBeTruthy();
          usedResponses.add(response);
          visit(responses[response]);
          continue;
        }
        const name = reference.slice(refPrefix.length);
        expect(reference.startsWith(refPrefix) && schemas[name], reference).toBeTruthy();
        if (used.has(name)) continue;
        used.add(name);
        visit(schemas[name]);
      }
    };
    visit(document.paths);
    expect(Object.keys(schemas).sort()).toEqual([...used].sort());
    expect(Object.keys(responses).sort()).toEqual([...usedResponses].sort());
    expect([...used].filter((name) => name.endsWith('Input'))).toEqual([]);
  });

  it('AN-06 has only patterns that mean the same to Python, Go, Java and Rust', () => {
    const kinds = ['context-config', 'ai-context-policy', 'context-file'] as const;
    const patterns: string[] = [];
    JSON.stringify([document, ...kinds.map(jsonSchemaOf)], (key, value) => {
      if (key === 'pattern' && typeof value === 'string') patterns.push(value);
      return value;
    });
    expect(patterns).toContain('^[0-9a-f]{64}$');
    // Classes of Unicode, octal numbers, and what looks ahead or back.
    expect(patterns.filter((pattern) => /\\p|\\[0-9]|\(\?[=!<]/iu.test(pattern))).toEqual([]);
  });

  it('AN-06 describes the headers of answers', () => {
    const ofStatus: Record<string, string> = { 401: 'WWW-Authenticate', 405: 'Allow', 503: 'Retry-After' };
    for (const { operation } of operations)
      for (const [status, answer] of Object.entries(operation.responses)) {
        const wanted = ['X-Request-Id', ...(ofStatus[status] === undefined ? [] : [ofStatus[status]])];
        const found = headersIn(answer).filter((name) => name !== 'ETag');
        expect(found, `${operation.operationId} ${status}`).toEqual(wanted);
      }
    const { headers } = document.components;
    const used = new Set(referencesIn(document).filter((reference) => reference.startsWith(headerPrefix)));
    expect([...used].sort()).toEqual(
      Object.keys(headers)
        .map((name) => headerPrefix + name)
        .sort(),
    );
    for (const { description, example, schema } of Object.values(headers)) {
      expect(description).toMatch(/^[A-Z].*\.$/u);
      expect(typeof example).toBe(schema.type === 'integer' ? 'number' : 'string');
    }
  });

  it('SY-02 describes every field, and closes what is strict', () => {
    const undescribed: string[] = [];
    const described = (schema: Schema): boolean =>
      schema.$ref === undefined
        ? Boolean(schema.description)
        : Boolean(document.components.schemas[schema.$ref.slice(refPrefix.length)]?.description);
    const visit = (schema: Schema, where: string): void => {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        if (!described(property)) undescribed.push(`${where}.${name}`);
        visit(property, `${where}.${name}`);
      }
      if (schema.items) visit(schema.items, `${where}[]`);
      if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, `${where}{}`);
      for (const choice of schema.anyOf ?? []) visit(choice, where);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(schema.description, name).toBeTruthy();
      visit(schema, name);
    }
    for (const { operation } of operations)
      for (const parameter of operation.parameters ?? [])
        if (!parameter.description) undescribed.push(`${operation.operationId}?${parameter.name}`);
    expect(undescribed).toEqual([]);
    for (const { operation } of operations)
      for (const reference of referencesIn(operation.requestBody ?? {}))
        expect(document.components.schemas[reference.slice(refPrefix.length)]?.additionalProperties).toBe(false);
  });
});

/** The schema of the good answer of each operation; an operation without a row fails. */
const answers: Record<string, z.ZodType | undefined> = {
  getHealth: Health.strict(),
  getStatus: Status.strict(),
  getMetrics: undefined,
  shutDown: Stopping.strict(),
  listRoots: GrantedRoots.strict(),
  listFormats: FormatsResult,
  putFormats: FormatsWritten.strict(),
  listTokens: AccessTokenList.strict(),
  mintToken: MintedToken.strict(),
  revokeToken: undefined,
  grantRoot: GrantedRoot.strict(),
  revokeRoot: undefined,
  resolveContext: ResolveResult.strict(),
  explainContext: ExplainResult.strict(),
  gatherContext: ContextResult.strict(),
  convertContext: ConvertResult.strict(),
  retrieveContext: RetrieveResult.strict(),
  validateConfig: ValidateResult.strict(),
  answerHook: z.record(z.string(), z.unknown()),
  listAgents: AgentList.strict(),
  putAgent: Agent,
  getAgent: Agent,
  deleteAgent: undefined,
  exportAgent: Agent,
  importAgent: Agent,
  listAgentItems: AgentItems.strict(),
  putAgentRule: InlineItem,
  deleteAgentRule: undefined,
  putAgentReference: InlineItem,
  deleteAgentReference: undefined,
  searchItems: ItemSearchResult.strict(),
  warmSearch: WarmJob.strict(),
  getSearchStatus: SearchStatus.strict(),
  createSession: Session.strict(),
  listSessions: SessionList.strict(),
  getSession: Session.strict(),
  updateSession: SessionSummary.strict(),
  deleteSession: undefined,
  listSessionChanges: SessionChanges.strict(),
  addSessionItem: SessionItems.strict(),
  removeSessionItem: SessionItems.strict(),
  createRequest: RequestReceipt.strict(),
  replyToRequest: ReplyAnswer.strict(),
  listRequests: RequestList.strict(),
  getRequest: RebuiltRequest.strict(),
  getAgentUsage: AgentUsage.strict(),
  exportRequestContexts: undefined,
  exportState: undefined,
  checkPolicy: PolicyCheckResult.strict(),
  listPolicies: PolicyList.strict(),
  putPolicy: PolicyDocument.strict(),
  previewPolicy: PolicyPreview.strict(),
  deletePolicy: undefined,
  listSupplementary: SupplementaryList.strict(),
  addSupplementary: SupplementaryItem.strict(),
  replaceSupplementary: SupplementaryList.strict(),
  removeSupplementary: undefined,
  clearSupplementary: undefined,
  searchWorkspaceFiles: FileSearchResult.strict(),
  listMcpServers: McpServerList.strict(),
  approveMcpServer: McpServerEntry.strict(),
  revokeMcpApproval: undefined,
  startMcpServer: McpServerEntry.strict(),
  stopMcpServer: McpServerEntry.strict(),
  restartMcpServer: McpServerEntry.strict(),
  listMcpTools: McpToolList.strict(),
  callMcpTool: ToolCallResult.strict(),
  listMcpResources: McpResourceList.strict(),
  readMcpResource: McpResourceContent.strict(),
  listMcpPrompts: McpPromptList.strict(),
  getMcpPrompt: McpPromptContent.strict(),
  getFileSchema: undefined,
  streamEvents: undefined,
  sendMcp: undefined,
  streamMcp: undefined,
  endMcpSession: undefined,
  getOpenApiDocument: undefined,
  getDocumentationPage: undefined,
  getConsolePage: undefined,
  createConsoleCode: ConsoleCode.strict(),
  createSignInPage: SignInPage.strict(),
  createConsoleSession: ConsoleSession.strict(),
  endConsoleSession: undefined,
};

/** Makes the session and the request of the examples, and puts their ids into a path. */
async function withSession(app: TestApp['app'], target: string): Promise<string> {
  const made = async (url: string, payload: object) => (await app.inject({ method: 'POST', url, payload })).json();
  const { id } = await made('/v1/sessions', exampleSession.body);
  const { requestId } = await made(`/v1/sessions/${id}/requests`, exampleSession.request);
  return target.replace(exampleSession.id, id).replace(exampleSession.requestId, requestId);
}

/** The header that names a session of a protocol which has sessions. */
async function beginMcpSession(app: TestApp['app']): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const payload = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
  const { headers } = await app.inject({ method: 'POST', url: '/mcp', payload });
  return { 'mcp-session-id': String(headers['mcp-session-id']), accept: 'text/event-stream, application/json' };
}

/** Approves and starts the server of the examples, and puts its id and fingerprint into a text. */
/** The etag of a policy that is written for it. */
async function withPolicy(engine: Engine): Promise<string> {
  const wanted = { mountedDirectory: '~/project', text: 'ai_context_policy: allow\n' };
  return (await engine.policy.put(wanted, nothingYet)).policy.etag as string;
}

async function withServer(engine: Engine, text: string): Promise<string> {
  await engine.agents.put('keeper', exampleServer.agent);
  const [server] = (await engine.mcp.list({ agentId: 'keeper' })).servers;
  const { id = '', fingerprint = '' } = server ?? {};
  await engine.mcp.approve({ fingerprint });
  await engine.mcp.start(id);
  return text.replace(exampleServer.id, id).replace(exampleServer.fingerprint, fingerprint);
}

const mcp = {
  load: async () => createFakeMcpLauncher(),
  environment: { PATH: '/usr/bin' },
  schemaChecker: { check: async () => ({ outcome: 'valid' }) as const, dispose() {} },
};

describe('examples', () => {
  it('SY-02 exist for each operation with input or a JSON answer of its own, and fit', () => {
    expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(answers).sort());
    expect(Object.keys(operationExamples).sort()).toEqual(Object.keys(answers).sort());
    for (const { operation } of operations) {
      const { operationId, parameters = [], requestBody, responses } = operation;
      for (const parameter of parameters) expect(parameter.example, `${operationId}?${parameter.name}`).toBeDefined();
      if (requestBody && parameters.length === 0)
        expect(requestBody.content['application/json']?.example).toBeDefined();
      const schema = answers[operationId];
      if (schema === undefined) continue;
      for (const [status, { content }] of Object.entries(responses))
        if (status.startsWith('2')) schema.parse(content?.['application/json']?.example);
    }
  });

  it.each(Object.keys(answers))('SY-02 the example of %s works on a real workspace', async (operationId) => {
    const { engine } = await createWorkspace(
      {
        '~/project/.context/style.md': contextFile(
          { description: 'How TypeScript is written here', trigger: 'auto', globs: '**/*.ts' },
          'Use tabs.\n',
        ),
        '~/project/src/button.ts': 'export {};\n',
        '/usr/bin/node': 'ELF',
      },
      { grantedRoots: [], ports: { mcp } },
    );
    if (operationId !== 'grantRoot') await engine.grantRoot('~/project');
    const console = testConsole(createConsoleSessions(createFakeClock()));
    const { app } = await createTestApp({ engine, console });
    const operation = operationsOf(app).find((each) => each.operationId === operationId);
    if (operation === undefined) throw new Error(`${operationId} is not documented`);
    if (operationId !== 'importAgent')
      await app.inject({ method: 'PUT', url: exampleAgent.path, payload: exampleAgent.body });
    const { method } = operation;
    let { target, body } = operation;
    // The body says what the query says; both at once are refused.
    const { bodyForQuery } = operationExamples[operationId] ?? {};
    if (bodyForQuery !== undefined) [target, body] = [target.split('?')[0] as string, JSON.stringify(bodyForQuery)];
    if (operation.path.startsWith('/v1/mcp/') && operationId !== 'listMcpServers') {
      target = await withServer(engine, target);
      body = body && (await withServer(engine, body));
    }
    if (operationId === 'removeSupplementary') {
      const { item } = await engine.supplementary.add({ mountedDirectory: '~/project', kind: 'file', path: 'a' });
      target = `/v1/supplementary/${item.id}`;
    }
    const policyVersion = operationId === 'deletePolicy' ? { 'if-match': `"${await withPolicy(engine)}"` } : {};
    const { code } = console.sessions.createCode();
    if (operationId === 'createConsoleSession') body = JSON.stringify({ code });
    const consoleToken = operationId === 'endConsoleSession' ? console.sessions.redeem(code)?.session.token : undefined;
    const authorization = consoleToken && { authorization: `Bearer ${consoleToken}` };
    if (operationId === 'revokeToken') target = `/v1/tokens/${(await engine.tokens.mint('')).id}`;
    const mcpSession = operationId.endsWith('Mcp') || operationId === 'endMcpSession' ? await beginMcpSession(app) : {};
    if (target.includes(exampleSession.id)) target = await withSession(app, target);
    const isStream = operationId.startsWith('stream');
    const answer = await app.inject({
      method: method as 'GET',
      url: target,
      payloadAsStream: isStream,
      headers: { ...mcpSession, ...authorization, ...policyVersion },
      ...(body !== undefined && {
        payload: body,
        headers: {
          ...mcpSession,
          'content-type': 'application/json',
          ...(['putPolicy', 'putFormats'].includes(operationId) && { 'if-none-match': '*' }),
        },
      }),
    });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    if (isStream) {
      // It does not end by itself.
      if (operationId === 'streamMcp') await app.inject({ method: 'DELETE', url: '/mcp', headers: mcpSession });
      else engine.endEvents();
      await text(answer.stream());
    }
    const described = operations.find((each) => each.operation.operationId === operationId)?.operation.responses;
    const headers = headersIn(described?.[answer.statusCode] as Answer);
    expect(headers.includes('ETag')).toBe(answer.headers.etag !== undefined);
    answers[operationId]?.parse(answer.json());
    // Nothing in these depends on the machine or the moment, but for hashes.
    if (
      ['resolveContext', 'explainContext', 'convertContext', 'validateConfig', 'getFileSchema'].includes(operationId)
    ) {
      const withoutHashes = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/[0-9a-f]{64}/gu, '…'));
      expect(withoutHashes(answer.json())).toEqual(withoutHashes(operationExamples[operationId]?.answer));
    }
    await app.close();
  });
});
