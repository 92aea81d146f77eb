/** What a run asked of the disk, and whether the disk still says so (CC-36). */
import { describe, expect, it } from 'vitest';
import { createGate, type Gate } from '../../src/access/gate.ts';
import {
  countLooks,
  createLookRecorder,
  createLookRounds,
  createSharedLooks,
  type Looks,
} from '../../src/access/looks.ts';
import type { Files } from '../../src/ports/ports.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles, type MemoryFiles } from '../support/memory-files.ts';

const openDisk = (clock = createFakeClock()): MemoryFiles =>
  createMemoryFiles({ '/p/a.md': 'a', '/p/b.md': 'b' }, { homeDirectory: '/home', clock });
const reach = { roots: [{ path: '/p', realPath: '/p' }], followSymlinks: false };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function seenOf(files: Files, run: (files: Files) => Promise<unknown>) {
  const recorder = createLookRecorder();
  await run(recorder.record(files));
  return recorder.looks();
}
const lookAround = async (files: Files): Promise<void> => {
  await files.stat('/p/a.md');
  await files.stat('/p/missing.md');
  await files.realPath('/p');
  await files.realPath('/q');
};

describe('looks', () => {
  it('CC-36 still hold while nothing changed', async () => {
    const files = openDisk();
    const looks = (await seenOf(files, lookAround)) as Looks;
    expect(countLooks(looks)).toBe(4);
    expect(await createLookRounds(files).current().stillHolds(looks)).toBe(true);
  });

  it.each([
    ['a file was written', (files: MemoryFiles) => files.write('/p/a.md', 'longer')],
    ['a file was removed', (files: MemoryFiles) => files.remove('/p/a.md')],
    ['what was missing came', (files: MemoryFiles) => files.write('/p/missing.md', 'c')],
    ['another directory came', (files: MemoryFiles) => files.write('/q/x.md', 'c')],
  ])('CC-36 do not hold after %s', async (_, change) => {
    const files = openDisk();
    const looks = (await seenOf(files, lookAround)) as Looks;
    change(files);
    expect(await createLookRounds(files).current().stillHolds(looks)).toBe(false);
  });

  const read = (files: Files) => files.read('/p/a.md', { ...reach, maxBytes: 10 });
  const list = (files: Files) => files.list('/p', { ...reach, maxEntries: 10 });
  it.each([
    ['read', read, '/p/a.md'],
    ['listed', list, '/p/c.md'],
  ])('CC-36 tell of what was %s whether it would be the same', async (_, ask, path) => {
    const clock = createFakeClock();
    const files = openDisk(clock);
    const looks = (await seenOf(files, ask)) as Looks;
    files.resetCounters();
    expect(await createLookRounds(files).current().stillHolds(looks)).toBe(true);
    expect([files.reads, files.lists, files.stats]).toEqual([0, 0, 1]);
    clock.advance(10_000);
    files.write(path, 'longer');
    expect(await createLookRounds(files).current().stillHolds(looks)).toBe(false);
  });

  it('CC-36 are not whole where what was read counts for once, could not be read, or was hashed', async () => {
    const recorder = createLookRecorder();
    await read(recorder.record(openDisk()));
    recorder.spoil();
    expect(recorder.looks()).toBeUndefined();
    const missing = (files: Files) => files.read('/p/missing.md', { ...reach, maxBytes: 10 });
    const hash = (files: Files) => files.hash('/p/a.md', { ...reach, maxMs: 1_000 });
    for (const ask of [missing, hash]) expect(await seenOf(openDisk(), ask)).toBeUndefined();
  });

  it.each([
    ['read', (gate: Gate) => gate.readSettings('/p/a.md', { ...reach, maxBytes: 10 })],
    ['listed', (gate: Gate) => gate.list('/p', reach)],
  ])('CC-36 are not whole where what was %s has just changed', async (_, ask) => {
    const clock = createFakeClock();
    const gate = createGate({ files: openDisk(clock), clock, maxEntries: 10 });
    const looksNow = async () => {
      const recorder = createLookRecorder();
      await ask(gate.recorded(recorder));
      return recorder.looks();
    };
    expect(await looksNow()).toBeUndefined();
    clock.advance(10_000);
    expect(await looksNow()).toBeDefined();
  });

  it('CC-36 are not whole where the disk failed, or one question got two answers', async () => {
    const files = openDisk();
    const broken: Files = { ...files, stat: async () => ({ ok: false, code: 'io_error' }) };
    expect(await seenOf(broken, (given) => given.stat('/p/a.md'))).toBeUndefined();
    const changing = async (given: Files): Promise<void> => {
      await given.stat('/p/a.md');
      files.write('/p/a.md', 'longer');
      await given.stat('/p/a.md');
    };
    expect(await seenOf(files, changing)).toBeUndefined();
    const changedBeforeReading = async (given: Files): Promise<void> => {
      await given.stat('/p/a.md');
      files.write('/p/a.md', 'even longer');
      await read(given);
    };
    expect(await seenOf(files, changedBeforeReading)).toBeUndefined();
  });

  it.each([
    ['a link', (files: MemoryFiles) => files.symlink('/p/sub', '/q')],
    ['nothing', () => undefined],
    ['a file', (files: MemoryFiles) => files.write('/p/sub', 'a file')],
    ['a directory', (files: MemoryFiles) => files.write('/p/sub/x.md', 'x')],
  ])('CC-36 find the real path where %s is on the way as the disk does', async (_, make) => {
    const files = openDisk();
    files.write('/q/x.md', 'x');
    make(files);
    const paths = ['/p/sub/x.md', '/p/sub', '/p', '/'];
    for (const path of paths)
      expect(await createLookRounds(files).current().realPath(path)).toEqual(await files.realPath(path));
    for (const order of [paths, paths.toReversed()]) {
      const round = createLookRounds(files).current();
      for (const path of order) expect(await round.realPath(path)).toEqual(await files.realPath(path));
    }
  });

  it('CC-36 ask the disk for each real path where the same name can be written in several ways', async () => {
    const files = openDisk();
    const round = createLookRounds({ ...files, namesAreExact: false }).current();
    files.resetCounters();
    await round.realPath('/p/a.md');
    expect([files.stats, files.realPaths]).toEqual([0, 1]);
  });

  it('CC-36 ask about a directory once, for itself and for its real path', async () => {
    const files = openDisk();
    const looks = (await seenOf(files, async (given) => {
      await given.stat('/p');
      await given.realPath('/p');
    })) as Looks;
    files.resetCounters();
    expect(await createLookRounds(files).current().stillHolds(looks)).toBe(true);
    expect(files.stats).toBe(1);
  });

  it('CC-36 are one object where they are equal, which a round checks once', async () => {
    const files = openDisk();
    const share = createSharedLooks();
    const look = async () => share((await seenOf(files, lookAround)) as Looks);
    const looks = await look();
    expect(await look()).toBe(looks);
    const round = createLookRounds(files).current();
    files.resetCounters();
    expect([await round.stillHolds(looks), await round.stillHolds(looks)]).toEqual([true, true]);
    expect(files.stats).toBe(4);
    files.write('/p/a.md', 'longer');
    expect(await look()).not.toBe(looks);
  });

  it('CC-36 are shared in one turn of the event loop, and taken anew in the next', async () => {
    const files = openDisk();
    const looks = (await seenOf(files, lookAround)) as Looks;
    const rounds = createLookRounds(files);
    files.resetCounters();
    const held = await Promise.all([rounds.current(), rounds.current()].map((round) => round.stillHolds(looks)));
    // The way to `/p/a.md` below `/`, and what is missing.
    expect([held, files.stats, files.realPaths]).toEqual([[true, true], 4, 0]);
    await nextTurn();
    files.write('/p/a.md', 'longer');
    expect(await rounds.current().stillHolds(looks)).toBe(false);
  });
});
