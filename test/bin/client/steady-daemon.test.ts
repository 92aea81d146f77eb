import { describe, expect, it } from 'vitest';
import { type DaemonClient, RefusedAnswer } from '../../../src/bin/client/client.ts';
import { createSteadyDaemon } from '../../../src/bin/client/steady-daemon.ts';
import { ContextdError } from '../../../src/errors.ts';

const status = { method: 'GET', path: '/v1/status' } as const;
const gone = () => new ContextdError('unavailable', 'nothing answers');
const refused = () => new RefusedAnswer('{"code":"unavailable","detail":"too busy"}', 503);
/** A client whose requests end as `answer` does. */
const clientOf = (answer: () => unknown): DaemonClient => ({
  url: '',
  request: async () => answer() as never,
  open: async () => {
    throw gone();
  },
});
const fail = (error: Error) => () => {
  throw error;
};

describe('a daemon that is asked for as long as a process lives', () => {
  it('is found once for all who ask, and once more when it is gone', async () => {
    const found = [clientOf(() => 'first'), clientOf(() => 'second')];
    let isGone = false;
    const steady = createSteadyDaemon(async () => {
      const client = found.shift() as DaemonClient;
      return { ...client, request: (asked) => (isGone && found.length === 1 ? fail(gone())() : client.request(asked)) };
    });
    expect(await Promise.all([steady.ask(status), steady.ask(status)])).toEqual(['first', 'first']);
    isGone = true;
    expect(await steady.ask(status)).toBe('second');
    expect(found).toEqual([]);
  });

  it('is asked once where it refuses, and is not looked for again', async () => {
    let asked = 0;
    let connections = 0;
    const steady = createSteadyDaemon(async () => {
      connections += 1;
      return clientOf(() => {
        asked += 1;
        throw refused();
      });
    });
    await expect(steady.ask(status)).rejects.toThrow('too busy');
    await expect(steady.ask(status)).rejects.toThrow('too busy');
    expect({ asked, connections }).toEqual({ asked: 2, connections: 1 });
  });

  it('is started for whoever asks, while what listens only looks for it', async () => {
    const starts: boolean[] = [];
    let isRunning = true;
    const steady = createSteadyDaemon(async ({ mayStart }) => {
      starts.push(mayStart);
      if (!isRunning && !mayStart) throw gone();
      isRunning ||= mayStart;
      return clientOf(() => {
        if (!isRunning) throw gone();
        return 'answer';
      });
    });
    const { close } = steady.follow(['resync'], () => {});
    while (!starts.includes(false)) await new Promise((resolve) => setTimeout(resolve, 10));
    isRunning = false;
    expect(await steady.ask(status)).toBe('answer');
    close();
    expect(starts.at(-1)).toBe(true);
  });
});
