import { describe, expect, it } from 'vitest';
import type { AgentItem } from '../../../src/agent/item.ts';
import { renderAgent, renderAgentList, renderItems } from '../../../src/bin/render/agents.ts';
import { createSheet } from '../../../src/bin/render/page.ts';
import { renderSearch } from '../../../src/bin/render/search.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';

const sheet = createSheet({ columns: 60, colors: false, home: '/home/ada' });
const item = (more: Partial<AgentItem>): AgentItem => {
  return {
    type: 'rule',
    name: 'n',
    include: 'manual',
    description: '',
    priority: 500,
    source: 'file',
    sha256: '',
    ...more,
  };
};
const hostile = 'a\u001b[31m\nb\u202e';

describe('items', () => {
  it('AG-02 show mode, priority and what they are about, or else where they come from', () => {
    const items = [
      item({ name: 'style', include: 'auto', description: 'How code is written', priority: 7 }),
      item({ name: 'mine', path: '/home/ada/.context/mine.md' }),
      item({ type: 'tool', name: 'log', serverName: 'git', include: 'agent', priority: undefined }),
    ];
    expect(renderItems({ items, warnings: [] }, sheet)).toEqual([
      'Rules 2',
      '  007 ◐ auto    style     How code is written',
      '  500 ○ manual  mine      ~/.context/mine.md',
      '',
      'Tools 1',
      '  ◇ agent   git/log',
    ]);
  });

  it('AG-01 show what is wrong', () => {
    const warnings = [{ code: 'path_outside_roots' as const, message: 'It is not granted.', path: '/home/ada/p' }];
    expect(renderItems({ items: [], warnings }, sheet)).toEqual([
      'The agent has no items.',
      '',
      '! ~/p',
      '  It is not granted.',
    ]);
  });

  it('S-44 keep what files say in its line and out of the terminal', () => {
    const items = [item({ name: hostile, description: `${hostile} ${'x'.repeat(200)}` })];
    const lines = renderItems({ items, warnings: [{ code: 'unreadable', message: hostile, path: hostile }] }, sheet);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(lines.join('|')).not.toMatch(/[\u0000-\u001f\u202e]/u);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(60);
  });
});

describe('agents', () => {
  it('AG-05 show what they hold', () => {
    expect(renderAgentList([], sheet)[0]).toContain('There are no agents.');
    const summary = {
      id: 'a',
      name: 'A',
      rules: 2,
      references: 0,
      mcpServers: 1,
      createdAt: '',
      updatedAt: '',
      etag: '',
    };
    const mountedDirectory = `/home/ada/${'deep/'.repeat(12)}project`;
    expect(renderAgentList([summary, { ...summary, id: 'long', mountedDirectory }], sheet)).toEqual([
      'a     A · 2 rules · 1 server',
      'long  A · 2 rules · 1 server · …/deep/deep/deep/deep/project',
    ]);
    const agent = {
      id: 'a',
      name: hostile,
      mountedDirectory: '/home/ada/p',
      rules: [{ name: 'r', text: 'x', include: 'always' as const }],
      mcpServers: { git: { command: 'git-mcp', args: ['-x'] } },
      settings: { maxChatTurns: 3, search: { topN: 2 } },
    };
    expect(renderAgent(agent, sheet)).toEqual([
      'a\\u{1b}[31m b\\u{202e} a',
      '  mounted   ~/p',
      '  settings  maxChatTurns 3',
      '  search    topN 2',
      '',
      'Rules of its own 1',
      '  500 ● always  r',
      '',
      'Servers 1',
      '  ● always  git       git-mcp -x',
    ]);
  });
});

describe('search', () => {
  const found = { type: 'rule' as const, name: 'errors', score: 0.72, engine: 'hybrid' as const };

  it('SS-07 shows score, engine and the part that fits', () => {
    const results = [
      { ...found, chunk: { index: 1, text: 'Wrap them\n\nat the boundary.' } },
      { ...found, type: 'tool' as const, name: 'log', serverName: 'git', score: 0, chunk: { index: 0, text: 'x' } },
    ];
    const semantic = { status: 'ready' as const, engine: 'hybrid' };
    expect(renderSearch({ results, searched: 2, semantic, warnings: [] }, sheet)).toEqual([
      '0.72 ███████░░░  errors (rule, hybrid, part 2)',
      '      Wrap them at the boundary.',
      '',
      '0.00 ░░░░░░░░░░  git/log (tool, hybrid)',
      '      x',
    ]);
  });

  it('RQ-02 tells nothing found from nothing searched, and from nothing to search', () => {
    const page = (semantic: { status: 'degraded' | 'unavailable'; engine: string; detail?: string }, searched = 3) =>
      renderSearch({ results: [], searched, semantic, warnings: [] }, sheet);
    const degraded = { status: 'degraded', engine: 'keyword', detail: 'No model.' } as const;
    expect(page(degraded)).toEqual(['None of 3 items is relevant enough.', '', 'Search is degraded. No model.']);
    expect(page({ status: 'unavailable', engine: 'none' })[0]).toBe('Nothing was searched.');
    expect(page(degraded, 0)).toEqual(['There are no rules, references or tools to search.']);
  });

  it('SS-07 shows warnings by their place, but not what the files cost that always apply', () => {
    const here = createSheet({ columns: 60, colors: false, home: '/home/ada', directory: '/home/ada/shop' });
    const warnings = [
      { code: 'symlink' as const, message: 'Not followed.', path: '/home/ada/shop/.agents/skills' },
      { code: 'many_tokens' as const, message: 'They cost 16,160 tokens.' },
    ];
    const semantic = { status: 'ready' as const, engine: 'hybrid' };
    expect(renderSearch({ results: [], searched: 1, semantic, warnings }, here)).toEqual([
      'None of 1 item is relevant enough.',
      '',
      '! .agents/skills',
      '  Not followed.',
    ]);
  });

  it('S-44 cuts long parts and shows what is invisible', () => {
    const results = [{ ...found, name: hostile, chunk: { index: 0, text: `${hostile} ${'word '.repeat(90)}` } }];
    const lines = renderSearch(
      { results, searched: 1, semantic: { status: 'ready', engine: 'hybrid' }, warnings: [] },
      sheet,
    );
    expect(lines).toHaveLength(4);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(lines.join('|')).not.toMatch(/[\u0000-\u001f\u202e]/u);
  });
});
