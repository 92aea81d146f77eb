/** Examples of the operations about policies. `putPolicy` needs a project without a policy. */
import type { OperationExample } from './examples.ts';

const path = '/home/ada/project/.ai-context-policy.yaml';
const blocked = {
  path: '/home/ada/project/secrets/prices.md',
  allowed: false,
  reason: { code: 'policy_exception', detail: `exclude "secrets/**" in ${path}:3` },
  decidedBy: { path, pattern: 'secrets/**', line: 3 },
};
const document = {
  path,
  directory: '/home/ada/project',
  aiContextPolicy: 'allow',
  exclude: ['secrets/**'],
  version: 1,
  valid: true,
  etag: '5d41402abc4b2a76b9719d911017c592-57',
  text: 'ai_context_policy: allow\nexclude:\n  - "secrets/**"\n',
};
const wanted = { mountedDirectory: '~/project', aiContextPolicy: 'allow', exclude: ['secrets/**'] };

export const policyExamples: Readonly<Record<string, OperationExample>> = {
  checkPolicy: {
    body: { mountedDirectory: '~/project', paths: ['secrets/prices.md'] },
    answer: { decisions: [blocked], warnings: [] },
  },
  listPolicies: {
    query: { mountedDirectory: '~/project' },
    answer: { mountedDirectory: document.directory, policies: [document], warnings: [] },
  },
  putPolicy: { headers: { 'if-match': `"${document.etag}"`, 'if-none-match': '*' }, body: wanted, answer: document },
  previewPolicy: {
    body: { ...wanted, limit: 1 },
    answer: {
      ...{ allowed: 212, blocked: 1, sample: [blocked] },
      ...{ changes: { allowed: 0, blocked: 1, sample: [blocked] }, truncated: false, warnings: [] },
    },
  },
  deletePolicy: {
    query: { mountedDirectory: '~/project', directory: '.', name: '.ai-context-policy.yaml' },
    headers: { 'if-match': `"${document.etag}"` },
  },
};
