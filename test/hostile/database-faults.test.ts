/** A database that is opened, or mended, while disk and SQLite fail at the 1st, 2nd, … n-th call (S-71, S-72). */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { ContextdError } from '../../src/errors.ts';
import { type FaultLayer, type FaultPlan, layFaults, troubles } from '../support/faults.ts';
import { sized } from '../support/test-size.ts';

const grantedAt = '2026-01-01T00:00:00.000Z';
const paths = Array.from({ length: 20 }, (_, n) => `/home/ada/project-${n}`);
let base: string;
let faults: FaultLayer;

/** What is found at the path: nothing, a database that was closed, what a killed process left, and two damaged ones. */
const states: Record<string, (path: string) => void> = {
  absent: () => {},
  closed: (path) => copyFileSync(join(base, 'closed.db'), path),
  'left open': (path) => {
    for (const suffix of ['', '-wal']) copyFileSync(join(base, `left.db${suffix}`), path + suffix);
  },
  damaged: (path) => {
    const bytes = readFileSync(join(base, 'closed.db'));
    bytes.fill(0xa5, bytes.length - 4096);
    writeFileSync(path, bytes);
  },
  'damaged and left open': (path) => {
    for (const suffix of ['', '-wal']) copyFileSync(join(base, `left.db${suffix}`), path + suffix);
    writeFileSync(path, readFileSync(path).fill(0xa5, 0, 200));
  },
};

beforeAll(async () => {
  base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'contextd-'));
  const closed = createSqliteStore(join(base, 'closed.db'));
  for (const path of paths) await closed.roots.add({ path, grantedAt });
  await closed.close();
  copyFileSync(join(base, 'closed.db'), join(base, 'open.db'));
  const open = createSqliteStore(join(base, 'open.db'));
  await open.roots.add({ path: '/home/ada/last', grantedAt });
  for (const suffix of ['', '-wal']) copyFileSync(join(base, `open.db${suffix}`), join(base, `left.db${suffix}`));
  await open.close();
  faults = layFaults(base);
});
afterAll(() => {
  try {
    faults?.remove();
  } finally {
    rmSync(base, { recursive: true });
  }
});

/** Of all the faults every so manieth is tried. */
const step = sized(23, 1, 43);

/** Bytes of all files that lie there, those of the reserve and of what is read meanwhile left out. */
function contentsOf(place: string): Buffer[] {
  return readdirSync(place).flatMap((name) => (/reserve|reading/u.test(name) ? [] : [readFileSync(join(place, name))]));
}

/** Opens, reads, adds and closes; what becomes of it. */
async function use(path: string): Promise<{ found: string[]; quarantined: boolean }> {
  const store = createSqliteStore(path, { heal: true });
  try {
    const found = (await store.roots.list()).map((root) => root.path);
    await store.roots.add({ path: '/added', grantedAt });
    return { found, quarantined: (await store.warnings()).some(({ code }) => code === 'database_quarantined') };
  } finally {
    await store.close();
  }
}

it.each(Object.keys(states))(
  'S-71 S-72 a database that is %s and troubled at any call is not lost',
  {
    timeout: 120_000,
  },
  async (state) => {
    const prepare = (): { place: string; path: string; before: Buffer[] } => {
      const place = mkdtempSync(join(base, 'attempt-'));
      const path = join(place, 'contextd.db');
      (states[state] as (path: string) => void)(path);
      return { place, path, before: contentsOf(place) };
    };
    const undisturbed = prepare();
    faults.arm();
    const usual = await use(undisturbed.path);
    const { calls } = faults.disarm();
    expect(calls).toBeGreaterThan(20);
    const plans = troubles.flatMap((trouble) =>
      Array.from({ length: calls }, (_, index) =>
        [1, Number.POSITIVE_INFINITY].map((times) => ({ at: index + 1, trouble, times })),
      ).flat(),
    );
    for (const plan of (plans as FaultPlan[]).filter((_, index) => index % step === 0)) {
      const { place, path, before } = prepare();
      faults.arm(plan);
      let refusal: unknown;
      try {
        await use(path);
      } catch (error) {
        refusal = error;
      }
      const { struck } = faults.disarm();
      const what = `${plan.trouble} at ${plan.at} × ${plan.times}: ${struck.slice(0, 4).join(', ')}`;
      if (refusal !== undefined) {
        expect(refusal, what).toBeInstanceOf(ContextdError);
        expect(['storage_full', 'unavailable'], what).toContain((refusal as ContextdError).code);
      }
      // Whatever happened, the next start works, and what was there is served or kept.
      const { found, quarantined } = await use(path);
      const isServed = usual.found.every((each) => found.includes(each)) && found.length >= usual.found.length;
      const kept = contentsOf(place);
      // SQLite takes a journal over into its database before it finds out about the damage.
      const isSame = (bytes: Buffer) => kept.some((each) => each.equals(bytes));
      const isKept = quarantined && (state === 'damaged' ? before.every(isSame) : kept.length > 1);
      expect(usual.quarantined ? isKept : isServed || isKept, what).toBe(true);
      const isTidy =
        struck.some((name) => /^(?:rm|lstat)Sync/u.test(name)) ||
        readdirSync(place).every((name) => !name.includes('.reading'));
      expect(isTidy, what).toBe(true);
      rmSync(place, { recursive: true });
    }
  },
);

it('S-71 S-72 takes over all that can be read from a damaged database when there is space again', {
  timeout: 120_000,
}, async () => {
  const every = sized(2, 1, 5);
  const begin = (): { place: string; path: string } => {
    const place = mkdtempSync(join(base, 'attempt-'));
    const path = join(place, 'contextd.db');
    states.damaged?.(path);
    return { place, path };
  };
  const undisturbed = begin();
  faults.arm();
  await use(undisturbed.path);
  const { calls } = faults.disarm();
  expect(calls).toBeGreaterThan(20);
  for (let at = 1; at <= calls; at += every) {
    const { place, path } = begin();
    faults.arm({ at, trouble: 'ENOSPC', times: 1 });
    await use(path).catch(() => {});
    const { struck } = faults.disarm();
    // Whether a file exists can be told on a full disk.
    if (!struck.includes('existsSync'))
      expect((await use(path)).found, `${at}: ${struck.join()}`).toEqual(expect.arrayContaining(paths));
    rmSync(place, { recursive: true });
  }
});
