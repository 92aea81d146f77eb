/** How often, and how many at once, servers are started (MC-03, S-29, S-33). */

import { describe, expect, it } from 'vitest';
import { createServerRuns } from '../../src/mcp/server-runs.ts';
import type { McpFailure, McpLaunch } from '../../src/ports/mcp-launcher.ts';
import { fixedLimits } from '../../src/settings.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeMcpLauncher, endConnection } from '../support/fake-mcp-launcher.ts';
import { refusalOf } from './support/servers.ts';
import { settle } from './support/settle.ts';

const launch: McpLaunch = { transport: 'stdio', command: '/usr/bin/node', args: [], env: {}, cwd: '/' };
const failures: McpFailure['code'][] = ['not_found', 'not_executable', 'exited', 'timeout', 'protocol'];

function createRuns() {
  const clock = createFakeClock();
  const launcher = createFakeMcpLauncher();
  const delayed: { work: () => void; ms: number }[] = [];
  const states: string[] = [];
  const runs = createServerRuns({
    clock,
    schedule(work, ms) {
      const each = { work, ms };
      delayed.push(each);
      return () => {
        if (delayed.includes(each)) delayed.splice(delayed.indexOf(each), 1);
      };
    },
    createPreparation: () => async () => ({ launch, reads: new Map() }),
    connect: (prepared, handlers) => launcher.connect(prepared.launch, handlers),
    onConnected: async () => {},
    onListChanged() {},
    onStatus: (_id, { state }) => void states.push(state),
  });
  /** Lets the time pass that a restart was put off by. */
  const passDelay = async () => {
    const [next] = delayed.splice(0, 1);
    clock.advance(next?.ms ?? 0);
    next?.work();
    await settle();
    return next?.ms;
  };
  return { clock, launcher, delayed, states, runs, passDelay };
}

describe('a server', () => {
  it('S-33 is started once, however many ask', async () => {
    const { runs, launcher, states } = createRuns();
    const connections = await Promise.all(Array.from({ length: 100 }, () => runs.start('a')));
    expect(new Set(connections).size).toBe(1);
    expect(launcher.launches).toHaveLength(1);
    expect(states).toEqual(['starting', 'ready']);
    expect(runs.status('a')).toEqual({ state: 'ready', reason: { code: 'ready' } });
  });

  it.each(failures)('S-29 that fails with %s is started no more than five times in ten minutes', async (code) => {
    const { runs, launcher, clock } = createRuns();
    launcher.failure = { code, detail: 'No.' };
    for (let at = 0; at < 50; at += 1) await refusalOf(runs.start('a', { byUser: true }));
    expect(launcher.launches).toHaveLength(5);
    expect(runs.status('a')).toMatchObject({ state: 'failed', reason: { code: 'too_many_starts' } });
    expect(await refusalOf(runs.start('a'))).toMatchObject({ code: 'limit_exceeded' });
    clock.advance(fixedLimits.mcpServers.perMs);
    launcher.failure = undefined;
    await runs.start('a');
    expect(launcher.launches).toHaveLength(6);
  });

  it('S-29 that the user looked at anew may be started again, though it failed five times', async () => {
    const { runs, launcher } = createRuns();
    launcher.failure = { code: 'exited', detail: 'No.' };
    for (let at = 0; at < 6; at += 1) await refusalOf(runs.start('a', { byUser: true }));
    expect(runs.status('a')).toMatchObject({ reason: { code: 'too_many_starts' } });
    runs.forgive('a');
    expect(runs.status('a')).toEqual({ state: 'stopped', reason: { code: 'not_started' } });
    launcher.failure = undefined;
    await runs.start('a');
    runs.forgive('a');
    expect(runs.status('a')).toEqual({ state: 'ready', reason: { code: 'ready' } });
  });

  it('S-29 that failed is not tried again for somebody else before its time', async () => {
    const { runs, launcher, clock } = createRuns();
    launcher.failure = { code: 'exited', detail: 'No' };
    const expected = { timeout: 'upstream_timeout', exited: 'upstream_failed' };
    expect(await refusalOf(runs.start('a'))).toMatchObject({ code: expected.exited });
    const soon = { code: 'unavailable', message: 'It failed: No. Try again in 1 s.' };
    expect(await refusalOf(runs.start('a'))).toEqual(soon);
    expect(launcher.launches).toHaveLength(1);
    clock.advance(1_000);
    launcher.failure = { code: 'timeout', detail: 'No.' };
    expect(await refusalOf(runs.start('a'))).toMatchObject({ code: expected.timeout });
    expect(launcher.launches).toHaveLength(2);
    clock.advance(1_999);
    expect(await refusalOf(runs.start('a'))).toMatchObject({ code: 'unavailable' });
  });

  it('S-29 MC-03 that crashes is started again after 1, 2, 4 … seconds, then given up', async () => {
    const { runs, launcher, passDelay, delayed } = createRuns();
    await runs.start('a');
    launcher.failure = { code: 'exited', detail: 'No.' };
    endConnection(launcher);
    expect(runs.status('a')).toMatchObject({ state: 'failed', reason: { code: 'exited' } });
    const delays: (number | undefined)[] = [];
    while (delayed.length > 0) delays.push(await passDelay());
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(launcher.launches).toHaveLength(5);
    expect(runs.status('a')).toMatchObject({ state: 'failed', reason: { code: 'exited' } });
  });

  it('S-29 that crashes right after each start is started five times, too', async () => {
    const { runs, launcher, passDelay, delayed } = createRuns();
    await runs.start('a');
    for (let at = 0; at < 20 && launcher.open.length > 0; at += 1) {
      endConnection(launcher);
      if (delayed.length > 0) await passDelay();
    }
    expect(launcher.launches).toHaveLength(5);
    expect(runs.status('a').state).toBe('failed');
  });

  it('MC-03 that is stopped while it starts is closed, and stays stopped', async () => {
    const { runs, launcher, states } = createRuns();
    const { promise, resolve } = Promise.withResolvers<void>();
    launcher.gate = promise;
    const starting = refusalOf(runs.start('a'));
    await settle();
    const stopping = runs.stop('a');
    resolve();
    await stopping;
    expect(await starting).toMatchObject({ code: 'unavailable' });
    expect(launcher.open).toEqual([]);
    expect(states).toEqual(['starting', 'stopped']);
    expect(await refusalOf(runs.start('a'))).toMatchObject({ code: 'unavailable' });
    await runs.start('a', { byUser: true });
    expect(launcher.open).toHaveLength(1);
  });

  it('MC-03 that is stopped is not started again by a restart that was put off', async () => {
    const { runs, launcher, delayed } = createRuns();
    await runs.start('a');
    endConnection(launcher);
    expect(delayed).toHaveLength(1);
    await runs.stop('a');
    expect(delayed).toEqual([]);
    expect(runs.status('a')).toEqual({ state: 'stopped', reason: { code: 'stopped_by_user' } });
  });

  it('MC-03 that hangs while it starts is ended when it is stopped, not when its time is over', async () => {
    const { runs, launcher } = createRuns();
    launcher.gate = new Promise(() => {});
    const refused = refusalOf(runs.start('a'));
    await new Promise((resolve) => setImmediate(resolve));
    await runs.stop('a');
    expect(await refused).toEqual({ code: 'unavailable', message: 'The server was stopped.' });
    expect(runs.status('a')).toEqual({ state: 'stopped', reason: { code: 'stopped_by_user' } });
  });

  it('MC-03 can be restarted by the user more often than a failing one', async () => {
    const { runs, launcher } = createRuns();
    for (let at = 0; at < 12; at += 1) {
      await runs.start('a', { byUser: true });
      await runs.stop('a');
    }
    expect(launcher.launches).toHaveLength(12);
  });
});

