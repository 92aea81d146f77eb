/** Leases on a real disk: valid while nothing changed, and not a moment longer (CC-36). */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstat,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLookRecorder, createLookRounds, type Looks } from '../../../src/access/looks.ts';
import { createChokidarWatcher } from '../../../src/adapters/files/chokidar-watcher.ts';
import { createKernelLeases } from '../../../src/adapters/files/kernel-leases.ts';
import { kernelEventsDelivered } from '../../../src/adapters/files/kernel-queue.ts';
import { createNodeFiles } from '../../../src/adapters/files/node-files.ts';
import type { Leases, SeenPaths } from '../../../src/ports/ports.ts';
import { until } from '../../support/daemon.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';
import { watchedInodes } from '../../support/watched-inodes.ts';

const files = createNodeFiles();
let base: string;
let leases: Leases;
beforeEach(() => {
  base = temporaryDirectory();
  mkdirSync(join(base, 'project/.context'), { recursive: true });
  mkdirSync(join(base, 'project/src'));
  for (const name of ['.context/a.md', 'notes.md', 'src/x.ts']) writeFileSync(at(name), 'before');
  leases = createKernelLeases(files) as Leases;
});
afterEach(() => leases.close());

const at = (path: string): string => join(base, 'project', path);
/** What was seen: two files, one that is missing in a directory that is missing, and a directory that was listed. */
const seen = (): SeenPaths => ({
  stat: [at('.context'), at('.context/a.md'), at('notes.md'), at('src/.context/b.md')],
  realPath: [at('.')],
});

const take = (looks: object, paths: SeenPaths) => leases.take(looks, paths, performance.now());

/** A valid lease. There is none at first, while the mounts are not known, and while synchronous calls take too long. */
async function leaseOn(paths: SeenPaths): Promise<object> {
  for (;;) {
    const looks = {};
    for (let n = 0; n < 3; n += 1) take(looks, paths)?.();
    if (await leases.hold(looks)) return looks;
    await delay(1);
  }
}
/** Goes on where the event loop takes up what the system reports: an event that comes now is taken up in the next turn. */
const untilReports = () => new Promise((resolve) => lstat(base, resolve));
const makes = (path: string) => void mkdirSync(at(path), { recursive: true });

