import { expect, it } from 'vitest';
import { createDeadline } from '../../../src/bin/hooks/deadline.ts';

it('what takes longer than a hook may is unavailable, and no fault of the daemon', async () => {
  const deadline = createDeadline(1);
  const late = deadline.inTime(new Promise(() => {}));
  await expect(late).rejects.toMatchObject({ code: 'unavailable', message: 'it took longer than 0.001 seconds' });
  expect(deadline.signal.reason).toMatchObject({ code: 'unavailable' });
});

it('nothing is in time for a client that had left before', async () => {
  const deadline = createDeadline(20_000, AbortSignal.abort(new Error('it has left')));
  await expect(deadline.inTime(new Promise(() => {}))).rejects.toThrow('it has left');
  expect(deadline.signal.aborted).toBe(true);
  deadline.end();
});
