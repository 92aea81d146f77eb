/** Servers that say too much: they fail, and the process that listens stays small and awake (S-30). */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from 'vitest';
import { createAllowance, createMessageScanner } from '../../src/adapters/mcp/flood-guard.ts';
import { createMcpLauncher } from '../../src/adapters/mcp/launcher.ts';
import type { McpFailure, McpLaunch } from '../../src/ports/mcp-launcher.ts';
import { fixedLimits } from '../../src/settings.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { helper } from '../support/helpers.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const standIn = helper('stand-in-server');
const directory = temporaryDirectory();
// On a busy machine a flood comes slowly, and is ended later.
const times = { initializeMs: 50_000, listMs: 50_000, changeMs: 50, closeMs: 100, termMs: 100, pollMs: 20 };
const launcher = createMcpLauncher({ stateDirectory: directory, client: { name: 'test', version: '0' }, times });
const megabyte = 1024 * 1024;

afterAll(() => launcher.dispose());

const badServer = (mode: string): McpLaunch => ({
  transport: 'stdio',
  command: process.execPath,
  args: [standIn, mode],
  env: { PATH: '/usr/bin:/bin' },
  cwd: directory,
});

/** Connects, and waits for the failure; with the growth of memory and the longest time the event loop was held. */
async function failureOf(mode: string): Promise<{ failure: McpFailure; grownMegabytes: number; heldMs: number }> {
  // What is loaded once is not the flood's.
  const warm = await launcher.connect(badServer('well'), { onEnd() {}, onListChanged() {} });
  await warm.close();
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 10);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const failure = await new Promise<McpFailure>((resolve, reject) => {
    launcher.connect(badServer(mode), { onEnd: resolve, onListChanged() {} }).then(
      (connection) => {
        if (mode.endsWith('-tools') || mode === 'endless-pages')
          connection.listTools().then(reject, (error: { failure: McpFailure }) => resolve(error.failure));
      },
      (error: { failure: McpFailure }) => resolve(error.failure),
    );
  });
  clearInterval(watch);
  delays.disable();
  return { failure, grownMegabytes: (highest - before) / megabyte, heldMs: delays.percentile(99) / 1e6 };
}

async function expectSmall(mode: string, words: string): Promise<void> {
  const { failure, grownMegabytes, heldMs } = await failureOf(mode);
  expect(failure).toEqual({ code: 'limit_exceeded', detail: expect.stringContaining(words) });
  expect(grownMegabytes).toBeLessThan(64);
  // The bound of the row is 100 ms; on a busy machine others hold the processor, too. Parsing the flood takes seconds.
  expect(heldMs).toBeLessThan(500);
}

describe('floods', () => {
  it.each([
    ['100 MB without a line break', 'floods-bytes', 'larger than'],
    ['100,000 levels', 'deep', 'nested deeper'],
    ['tools of 100 KB without end', 'huge-tools', 'larger than'],
    ['15 MB of empty tools', 'tiny-tools', 'values'],
    ['pages without end', 'endless-pages', 'pages'],
  ])('S-30 ends a server that sends %s, within 64 MB', { timeout: 60_000 }, (_, mode, words) =>
    expectSmall(mode, words),
  );

  // Together, and within the memory of one: each has its patience of seconds.
  it.concurrent.each([
    ['notifications without end', 'floods-notifications', 'never stops'],
    ['1 GB to stderr', 'floods-stderr', 'never stops'],
  ])('S-30 ends a server that sends %s, within 64 MB', { timeout: 60_000 }, (_, mode, words) =>
    expectSmall(mode, words),
  );

  it.concurrent('S-30 ends a server whose result never ends', async () => {
    const ended = Promise.withResolvers<McpFailure>();
    const connection = await launcher.connect(badServer('well'), { onEnd: ended.resolve, onListChanged() {} });
    await expect(connection.callTool('endless', { arguments: {} })).rejects.toMatchObject({
      failure: { code: 'limit_exceeded' },
    });
    expect(await ended.promise).toMatchObject({ code: 'limit_exceeded' });
  });

  it('S-30 takes 512 tools of 10,000, and one more to know by', async () => {
    const connection = await launcher.connect(badServer('many-tools'), { onEnd() {}, onListChanged() {} });
    expect(await connection.listTools()).toHaveLength(513);
    await connection.close();
  });

  it('S-30 looks only at the tools that count', async () => {
    const connection = await launcher.connect(badServer('empty-tools'), { onEnd() {}, onListChanged() {} });
    expect(await longestTurnMs(async () => expect(await connection.listTools()).toHaveLength(513), 3)).toBeLessThan(
      150,
    );
    await connection.close();
  });

  it('S-30 looks at no part of a result that has too many', async () => {
    const connection = await launcher.connect(badServer('well'), { onEnd() {}, onListChanged() {} });
    const failing = async () => {
      const failure = { code: 'limit_exceeded', detail: 'Its answer has more than 2000 parts in "content".' };
      await expect(connection.callTool('wrong parts', { arguments: {} })).rejects.toMatchObject({ failure });
    };
    expect(await longestTurnMs(failing, 3)).toBeLessThan(150);
    await connection.close();
  });

  it.each(['huge', 'deep', 'crowded'])(
    'S-30 fails the call whose result is too %s, and no other, nor the server',
    async (name) => {
      const ended: McpFailure[] = [];
      const connection = await launcher.connect(badServer('well'), {
        onEnd: (why) => ended.push(why),
        onListChanged() {},
      });
      const slow = connection.callTool('later', { arguments: {} });
      await expect(connection.callTool(name, { arguments: {} })).rejects.toMatchObject({
        failure: { code: 'limit_exceeded' },
      });
      expect(await slow).toMatchObject({ content: [{ text: '"done"' }] });
      expect(await connection.callTool('big', { arguments: {} })).toMatchObject({ content: [{ type: 'text' }] });
      expect(ended).toEqual([]);
      await connection.close();
    },
  );
});

