/** How long a request waits for its store, however often it asks (FT-07). */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createOneWait } from '../../../src/adapters/postgres/one-wait.ts';

describe('one wait for all that a request asks', () => {
  it('FT-07 refuses a request that has waited long enough, and nothing that goes on after its end', async () => {
    const wait = createOneWait(0);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let later: Promise<number> | undefined;
    await wait.together(async () => {
      await expect(wait.ask(async () => 1)).rejects.toMatchObject({ code: 'unavailable' });
      later = ended.then(() => wait.ask(async () => 2));
    });
    end();
    expect(await later).toBe(2);
    expect(await wait.ask(async () => 3)).toBe(3);
  });

  it('FT-07 says what may have become of what was being asked', async () => {
    const wait = createOneWait(10);
    const asking = wait.together(() => wait.ask(() => new Promise(() => {}), 'Look.'));
    await expect(asking).rejects.toMatchObject({ code: 'unavailable', message: 'Look.' });
  });

  it('FT-07 counts what waits at the same time once, and no time in which nothing is asked', async () => {
    const all = createOneWait(2_000);
    const many = Array.from({ length: 400 }, (_, n) => n);
    const answers = await all.together(async () => {
      const asked = await Promise.all(many.map((n) => all.ask(async () => delay(10, n))));
      return [...asked, await all.ask(async () => 400)];
    });
    expect(answers).toHaveLength(401);
    const short = createOneWait(500);
    await short.together(async () => {
      await short.ask(async () => 1);
      await delay(600);
      expect(await short.ask(async () => 2)).toBe(2);
    });
  });
});
