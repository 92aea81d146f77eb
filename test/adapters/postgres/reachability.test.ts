/** What a daemon says of a server that it cannot use (FT-07). */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createReachability } from '../../../src/adapters/postgres/reachability.ts';
import { refusalOf } from '../../../src/adapters/postgres/refusals.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** As the server answers to a connection. */
const fatal = (code: string) => Object.assign(new Error(code), { severity: 'FATAL', code });

it('FT-07 is told that no connection is possible, whatever the server says, and why it is so now', async () => {
  let answer: Error | undefined;
  const told: unknown[] = [];
  const reachability = createReachability(
    async () => {
      if (answer !== undefined) throw answer;
    },
    (detail) => told.push(detail),
  );
  const since = new Date().toISOString();
  const away = (detail: string) => ({ kind: 'postgres', available: false, since, detail });
  const says: [code: string, detail: string][] = [
    ['57P01', 'PostgreSQL is being stopped or started.'],
    ['28P01', 'PostgreSQL refuses this user or its password.'],
    ['3D000', 'There is no such database in PostgreSQL.'],
    ['53300', 'PostgreSQL has no connection left.'],
  ];
  for (const [code, detail] of says) {
    reachability.note(refusalOf(fatal(code)), true);
    expect(reachability.state()).toEqual(away(detail));
    expect(reachability.demand).toThrow(detail);
  }
  answer = fatal('28P01');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reachability.state()).toEqual(away('PostgreSQL refuses this user or its password.'));
  answer = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reachability.state()).toEqual({ kind: 'postgres', available: true });
  // Once when it begins, and once when it is over.
  expect(told).toEqual(['PostgreSQL is being stopped or started.', undefined]);
});
