/** Examples of the operations about agents. All but `putAgent` and `importAgent` need the agent of the latter. */
import type { OperationExample } from './examples.ts';

const path = { agentId: 'reviewer' };
const noSecrets = { name: 'no-secrets', description: 'What never belongs in a commit', text: 'Never commit keys.' };
const glossary = { name: 'glossary', text: 'A cart is what a customer has not paid yet.', include: 'agent' as const };

const reviewer = {
  id: 'reviewer',
  name: 'Reviewer',
  description: 'Reads pull requests',
  systemPrompt: 'You review changes.',
  mountedDirectory: '~/project',
  rules: [{ ...noSecrets, priority: 100, include: 'always' as const }],
  references: [glossary],
  settings: { search: { preset: 'conservative' as const }, maxChatTurns: 10 },
};
const { id: _id, ...body } = reviewer;

const yaml = `id: reviewer
name: Reviewer
description: Reads pull requests
systemPrompt: You review changes.
mountedDirectory: ~/project
rules:
  - name: no-secrets
    description: What never belongs in a commit
    priority: 100
    text: Never commit keys.
    include: always
references:
  - name: glossary
    text: A cart is what a customer has not paid yet.
    include: agent
settings:
  search:
    preset: conservative
  maxChatTurns: 10
`;

const sha256 = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';

export const agentExamples: Readonly<Record<string, OperationExample>> = {
  listAgents: {
    answer: {
      agents: [
        {
          id: 'reviewer',
          name: 'Reviewer',
          description: 'Reads pull requests',
          mountedDirectory: '~/project',
          rules: 1,
          references: 1,
          mcpServers: 0,
          createdAt: '2026-01-05T08:31:00.000Z',
          updatedAt: '2026-01-05T08:31:00.000Z',
          etag: sha256,
        },
      ],
    },
  },
  putAgent: { path, headers: { 'if-match': `"${sha256}"`, 'if-none-match': '*' }, body, answer: reviewer },
  getAgent: { path, answer: reviewer },
  deleteAgent: { path, headers: { 'if-match': `"${sha256}"` } },
  exportAgent: { path, query: { format: 'json' }, answer: reviewer },
  importAgent: { body: { content: yaml, replace: true }, answer: reviewer },
  listAgentItems: {
    path,
    answer: {
      items: [
        {
          type: 'rule',
          name: 'no-secrets',
          include: 'always',
          description: 'What never belongs in a commit',
          priority: 100,
          source: 'inline',
          sha256,
        },
        {
          type: 'reference',
          name: 'glossary',
          include: 'agent',
          description: '',
          priority: 500,
          source: 'inline',
          sha256,
        },
        {
          type: 'rule',
          name: 'style',
          include: 'auto',
          description: 'How TypeScript is written here',
          priority: 500,
          source: 'file',
          path: '/home/ada/project/.context/style.md',
          sha256,
        },
      ],
      warnings: [],
    },
  },
  putAgentRule: {
    path: { ...path, name: 'no-secrets' },
    headers: { 'if-match': `"${sha256}"` },
    body: { description: noSecrets.description, text: noSecrets.text },
    answer: noSecrets,
  },
  deleteAgentRule: { path: { ...path, name: 'no-secrets' }, headers: { 'if-match': `"${sha256}"` } },
  putAgentReference: {
    path: { ...path, name: 'glossary' },
    headers: { 'if-match': `"${sha256}"` },
    body: { text: glossary.text, include: 'agent' },
    answer: glossary,
  },
  deleteAgentReference: { path: { ...path, name: 'glossary' }, headers: { 'if-match': `"${sha256}"` } },
  searchItems: {
    body: {
      agentId: 'reviewer',
      query: 'how do we write TypeScript?',
      types: ['rule', 'reference'],
      topN: 1,
      rejected: 1,
    },
    answer: {
      results: [
        {
          type: 'rule',
          name: 'style',
          path: '/home/ada/project/.context/style.md',
          score: 0.81,
          engine: 'hybrid',
          chunk: { index: 0, text: 'style: How TypeScript is written here\n\nUse tabs.' },
        },
      ],
      rejected: [
        {
          type: 'reference',
          name: 'glossary',
          score: 0.12,
          engine: 'hybrid',
          chunk: { index: 0, text: 'glossary: \n\nTS: TypeScript.' },
          reason: { code: 'below_min_score', detail: 'the score is below 0.5' },
        },
      ],
      searched: 14,
      semantic: { status: 'ready', engine: 'hybrid' },
      warnings: [],
    },
  },
};

/** What has to be there before the other examples work. */
export const exampleAgent = { path: '/v1/agents/reviewer', body };
