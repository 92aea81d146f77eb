/** A wall clock that is set, by hand or by NTP, while the daemon runs (S-82): nothing ends early, waits, or changes its order. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StreamedEvent } from '../../src/events/event.ts';
import { keyCharacters } from '../../src/search/key-rows.ts';
import { createVectorFilling } from '../../src/search/vector-filling.ts';
import { createWarmVectors } from '../../src/search/warm-vectors.ts';
import { fixedLimits } from '../../src/settings.ts';
import { createConsoleSessions } from '../../src/sign-in/console-sessions.ts';
import { digestToken } from '../../src/tokens/access-tokens.ts';
import { createServers } from '../mcp/support/servers.ts';
import { until } from '../support/daemon.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createFakeEmbedder } from '../support/fake-embedder.ts';
import { endConnection } from '../support/fake-mcp-launcher.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { createMemoryWatcher } from '../support/memory-watcher.ts';
import { contextFile, createWorkspace, names, project, silentLogger } from '../support/workspace.ts';

const hour = 3_600_000;
const year = 365 * 24 * hour;
/** From one to the next, and what each says besides: DST ends at 01:00 UTC on 25 October in Europe. */
const steps: [string, (now: number) => number][] = [
  ['10 years on', (now) => now + 10 * year],
  ['10 years back', (now) => now - 10 * year],
  ['an hour on', (now) => now + hour],
  ['an hour back', (now) => now - hour],
  ['to 1970', () => 0],
  ['past 2038', () => Date.UTC(2038, 0, 19, 3, 14, 8)],
  ['to the end of summer time', () => Date.UTC(2026, 9, 25, 0, 59, 59)],
  ['over the end of summer time', (now) => now + 2_000],
  ['before 1970', () => -year],
  ['a second back', (now) => now - 1_000],
  ['back to where it began', () => Date.UTC(2026, 0, 1)],
];
const always = contextFile({ trigger: 'always' });

function step(clock: FakeClock, set: (now: number) => number): void {
  clock.setNow(set(clock.now()));
}

it('S-82 what was read and answered is kept over each step, and a change is seen after it', async () => {
  const { engine, files, clock, resolve } = await createWorkspace({ '.context/a.md': always });
  await resolve();
  clock.advance(10_000);
  let before = await resolve();
  for (const [what, set] of steps) {
    step(clock, set);
    expect(await resolve(), what).toBe(before);
    files.write(`${project}/.context/${what.replaceAll(' ', '-')}.md`, always);
    clock.advance(1);
    const after = await resolve();
    expect(names(after).length, what).toBe(names(before).length + 1);
    files.write(`${project}/.context/a.md`, contextFile({ trigger: 'always' }, what));
    expect(
      (await resolve()).files.some(({ content }) => content === what),
      what,
    ).toBe(true);
    clock.advance(10_000);
    await resolve();
    before = await resolve();
  }
  await engine.dispose();
});

it('S-82 codes of the console live for their minute, and its sessions on', () => {
  for (const [what, set] of steps) {
    const clock = createFakeClock();
    const sessions = createConsoleSessions(clock);
    const [early, late] = [sessions.createCode(), sessions.createCode()];
    step(clock, set);
    clock.advance(fixedLimits.signIn.codeMs - 1);
    const redeemed = sessions.redeem(early.code);
    expect(redeemed, what).toBeDefined();
    clock.advance(1);
    expect(sessions.redeem(late.code), what).toBeUndefined();
    step(clock, set);
    expect(sessions.idOf(digestToken(redeemed?.session.token ?? '')), what).toBeDefined();
  }
});

it('S-82 events come, and are told again, in their order', async () => {
  const { engine, clock } = await createWorkspace({});
  const heard: StreamedEvent[] = [];
  const listener = {
    since: undefined,
    types: undefined,
    deliver: (event: StreamedEvent) => void heard.push(event),
    end() {},
  };
  engine.subscribe(listener);
  for (const [at, [, set]] of steps.entries()) {
    step(clock, set);
    await engine.agents.put(`a${at}`, { name: 'A' });
  }
  const ids = steps.map((_, at) => `a${at}`);
  const agentsOf = (events: StreamedEvent[]) => events.map(({ data }) => (data as { agentId: string }).agentId);
  expect(agentsOf(heard)).toEqual(ids);
  const again: StreamedEvent[] = [];
  engine.subscribe({ ...listener, since: heard[2]?.id, deliver: (event) => void again.push(event) });
  expect(agentsOf(again)).toEqual(ids.slice(3));
});