describe.runIf(process.platform === 'linux')('a lease', () => {
  it('CC-36 is given only on what is asked for twice, and was looked at since', async () => {
    await leaseOn(seen());
    // Again where synchronous calls took too long.
    await until(async () => {
      const looks = {};
      expect(take(looks, seen())).toBeUndefined();
      expect(await leases.hold(looks)).toBe(false);
      take(looks, seen())?.();
      expect(await leases.hold(looks)).toBe(false);
      const confirm = take(looks, seen());
      expect(await leases.hold(looks)).toBe(false);
      confirm?.();
      return leases.hold(looks);
    });
    expect(await leases.hold({})).toBe(false);
  });

  it.each<[string, () => void]>([
    ['is written', () => writeFileSync(at('notes.md'), 'after!')],
    [
      'is written with its size and time',
      () => {
        writeFileSync(at('notes.md'), 'after!');
        utimesSync(at('notes.md'), 1, 1);
      },
    ],
    ['grows', () => appendFileSync(at('.context/a.md'), ' more')],
    ['is cut', () => truncateSync(at('.context/a.md'), 2)],
    [
      'is replaced',
      () => {
        writeFileSync(at('new'), 'after!');
        renameSync(at('new'), at('notes.md'));
      },
    ],
    ['is removed', () => rmSync(at('notes.md'))],
    ['may not be read any more', () => chmodSync(at('notes.md'), 0)],
    ['comes to a directory that was listed', () => writeFileSync(at('.context/new.md'), '')],
    ['leaves a directory that was listed', () => renameSync(at('.context/a.md'), join(base, 'a.md'))],
    [
      'that was missing comes',
      () => {
        makes('src/.context');
        writeFileSync(at('src/.context/b.md'), '');
      },
    ],
    ['is in a directory that moves', () => renameSync(at('.context'), at('other'))],
    ['is below a directory that moves', () => renameSync(at('.'), join(base, 'other'))],
    [
      'is in a directory that a link replaces',
      () => {
        renameSync(at('src'), at('other'));
        symlinkSync('other', at('src'));
      },
    ],
    ['is in a directory that may not be entered any more', () => chmodSync(at('.context'), 0o600)],
  ])('CC-36 ends when something %s', async (_, change) => {
    const looks = await leaseOn(seen());
    await untilReports();
    change();
    expect(await leases.hold(looks)).toBe(false);
  });

  it('CC-36 ends when a file is written through another of its names, which is as new as it', async () => {
    const looks = await leaseOn(seen());
    linkSync(at('notes.md'), join(base, 'elsewhere.md'));
    expect(await leases.hold(looks)).toBe(false);
    take(looks, seen())?.();
    expect(await leases.hold(looks)).toBe(true);
    writeFileSync(join(base, 'elsewhere.md'), 'after!');
    expect(await leases.hold(looks)).toBe(false);
  });

  it('CC-36 ends with a write to a file that has two names here, under both', async () => {
    linkSync(at('notes.md'), at('same.md'));
    const [both, one] = [
      await leaseOn({ stat: [at('notes.md')], realPath: [] }),
      await leaseOn({ stat: [at('same.md')], realPath: [] }),
    ];
    writeFileSync(at('notes.md'), 'after!');
    expect([await leases.hold(both), await leases.hold(one)]).toEqual([false, false]);
  });

  it('CC-36 stays while only other entries change', async () => {
    const looks = await leaseOn(seen());
    writeFileSync(at('src/x.ts'), 'after!');
    writeFileSync(at('src/y.ts'), '');
    renameSync(at('src/y.ts'), at('src/z.ts'));
    writeFileSync(join(base, 'beside'), '');
    expect(await leases.hold(looks)).toBe(true);
  });

  it('CC-36 is not given on what another run of the round saw before the lease was asked for', async () => {
    const rounds = createLookRounds(files, leases);
    const seenBy = async (...paths: string[]): Promise<Looks> => {
      const recorder = createLookRecorder();
      for (const path of paths) await recorder.record(files).stat(path);
      return recorder.looks() as Looks;
    };
    await leaseOn(seen());
    const [one, other] = [await seenBy(at('notes.md')), await seenBy(at('notes.md'), at('src'))];
    for (let n = 0; n < 2; n += 1) take(other, { stat: other.stat.paths, realPath: [] });
    const [round, joined] = [rounds.current(), rounds.current()];
    const later = joined.stillHolds(other);
    expect(await round.stillHolds(one)).toBe(true);
    writeFileSync(at('notes.md'), 'after!');
    expect(await later).toBe(true);
    expect(await rounds.current().stillHolds(other)).toBe(false);
  });

  it('CC-36 is given again after a change, and not on what changed while it was looked at', async () => {
    const looks = await leaseOn(seen());
    renameSync(at('notes.md'), at('old.md'));
    expect(await leases.hold(looks)).toBe(false);
    renameSync(at('old.md'), at('notes.md'));
    const again = await leaseOn(seen());
    const confirm = take(again, seen());
    writeFileSync(at('notes.md'), 'between');
    confirm?.();
    expect(await leases.hold(again)).toBe(false);
  });

  it('CC-36 ends after a second, also for a change that the kernel does not tell', async () => {
    const looks = await leaseOn(seen());
    await delay(1_001);
    expect(await leases.hold(looks)).toBe(false);
  });

  /** Fills the queue with events of a directory, and then writes to `notes.md`, in another process. */
  const overflow = (directory: string): void => {
    const script = `
      const { renameSync, writeFileSync } = require('node:fs');
      process.chdir(${JSON.stringify(directory)});
      for (let n = 0; n < 9_000; n += 1) renameSync(n % 2 ? 'y' : 'x.ts', n % 2 ? 'x.ts' : 'y');
      writeFileSync(${JSON.stringify(at('notes.md'))}, 'after!');`;
    execFileSync(process.execPath, ['--eval', script]);
  };

  it('CC-36 ends when the queue of the kernel was full, so that events were lost', async () => {
    const looks = await leaseOn(seen());
    overflow(at('src'));
    expect(await leases.hold(looks)).toBe(false);
  });

  it('CC-36 ends when the queue was full of events of another watch, which has ended since', async () => {
    makes('other');
    writeFileSync(at('other/x.ts'), '');
    let isFollowed = false;
    const other = createChokidarWatcher().watch({
      maxDirectories: 10,
      decide: () => 'report',
      onChange: () => (isFollowed = true),
      onTrouble: () => undefined,
    });
    other.add([at('other')], 0);
    while (!isFollowed) await delay(1);
    await delay(50);
    const looks = await leaseOn(seen());
    overflow(at('other'));
    const closed = other.close();
    expect(await leases.hold(looks)).toBe(false);
    await closed;
  });

  it.each<[string, () => SeenPaths]>([
    [
      'leads through a link',
      () => {
        symlinkSync('src', at('linked'));
        return { stat: [at('linked/x.ts')], realPath: [] };
      },
    ],
    [
      'is a link whose target matters',
      () => {
        symlinkSync('src', at('linked'));
        return { stat: [], realPath: [at('linked')] };
      },
    ],
    [
      'may not be read',
      () => {
        chmodSync(at('notes.md'), 0);
        return { stat: [at('notes.md')], realPath: [] };
      },
    ],
    [
      'takes too long to watch',
      () => ({ stat: Array.from({ length: 1_000 }, (_, n) => at(`src/${n}`)), realPath: [] }),
    ],
  ])('CC-36 is not given on what %s', async (what, make) => {
    if (what === 'may not be read' && process.getuid?.() === 0) return;
    const paths = make();
    const before = watchedInodes().length;
    for (let n = 0; n < 3; n += 1) expect(take(paths, paths)).toBeUndefined();
    expect(watchedInodes().length).toBe(before);
  });

  it('CC-36 is not given when too much would be watched in all', async () => {
    const names = Array.from({ length: 1_200 }, (_, n) => at(`src/${n}`));
    for (const name of names) writeFileSync(name, '');
    const some = (from: number): SeenPaths => ({ stat: names.slice(from, from + 400), realPath: [] });
    for (const from of [0, 400]) await leaseOn(some(from));
    const before = watchedInodes().length;
    const rest = some(800);
    for (let n = 0; n < 3; n += 1) expect(take(rest, rest)).toBeUndefined();
    expect(watchedInodes().length).toBe(before);
  });

  it('CC-36 ends where another file is found at a watched place without an event, as after a mount', async () => {
    let mounted: string | undefined;
    leases.close();
    leases = createKernelLeases({
      statSoon: (path) => files.statSoon(path === at('notes.md') ? (mounted ?? path) : path),
    }) as Leases;
    const before = await leaseOn(seen());
    mounted = at('src/x.ts');
    const after = {};
    for (let n = 0; n < 2; n += 1) expect(take(after, seen())).toBeUndefined();
    expect(await leases.hold(before)).toBe(false);
    await leaseOn(seen());
  });

  it('CC-36 is not taken again and again on what changes all the time', async () => {
    const looks = await leaseOn(seen());
    writeFileSync(at('.context/new.md'), '');
    expect(await leases.hold(looks)).toBe(false);
    expect(take(looks, seen())).toBeUndefined();
    expect(take(looks, seen())).toBeDefined();
  });

  it('CC-36 is given on a link that is only looked at, and ends when it leads elsewhere', async () => {
    symlinkSync('src/x.ts', at('linked.md'));
    const looks = await leaseOn({ stat: [at('linked.md')], realPath: [] });
    rmSync(at('linked.md'));
    symlinkSync('notes.md', at('linked.md'));
    expect(await leases.hold(looks)).toBe(false);
  });

  it('CC-36 gives its watches back when nobody asks, and when all is closed', async () => {
    const before = watchedInodes().length;
    leases.close();
    leases = createKernelLeases(files, 100) as Leases;
    await leaseOn(seen());
    const whole = watchedInodes().length;
    const used = { stat: [at('src/x.ts')], realPath: [] };
    const other = await leaseOn(used);
    expect(watchedInodes().length).toBe(whole + 1);
    while (watchedInodes().length > whole - 2) {
      take(other, used)?.();
      await delay(10);
    }
    await kernelEventsDelivered();
    take(other, used)?.();
    expect(await leases.hold(other)).toBe(true);
    leases.close();
    expect(watchedInodes().length).toBe(before);
  });
});
