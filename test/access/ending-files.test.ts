/** Calls about files while a disk does not answer (S-40, S-71). */
import { expect, it, onTestFinished, vi } from 'vitest';
import { createEndingFiles } from '../../src/access/ending-files.ts';
import { createTurns } from '../../src/pace/turns.ts';
import { dieBelow } from '../support/dead-mount.ts';
import { createMemoryFiles } from '../support/memory-files.ts';

const reach = { roots: [{ path: '/disk', realPath: '/disk' }], followSymlinks: false };

function openDisk() {
  const disk = createMemoryFiles({ '/disk/a.md': 'a', '/disk/b/c.md': 'c', '/other/d.md': 'd' });
  return { disk, files: createEndingFiles(disk) };
}

it('S-40 S-71 each call ends, and of one silent disk only the first and the search for its top begin', async () => {
  const { disk, files } = openDisk();
  const mount = dieBelow('/disk', disk);
  const refused = { ok: false, code: 'io_error' };
  expect(await files.read('/disk/a.md', { ...reach, maxBytes: 9 })).toEqual(refused);
  expect(await files.stat('/disk/b/c.md')).toEqual(refused);
  expect(await files.statSoon('/disk/b')).toEqual(refused);
  expect(await files.realPath('/disk/b/c.md')).toEqual(refused);
  expect(await files.list('/disk/b', { ...reach, maxEntries: 9 })).toEqual(refused);
  expect(await files.hash('/disk/b/c.md', { ...reach, maxMs: 9 })).toEqual(refused);
  expect(mount.looks()).toBe(2);
  expect(await files.stat('/other/d.md')).toMatchObject({ ok: true });
  await mount.comeBack();
  expect(await files.stat('/disk/b/c.md')).toMatchObject({ ok: true });
});

it('S-40 S-71 calls about a disk that sleeps wait for the first one, and begin after it', async () => {
  const { disk, files } = openDisk();
  const mount = dieBelow('/disk', disk);
  vi.setTimerTickMode('manual');
  const first = files.stat('/disk/a.md');
  await vi.advanceTimersByTimeAsync(2_000);
  expect([files.isSilent('/disk/b/c.md'), files.isSilent('/other/d.md')]).toEqual([true, false]);
  const second = files.read('/disk/b/c.md', { ...reach, maxBytes: 9 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(mount.looks()).toBe(2);
  await mount.comeBack();
  expect([await first, await second]).toMatchObject([{ ok: true }, { ok: true, bytes: Uint8Array.of(99) }]);
  expect(files.isSilent('/disk/b/c.md')).toBe(false);
});

it('S-40 S-71 calls about a slow disk that wait for their turn are answered, however many they are', async () => {
  const { disk } = openDisk();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const inTurn = createTurns(3);
  const slowly = (path: string) =>
    inTurn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return disk.stat(path);
    });
  const files = createEndingFiles({ ...disk, stat: slowly, statSoon: slowly });
  const answers = Promise.all(Array.from({ length: 300 }, () => files.stat('/disk/a.md')));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(files.isSilent('/disk/a.md')).toBe(false);
  await vi.advanceTimersByTimeAsync(20_000);
  expect((await answers).filter(({ ok }) => !ok)).toEqual([]);
});

it('S-40 S-71 of many calls that a disk does not answer, one searches for its top', async () => {
  const { disk, files } = openDisk();
  const mount = dieBelow('/disk', disk);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => files.stat(`/disk/b/${at}`)));
  expect(answers.filter(({ ok }) => ok)).toEqual([]);
  expect(mount.looks()).toBe(21);
});

it('S-40 S-71 a hash that begins before anything else ends too', async () => {
  const { disk, files } = openDisk();
  const mount = dieBelow('/disk', disk);
  expect(await files.hash('/disk/a.md', { ...reach, maxMs: 9 })).toEqual({ ok: false, code: 'io_error' });
  await mount.comeBack();
  expect(await files.hash('/disk/a.md', { ...reach, maxMs: 9 })).toMatchObject({ ok: true });
});

it('S-40 S-71 a hash for which no time is left ends too', async () => {
  const { disk, files } = openDisk();
  dieBelow('/disk', disk);
  const answer = files.hash('/disk/a.md', { ...reach, maxMs: -10_000 });
  const isOpen = new Promise((resolve) => setTimeout(resolve, 60_000, 'open'));
  expect(await Promise.race([answer, isOpen])).toEqual({ ok: false, code: 'io_error' });
});

it('S-40 S-71 a hash that takes its time does not make others wait', async () => {
  const { disk, files } = openDisk();
  const mount = dieBelow('/disk', disk);
  vi.setTimerTickMode('manual');
  const hash = files.hash('/disk/a.md', { ...reach, maxMs: 10_000 });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(files.isSilent('/disk/a.md')).toBe(false);
  await mount.comeBack();
  expect(await hash).toMatchObject({ ok: true });
});

it('S-40 S-71 a call ends also after others were answered out of their order', async () => {
  const { disk, files } = openDisk();
  dieBelow('/disk', disk);
  await Promise.all([files.realPath('/other/d.md'), files.realPath('/other/d.md')]);
  vi.setTimerTickMode('manual');
  const answer = files.stat('/disk/a.md');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(files.isSilent('/disk/a.md')).toBe(true);
  expect(await answer).toEqual({ ok: false, code: 'io_error' });
});