describe('the limits themselves', () => {
  const feed = (text: string, framing: 'lines' | 'events' | 'single' = 'lines') => {
    const scanner = createMessageScanner(framing);
    // Byte by byte, so that every state is crossed.
    let ended = 0;
    for (const byte of Buffer.from(text)) ended += scanner.feed(Buffer.from([byte]));
    return ended;
  };

  it('S-30 counts levels, not brackets in strings', () => {
    expect(feed(`${'['.repeat(64)}${']'.repeat(64)}\n`)).toBe(1);
    expect(() => feed('['.repeat(65))).toThrow('nested deeper');
    expect(feed(`{"a":"${'['.repeat(1_000)}"}\n`)).toBe(1);
    expect(feed(`{"a":"\\"${'{'.repeat(1_000)}"}\n`)).toBe(1);
    expect(() => feed(`{"a":"\\\\"${'{'.repeat(1_000)}`)).toThrow('nested deeper');
  });

  it('S-30 counts values, not commas in strings', () => {
    const { values } = fixedLimits.mcpMessages;
    expect(feed(`[${'1,'.repeat(values - 2)}1]\n`.repeat(2))).toBe(2);
    expect(() => feed(`[${'1,'.repeat(values)}`)).toThrow(`more than ${values} values`);
    expect(() => feed(`[${'{},'.repeat(values / 2)}`)).toThrow(`more than ${values} values`);
    expect(feed(`{"a":"${',['.repeat(values)}"}\n`)).toBe(1);
  });

  it('S-30 begins anew with each message', () => {
    expect(feed('[['.repeat(20) + '\n'.repeat(3) + '['.repeat(64))).toBe(3);
    expect(feed(`data: ${'['.repeat(40)}\n\ndata: ${'['.repeat(40)}\r\n\r\n`, 'events')).toBe(2);
    expect(() => feed(`data: ${'['.repeat(40)}\ndata: ${'['.repeat(40)}\n`, 'events')).toThrow('nested deeper');
    expect(() => feed(`${'[\n'.repeat(65)}`, 'single')).toThrow('nested deeper');
  });

  it('S-30 bounds the size of one message, not of all', () => {
    const scanner = createMessageScanner('lines');
    const line = Buffer.concat([Buffer.alloc(12 * megabyte, 'x'), Buffer.from('\n')]);
    for (let at = 0; at < 5; at += 1) expect(scanner.feed(line)).toBe(1);
    scanner.feed(line.subarray(0, -1));
    expect(() => scanner.feed(line)).toThrow('larger than');
  });

  it('S-30 lets a server be loud for a moment, not for long', () => {
    const allowance = createAllowance();
    expect(allowance.take(fixedLimits.mcpFloods.atOnce - 1)).toBe(0);
    let pauses = 0;
    expect(() => {
      for (;;) if (allowance.take(1_000) > 0) pauses += 1;
    }).toThrow('never stops');
    expect(pauses).toBe(fixedLimits.mcpFloods.patienceMs / fixedLimits.mcpFloods.pauseMs);
  });
});