describe('S-82 what was asked about a minute ago', () => {
  it.each(steps)('is watched for a new listener, %s', async (_, set) => {
    const watcher = createMemoryWatcher();
    const { engine, clock, resolve } = await createWorkspace({ '.context/a.md': always }, { ports: { watcher } });
    await resolve();
    const askedAtMs = clock.now();
    clock.advance(60_000);
    step(clock, set);
    const changedAtMs = clock.now();
    engine.subscribe({ since: undefined, types: undefined, deliver() {}, end() {} });
    await until(() => watcher.added.length > 0);
    for (const { sinceMs } of watcher.added) expect(sinceMs).toBeLessThanOrEqual(Math.min(askedAtMs, changedAtMs));
  });

  it('S-82 is not watched after its hour, whatever the wall clock says', async () => {
    const watcher = createMemoryWatcher();
    const { engine, clock, resolve } = await createWorkspace({ '.context/a.md': always }, { ports: { watcher } });
    await resolve();
    clock.advance(hour + 1);
    clock.setNow(clock.now() - 2 * hour);
    engine.subscribe({ since: undefined, types: undefined, deliver() {}, end() {} });
    await new Promise((done) => setTimeout(done, 20));
    expect(watcher.added).toEqual([]);
  });
});

it('S-82 servers that end are started again after the same pauses', async () => {
  const pausesWith = async (set?: (now: number) => number): Promise<number[]> => {
    const test = await createServers();
    await test.run();
    const pauses: number[] = [];
    endConnection(test.launcher);
    test.launcher.failure = { code: 'exited', detail: 'It ended.' };
    for (let round = 0; round < 3; round += 1) {
      if (set) step(test.clock, set);
      const { work, ms } = await until(() => test.delayed.shift());
      pauses.push(ms);
      test.clock.advance(ms);
      work();
    }
    return pauses;
  };
  const usual = await pausesWith();
  expect(usual.every((ms) => ms > 0)).toBe(true);
  for (const [what, set] of steps) expect(await pausesWith(set), what).toEqual(usual);
});

it('S-82 vectors are kept for as long as they are used, and not forgotten for a step', async () => {
  const store = createMemoryStore();
  const clock = createFakeClock();
  const embedder = createFakeEmbedder();
  const filling = createVectorFilling({
    embedder,
    clock,
    logger: silentLogger,
    maxStored: 1_000,
    store: store.vectors,
    warm: createWarmVectors(embedder.dimensions),
  });
  const { identity } = await filling.question('question');
  await filling.fill(identity, new Map([['first', 'text of the first']]), () => {});
  for (const [what, set] of steps) {
    step(clock, set);
    await filling.fill(identity, new Map([[what.slice(0, keyCharacters), what]]), () => {});
  }
  expect(await store.vectors.count(identity)).toBe(steps.length + 1);
  clock.advance(91 * 24 * hour);
  await filling.fill(identity, new Map([['last', 'text of the last']]), () => {});
  expect(await store.vectors.count(identity)).toBe(1);
  await store.close();
});

it('S-82 nothing but the clock itself, and what compares with the times of files and stamps of lines, asks for the wall clock in numbers', () => {
  const root = join(import.meta.dirname, '../..');
  const files = ['src', 'routes'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const asking = files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.startsWith('src/console/') &&
      readFileSync(join(root, file), 'utf8').includes('Date.now('),
  );
  const allowed = ['adapters/clock/system-clock', 'adapters/files/settled-read', 'adapters/log/pino-log-output'];
  // A hook is a process of its own, which compares with the times of files.
  expect(asking.sort()).toEqual([...allowed, 'bin/hooks/given-context'].map((name) => `src/${name}.ts`));
});
