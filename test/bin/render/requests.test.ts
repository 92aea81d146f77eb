import { describe, expect, it } from 'vitest';
import { renderEvent } from '../../../src/bin/render/event.ts';
import { createSheet } from '../../../src/bin/render/page.ts';
import { renderChanges, renderRequestContext, renderRequestList } from '../../../src/bin/render/requests.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';
import { eventTypes } from '../../../src/events/event.ts';
import type { RebuiltRequest } from '../../../src/session/request.ts';
import type { SessionChange } from '../../../src/session/session.ts';

const sheet = createSheet({ columns: 72, colors: false, home: '/home/ada' });
const hostile = '\u001b[31mred\u202e\nnext {"level":60}';
const at = '2026-01-05T08:32:00.000Z';
const sent = { sha256: '', tokens: 6 };

const request: RebuiltRequest = {
  requestId: '1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed',
  sessionId: '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  agentId: 'reviewer',
  createdAt: at,
  message: `How? ${hostile} ${'x'.repeat(200)}`,
  syncId: 2,
  requestContext: {
    items: [
      { type: 'rule', name: 'late', includeMode: 'auto', priority: 900, description: 'Long. '.repeat(40), ...sent },
      { type: 'rule', name: 'unknown', includeMode: 'manual', ...sent },
      { type: 'rule', name: 'early', includeMode: 'always', priority: 7, ...sent },
      { type: 'reference', name: 'words', includeMode: 'agent', similarityScore: 0.7149, priority: 500, ...sent },
      { type: 'tool', name: 'find', serverName: 'tickets', includeMode: 'always', description: hostile, ...sent },
    ],
  },
  messages: [{ role: 'user', content: 'x' }],
  tools: [],
  omitted: [{ type: 'history', messages: 3, tokens: 90, reason: { code: 'over_budget', detail: 'no room' } }],
  usage: { tokens: 30, systemPrompt: 0, history: 0, items: 24, message: 6, maxTokens: 4000 },
  semantic: { status: 'degraded', engine: 'keyword', detail: hostile },
  warnings: [{ code: 'unreadable', message: hostile }],
  changedItems: [
    { type: 'rule', name: 'early', change: 'changed' },
    { type: 'tool', name: 'find', serverName: 'tickets', change: 'missing' },
    { type: 'tool', name: 'words', serverName: 'tickets', change: 'missing' },
  ],
};
const held = { type: 'rule' as const, name: hostile, includeMode: 'manual' as const };
const changes: SessionChange[] = [
  { syncId: 1, at, type: 'created', contextItems: [held] },
  { syncId: 2, at, type: 'message', message: { role: 'assistant', modelReply: { text: hostile }, syncId: 2, at } },
  { syncId: 3, at, type: 'item_added', item: held },
  { syncId: 4, at, type: 'item_removed', item: held },
  {
    syncId: 5,
    at,
    type: 'settings',
    settings: { temperature: 0, currentModelId: null, currentModelProvider: hostile },
  },
];

const pages = {
  context: renderRequestContext(request, sheet),
  list: renderRequestList({ requests: [request], warnings: [{ code: 'unreadable', message: hostile }] }, sheet),
  changes: renderChanges(changes, sheet),
};

describe.each(Object.entries(pages))('the page of %s', (_name, lines) => {
  it('S-84 holds nothing that steers a terminal', () => {
    expect(lines.join('\n')).toMatch(/^(?:[^\p{C}]|\n)*$/u);
  });

  it('SY-04 is not wider than the terminal', () => {
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(72);
  });
});

it('RQ-04 SY-04 shows three groups in the order of priority, and what has become of each item', () => {
  const page = pages.context.join('\n');
  expect(page).toContain('asked 2026-01-05 08:32 · no reply yet · 5 items · 1 message · 30 of\n4,000 tokens\n');
  const rules =
    /Rules 3\n {2}007 ● always {2}early\n {6}! changed since: .*\n {2}900 ◐ auto {4}late {6}Long\..*\n {6}○ manual {2}unknown\n/u;
  expect(page).toMatch(rules);
  expect(page).toContain('References 1\n  500 ◇ agent   words     0.71\n\nTools 1\n');
  expect(page).toMatch(/● always {2}tickets\/find .*\n {6}! missing since: /u);
  expect(page).toContain('Left out\n  3 earlier messages: no room, 90 tokens\n');
});

it('SY-04 says what happened in a session, and how to ask where nobody did', () => {
  expect(pages.changes.map((line) => line.slice(0, 34).trimEnd())).toEqual([
    '    1  2026-01-05 08:32  created',
    '    2  2026-01-05 08:32  assistant',
    '    3  2026-01-05 08:32  added',
    '    4  2026-01-05 08:32  removed',
    '    5  2026-01-05 08:32  settings',
  ]);
  expect(pages.changes[4]).toContain('temperature 0, currentModelId no…');
  expect(renderRequestList({ requests: [], warnings: [] }, sheet)[0]).toContain('contextd request <session>');
});

it('S-84 an event is one line that steers no terminal', () => {
  const reason = { code: hostile, detail: hostile };
  const change = { path: hostile, change: hostile };
  const data = {
    mountedDirectory: hostile,
    mountedDirectories: [hostile],
    changes: [change, change],
    agentId: hostile,
    name: hostile,
    reason,
  };
  for (const type of [...eventTypes, hostile]) expect(renderEvent(type, data)).toMatch(/^[^\p{C}]+$/u);
});
