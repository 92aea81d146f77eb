/** What holds of transactions of every store: nobody sees half of one, and none lasts for ever. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store/store.ts';
import type { SupplementaryVerbs } from '../../src/ports/store/supplementary.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import type { StoreKind } from './store-kinds.ts';

const item = (id: string) => ({ id, kind: 'file' as const, path: `/w/${id}`, addedAt: '2026-01-01T00:00:00.000Z' });
const writeMs = 300;
let directory: string;
let store: Store;

export function transactionsContract(kind: StoreKind): void {
  describe(`transactions: ${kind.name}`, () => {
    const create = () => kind.create(directory, { writeMs });

    beforeEach(async () => {
      directory = temporaryDirectory();
      store = await create();
    });
    afterEach(() => store.close());
    const idsOf = async (reader: SupplementaryVerbs = store.supplementary) =>
      (await reader.list('/w')).map(({ id }) => id);

    it('S-68 nobody sees what is not committed, however long the write waits inside', async () => {
      const { promise: isAppended, resolve: tell } = Promise.withResolvers<void>();
      const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
      const write = store.supplementary.write(async (writer) => {
        await writer.append('/w', item('a'));
        tell();
        await mayEnd;
        await writer.append('/w', item('b'));
        return idsOf(writer);
      });
      await isAppended;
      let seen: string[] | undefined;
      const reading = idsOf().then((ids) => {
        seen = ids;
      });
      const counting = store.figures();
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      expect(seen === undefined || seen.length === 0).toBe(true);
      end();
      expect(await write).toEqual(['a', 'b']);
      await reading;
      expect([[], ['a', 'b']]).toContainEqual(seen);
      expect(await counting).toHaveProperty('rows');
      expect(await idsOf()).toEqual(['a', 'b']);
    });

    it('S-68 nobody ever sees what is undone', async () => {
      const { promise: isAppended, resolve: tell } = Promise.withResolvers<void>();
      const write = store.supplementary.write(async (writer) => {
        await writer.append('/w', item('a'));
        tell();
        await nextTurn();
        throw new Error('no');
      });
      await isAppended;
      const seen = idsOf();
      await expect(write).rejects.toThrow('no');
      expect(await seen).toEqual([]);
    });

    it('S-67 writes that wait inside come one after the other, each seeing those before it', async () => {
      const writes = Array.from({ length: 20 }, (_, number) =>
        store.supplementary.write(async (writer) => {
          const before = await idsOf(writer);
          if (number % 3 === 0) await nextTurn();
          await writer.append('/w', item(`${number}`));
          if (number % 5 === 0) await nextTurn();
          return before.length;
        }),
      );
      expect(await Promise.all(writes)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    });

    it('CC-36 a read that begins after a write has returned sees it', async () => {
      for (let number = 0; number < 50; number += 1) {
        const other = store.supplementary.append('/other', item(`other ${number}`));
        await store.supplementary.append('/w', item(`${number}`));
        expect(await idsOf()).toHaveLength(number + 1);
        await other;
      }
    });

    it('S-69 a write that never ends is undone and refused, and what came with it goes on', async () => {
      const begun = performance.now();
      let late: SupplementaryVerbs | undefined;
      const endless = store.supplementary.write(async (writer) => {
        late = writer;
        await writer.append('/w', item('endless'));
        await new Promise(() => {});
      });
      const others = [store.supplementary.append('/w', item('a')), store.supplementary.append('/w', item('b'))];
      await expect(endless).rejects.toMatchObject({ code: 'unavailable' });
      await Promise.all(others);
      expect(await idsOf()).toEqual(['a', 'b']);
      expect(performance.now() - begun).toBeGreaterThanOrEqual(writeMs - 1);
      // What it does later has no effect.
      await expect(late?.append('/w', item('late'))).rejects.toMatchObject({ code: 'unavailable' });
      expect(await idsOf()).toEqual(['a', 'b']);
    });

    it('a read of the store inside a write is refused with it, and hangs nobody', async () => {
      const write = store.supplementary.write(async (writer) => {
        await writer.append('/w', item('a'));
        return idsOf();
      });
      await expect(write).rejects.toMatchObject({ code: 'unavailable' });
      expect(await idsOf()).toEqual([]);
    });

    it('S-68 a verb that fails undoes the write, also when the write goes on', async () => {
      const write = store.tokens.write(async (writer) => {
        const token = { id: 'a', label: '', createdAt: '', digest: 'd' };
        await writer.add(token);
        await writer.add(token).catch(() => {});
        return 'done';
      });
      await expect(write).rejects.toThrow();
      expect(await store.tokens.list()).toEqual([]);
    });

    it('a writer is of no use once its write has ended', async () => {
      const writer = await store.supplementary.write(async (writer) => ({ writer }));
      await expect(writer.writer.append('/w', item('a'))).rejects.toMatchObject({ code: 'unavailable' });
      expect(await idsOf()).toEqual([]);
    });

    it('S-68 is closed after the transaction that is open', async () => {
      const { promise: isBegun, resolve: tell } = Promise.withResolvers<void>();
      const write = store.supplementary.write(async (writer) => {
        await writer.append('/w', item('a'));
        tell();
        await delay(20);
        return 'written';
      });
      await isBegun;
      const closing = store.close();
      expect(await write).toBe('written');
      await closing;
      store = await create();
      expect(await idsOf()).toEqual(!kind.isLasting ? [] : ['a']);
    });

    it('S-68 is closed after what was written before, and refuses what comes later', async () => {
      const { supplementary } = store;
      const before = Promise.all(
        Array.from({ length: 300 }, (_, number) => supplementary.append('/w', item(`${number}`))),
      );
      before.catch(() => {});
      const reading = idsOf();
      const closing = store.close();
      const late = [supplementary.append('/w', item('late')), supplementary.list('/w')];
      for (const each of late) await expect(each).rejects.toMatchObject({ code: 'unavailable' });
      await before;
      await reading;
      await closing;
      await expect(supplementary.list('/w')).rejects.toMatchObject({ code: 'unavailable' });
      store = await create();
      expect(await idsOf()).toHaveLength(!kind.isLasting ? 0 : 300);
    });
  });
}
