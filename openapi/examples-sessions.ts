/** Examples of the operations about sessions and requests. They need the agent of the examples, a session and a request. */
import type { OperationExample } from './examples.ts';

const id = '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d';
const requestId = '1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed';
const path = { sessionId: id };
const requestPath = { ...path, requestId };
const headers = { 'if-match': '*' };
const sha256 = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';
const [createdAt, askedAt, repliedAt] = [
  '2026-01-05T08:32:00.000Z',
  '2026-01-05T08:33:00.000Z',
  '2026-01-05T08:33:04.000Z',
];

const message = 'How do we write TypeScript?';
const noSecrets = { type: 'rule' as const, name: 'no-secrets' };
const glossary = { type: 'reference' as const, name: 'glossary' };
const items = [
  { ...noSecrets, includeMode: 'always' as const },
  { ...glossary, includeMode: 'manual' as const },
];
const summary = {
  id,
  agentId: 'reviewer',
  createdAt,
  messageCount: 0,
  lastSyncId: 1,
  maxChatTurns: 10,
  maxOutputTokens: 4096,
  temperature: 0.2,
  topP: 1,
  toolPermission: 'tool' as const,
};
const session = { ...summary, contextItems: items.slice(0, 1), messages: [], warnings: [] };
const requestItems = [
  { ...noSecrets, includeMode: 'always' as const, sha256, tokens: 6 },
  { type: 'rule' as const, name: 'style', includeMode: 'auto' as const, sha256, tokens: 5 },
  { ...glossary, includeMode: 'agent' as const, similarityScore: 0.71, sha256, tokens: 12 },
];
const sentItems = requestItems.map((item, at) => ({
  ...item,
  priority: 100 * at,
  description: `What ${item.name} is about`,
}));
const receipt = {
  requestId,
  requestContext: { items: requestItems },
  omitted: [],
  usage: { tokens: 34, systemPrompt: 5, history: 0, items: 23, message: 6, maxTokens: 8000 },
  semantic: { status: 'ready' as const, engine: 'hybrid' },
  warnings: [],
};
const messages = [
  { role: 'system', content: 'You review changes.' },
  { role: 'user', content: 'Reference: A cart is what a customer has not paid yet.' },
  { role: 'user', content: 'Rule: Never commit keys.' },
  { role: 'user', content: 'Rule: Use tabs.\n' },
  { role: 'user', content: message },
];
const stored = {
  ...receipt,
  sessionId: id,
  agentId: 'reviewer',
  createdAt: askedAt,
  message,
  syncId: 2,
  replySyncId: 3,
};
const asked = { role: 'user', content: message, syncId: 2, at: askedAt, requestId };
const modelReply = { content: 'With tabs.' };
const replied = {
  role: 'assistant',
  modelReply,
  requestContext: { items: requestItems },
  ...{ syncId: 3, at: repliedAt, requestId },
};

const newSession = { agentId: 'reviewer', settings: { temperature: 0.2 } };
const newRequest = {
  message,
  documents: [
    {
      path: 'src/button.ts',
      content: "import { label } from './label.ts';\n",
      cursor: { line: 0, column: 9 },
      isActive: true,
    },
  ],
  include: { changes: true },
  budget: { maxTokens: 8000 },
};

export const sessionExamples: Readonly<Record<string, OperationExample>> = {
  createSession: { body: newSession, answer: session },
  listSessions: {
    query: { agentId: 'reviewer', after: 100, limit: 20 },
    answer: { sessions: [summary], warnings: [] },
  },
  getSession: {
    path,
    answer: { ...session, messageCount: 2, firstMessage: message, lastSyncId: 3, messages: [asked, replied] },
  },
  updateSession: {
    path,
    headers,
    body: { currentModelId: 'small-model', appendMessages: [{ role: 'error', content: 'The connection was lost.' }] },
    answer: { ...summary, currentModelId: 'small-model', messageCount: 1, lastSyncId: 3 },
  },
  deleteSession: { path, headers },
  listSessionChanges: {
    path,
    query: { since: 1, limit: 100 },
    answer: {
      full: false,
      changes: [
        { syncId: 2, at: askedAt, type: 'message', message: asked },
        { syncId: 3, at: repliedAt, type: 'message', message: replied },
      ],
      lastSyncId: 3,
      warnings: [],
    },
  },
  addSessionItem: { path, headers, body: glossary, answer: { items, lastSyncId: 2, warnings: [] } },
  removeSessionItem: {
    path,
    headers,
    query: { type: 'tool', name: 'find_ticket', serverName: 'tickets' },
    bodyForQuery: { type: 'tool', name: 'find_ticket', serverName: 'tickets' },
    answer: { items, lastSyncId: 3, warnings: [] },
  },
  createRequest: {
    ...{ path, headers: { 'idempotency-key': '5b181c84-9d0e-4d55-8a4e-0f6f1e6f2c11' }, body: newRequest },
    answer: { ...receipt, messages, tools: [], lastSyncId: 2 },
  },
  replyToRequest: { path: requestPath, body: { modelReply }, answer: { message: replied, lastSyncId: 3 } },
  listRequests: { path, query: { after: 100, limit: 20 }, answer: { requests: [stored], warnings: [] } },
  getRequest: {
    path: requestPath,
    answer: {
      ...stored,
      requestContext: { items: sentItems },
      messages,
      tools: [],
      changedItems: [{ ...glossary, change: 'changed', sha256 }],
    },
  },
  getAgentUsage: {
    path: { agentId: 'reviewer' },
    answer: {
      agentId: 'reviewer',
      requests: 20,
      items: [
        {
          ...glossary,
          include: 'agent',
          requests: 3,
          byMode: { always: 0, manual: 1, auto: 0, agent: 2 },
          tokens: 36,
          scores: { count: 2, min: 0.64, mean: 0.675, max: 0.71 },
          lastAt: askedAt,
        },
      ],
      suggestions: [
        {
          type: 'rule',
          name: 'style',
          code: 'never_used',
          message: 'No file in play ever matched its globs. Correct them, or remove it.',
        },
      ],
      warnings: [],
    },
  },
  exportRequestContexts: { query: { format: 'jsonl', agentId: 'reviewer' }, answer: `${JSON.stringify(stored)}\n` },
};

/** What has to be there before the other examples work: a session and a request, which have ids of their own then. */
export const exampleSession = { id, requestId, body: newSession, request: newRequest };
