import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { operationExamples } from '../../../openapi/examples.ts';
import type { GrantedRoots } from '../../../routes/roots.ts';
import { Status } from '../../../routes/status.ts';
import { createSheet } from '../../../src/bin/render/page.ts';
import { renderStatus } from '../../../src/bin/render/status.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';

type DaemonStatus = z.infer<typeof Status>;
type Roots = z.infer<typeof GrantedRoots>['roots'];

const example = Status.parse(operationExamples.getStatus?.answer);
const granted: Roots = [
  { path: '/home/ada/.context', origin: 'global' },
  { path: '/home/ada/project', origin: 'stored', grantedAt: '2026-01-05T08:31:00.000Z' },
  { path: '/srv/notes', origin: 'start' },
];

function page(over: Partial<DaemonStatus> = {}, { roots = granted, columns = 80 } = {}): string {
  const sheet = createSheet({ columns, colors: false, home: '/home/ada' });
  const discovery = '/home/ada/.local/state/contextd/daemon.json';
  return renderStatus({ ...example, ...over }, { roots, discovery }, sheet).join('\n');
}

describe('renderStatus', () => {
  it('SY-05 SY-04 says in a dozen lines how the daemon is', () => {
    expect(page({ uptimeSeconds: 11_520 })).toBe(`● contextd is running at http://127.0.0.1:4747

  process      4711, up 3 h 12 min
  version      0.1.0 (Node.js v24.11.0)
  memory       92.0 MiB, heap 20.9 MiB of 30.0 MiB, 31 open files
  event loop   busy 2 % of the time, 1.4 ms late, at most 18 ms late since the
               start
  requests     1,284 in all, 12 refused, 2 aborted by their clients; half within
               1.2 ms, 99 of 100 within 19 ms
  streams      2 of 1,000 open, 41 events sent
  watches      14 directories
  search       model installed; it is loaded when it is needed
  MCP servers  2 ready, 1 stopped, 2 approved
  tokens       build agent: 3 sessions, 180 KiB of 256.0 MiB; 2 connections, 1
               stream
  stored       3 agents, 28 sessions, database 3.9 MiB, journal 512 KiB
  log          ~/.local/state/contextd/contextd.log
  discovery    ~/.local/state/contextd/daemon.json
  may read     ~/.context  (global context)
               ~/project
               /srv/notes  (until the daemon stops)`);
  });

  it('S-88 shows what a server and its model are called, whatever is in their names', () => {
    const search = { ...example.search, model: 'all\u001b[31m\u202eminilm', endpoint: 'http://127.0.0.1:1' };
    const text = page({ search }, { columns: 200 });
    expect(text).toContain('minilm of http://127.0.0.1:1, which gets all searched text');
    for (const hidden of ['\u001b', '\u202e']) expect(text).not.toContain(hidden);
  });

  it('SY-05 says what to do where something is wrong', () => {
    const text = page(
      {
        requests: { ...example.requests, shed: 7, failed: 1 },
        watching: { directories: 2_000, degraded: 'polling' },
        search: { ...example.search, state: 'failed', reason: 'The files of the model are damaged.' },
        servers: { ...example.servers, failed: 1 },
        warnings: [{ code: 'database_quarantined', message: 'The database was damaged. Move the file away.' }],
      },
      { roots: granted.slice(0, 1), columns: 200 },
    ).replaceAll(/\n {2}(?=\S)/gu, ' ');
    for (const part of [
      'Move the file away',
      'contextd roots grant <dir>',
      'the log names slow requests',
      'a line for each',
      'max_user_watches',
      'The files of the model are damaged. Try: contextd warm',
      'contextd mcp list',
      '7 too many at once',
      '1 failed',
    ])
      expect(text).toContain(part);
    expect(page()).not.toContain('!');
  });

  it.each([60, 80, 110])('SY-05 is nowhere wider than %d columns, and safe for a terminal', (columns) => {
    const text = page(
      { warnings: [{ code: 'unreadable', message: '\u001b[31mred\n\u202eeman '.repeat(30) }] },
      { columns },
    );
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
  });

  it.each([
    [0.4, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3_725, '1 h 2 min'],
    [90_061, '1 d 1 h'],
    [864_000, '10 d'],
  ])('SY-05 tells %d s as "%s"', (uptimeSeconds, words) => {
    expect(page({ uptimeSeconds })).toContain(`up ${words}\n`);
  });

  it('SY-05 leaves out what is not known', () => {
    const { log: _, openDescriptors: __, ...less } = example;
    const { rows: ___, ...storage } = example.storage;
    const sheet = createSheet({ columns: 80, colors: false, home: '/home/ada' });
    const text = renderStatus({ ...less, storage }, { roots: granted, discovery: '/d' }, sheet).join('\n');
    expect(text).not.toContain('open file');
    expect(text).not.toContain('agents');
    expect(text).toContain('standard error');
  });
});