describe('many servers', () => {
  it('S-33 run, 20 at once; four of them start at the same time; the rest is refused', async () => {
    const { runs, launcher } = createRuns();
    const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`);
    const answers = await Promise.all(ids.map((id) => refusalOf(runs.start(id))));
    expect(answers.filter(({ code }) => code === 'limit_exceeded')).toHaveLength(980);
    expect(launcher.launches).toHaveLength(fixedLimits.mcpServers.running);
    expect(launcher.maxStarting).toBe(fixedLimits.mcpServers.starting);
    await runs.stop('0');
    await runs.start('999');
    expect(launcher.open).toHaveLength(20);
  });

  it('S-33 do not exceed the limit by being started again', async () => {
    const { runs, launcher, passDelay } = createRuns();
    await runs.start('crashing');
    endConnection(launcher);
    for (let at = 0; at < 20; at += 1) await runs.start(`${at}`);
    await passDelay();
    expect(launcher.open).toHaveLength(20);
    expect(runs.status('crashing').state).toBe('failed');
  });

  it('S-32 are all closed at the end, and none is started after', async () => {
    const { runs, launcher } = createRuns();
    for (let at = 0; at < 5; at += 1) await runs.start(`${at}`);
    await runs.dispose();
    expect(launcher.open).toEqual([]);
    expect(await refusalOf(runs.start('9'))).toMatchObject({ code: 'unavailable' });
  });

  it('S-32 are not started at the end, even if a start waits for the end of a server', async () => {
    const { runs, launcher } = createRuns();
    await runs.start('a');
    const stopping = runs.stop('a');
    const starting = refusalOf(runs.start('a', { byUser: true }));
    await Promise.all([runs.dispose(), stopping]);
    expect(await starting).toMatchObject({ code: 'unavailable' });
    expect(launcher.launches).toHaveLength(1);
  });
});
