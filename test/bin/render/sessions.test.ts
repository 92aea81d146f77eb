import { describe, expect, it } from 'vitest';
import { createSheet } from '../../../src/bin/render/page.ts';
import { renderReceipt, renderSession, renderSessionList } from '../../../src/bin/render/sessions.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';
import type { RequestReceipt } from '../../../src/session/request.ts';
import type { Session } from '../../../src/session/session.ts';

const sheet = createSheet({ columns: 72, colors: false, home: '/home/ada' });
const hostile = '\u001b[31mred\u202e\nnext {"level":60}';
const at = '2026-01-05T08:32:00.000Z';

const session: Session = {
  id: '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  agentId: 'reviewer',
  createdAt: at,
  messageCount: 41,
  lastSyncId: 44,
  currentModelId: hostile,
  maxChatTurns: 10,
  maxOutputTokens: 4096,
  temperature: 0.2,
  topP: 1,
  toolPermission: 'tool',
  contextItems: [
    { type: 'rule', name: hostile, includeMode: 'always' },
    { type: 'tool', name: 'find', serverName: 'tickets', includeMode: 'manual', missing: true },
  ],
  messages: Array.from({ length: 30 }, (_, index) => ({
    role: 'user' as const,
    content: `${index} ${hostile} ${'x'.repeat(200)}`,
    syncId: index + 12,
    at,
  })),
  earlierMessages: 11,
  warnings: [{ code: 'unreadable', message: hostile }],
};

const receipt: RequestReceipt = {
  requestId: '1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed',
  requestContext: {
    items: [
      { type: 'rule', name: hostile, includeMode: 'always', sha256: '', tokens: 6 },
      {
        type: 'reference',
        name: 'docs/glossary',
        includeMode: 'agent',
        similarityScore: 0.7149,
        sha256: '',
        tokens: 12345,
      },
    ],
  },
  messages: [{ role: 'user', content: 'x' }],
  tools: [],
  omitted: [
    { type: 'history', messages: 3, tokens: 90, reason: { code: 'over_budget', detail: 'the budget is 9 tokens' } },
    {
      type: 'tool',
      name: 'find',
      serverName: 'tickets',
      includeMode: 'always',
      tokens: 0,
      reason: { code: 'missing' },
    },
  ],
  usage: { tokens: 12360, systemPrompt: 0, history: 3, items: 12351, message: 6, maxTokens: 13000, estimated: true },
  semantic: { status: 'degraded', engine: 'keyword', detail: hostile },
  warnings: [{ code: 'unreadable', message: hostile }],
  lastSyncId: 2,
};

const pages = {
  session: renderSession(session, sheet),
  receipt: renderReceipt(receipt, sheet),
  list: renderSessionList({ sessions: [session], warnings: [{ code: 'unreadable', message: hostile }] }, sheet),
};

describe.each(Object.entries(pages))('the page of a %s', (_name, lines) => {
  it('S-84 holds nothing that steers a terminal', () => {
    expect(lines.join('\n')).toMatch(/^(?:[^\p{C}]|\n)*$/u);
  });

  it('SY-04 is not wider than the terminal, but where a name is', () => {
    for (const line of lines.filter((each) => !each.includes('red'))) expect(textWidth(line)).toBeLessThanOrEqual(72);
  });
});

it('SE-04 SY-04 shows the items of a session and its last messages', () => {
  const page = pages.session.join('\n');
  expect(page).toContain('  ○ manual  tool       tickets/find  the agent does not have it now\n');
  expect(page).toContain('  tools     as set for each\n');
  expect(page).toContain('Messages 41\n  … 21 before these\n');
  expect(pages.session.filter((line) => line.startsWith('  user'))).toHaveLength(20);
});

it('RQ-05 SY-04 shows what a request costs, and what was left out', () => {
  const page = pages.receipt.join('\n');
  expect(page).toMatch(/^2 items, 1 message, 12,360 of 13,000 tokens \(estimated\)\n/u);
  expect(page).toMatch(/◇ agent +reference +docs\/glossary +12,345 {2}0\.71\n/u);
  expect(page).toContain(
    'Left out\n  3 earlier messages: the budget is 9 tokens, 90 tokens\n  tool tickets/find: missing\n',
  );
  expect(page).toContain('Search is degraded.');
});

it('SY-04 says how a session is begun when there is none', () => {
  expect(renderSessionList({ sessions: [], warnings: [] }, sheet)).toEqual([
    'There are no sessions. Begin one with: contextd sessions create <agent>',
  ]);
});
