/** What the soak holds, and what it calls missed. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TestDaemon } from '../support/daemon.ts';
import { checksOf, countAnswers, isFullRun, middleOfEachMinute, minOfEachMinute, slopeOf } from './checks.ts';
import { prepareMix } from './mix.ts';
import type { Sample, SoakResult } from './soak.ts';

/** One in a hundred may be later than 250 ms. */
const samples = Array.from({ length: 100 }, (_, at) => ({
  seconds: 10 + at,
  rssBytes: 400_000_000,
  heapUsedBytes: 1,
  heapTotalBytes: 2,
  externalBytes: 1,
  eventLoop: { meanMs: at === 7 ? 251 : 250, p99Ms: 400, maxMs: 400, longestMs: 500, utilization: 0.5 },
  descriptors: 30,
  children: 3,
}));
const good: SoakResult = {
  seconds: 102,
  rate: 100,
  readers: 20,
  requests: 9_900,
  answers: {},
  errors: 0,
  timeouts: 0,
  failures: 0,
  shed: 98,
  latencyMs: { p50: 1, p90: 1, p99: 1_000, p99_9: 2_000, max: 2_000 },
  events: 500,
  fileEvents: 60,
  endedStreams: 0,
  fileChanges: 10,
  turns: 10,
  embedderKills: 9,
  serverRestarts: 9,
  samples,
  rssSlope: { bytes: 1_000_000, errorBytes: 1 },
  heapSlope: undefined,
  descriptors: { before: 30, after: 35 },
  children: { before: 3, after: 2 },
  recovered: { searchByMeaning: true, mcpServer: 'ready' },
};
const late: Sample = {
  ...(samples[9] as Sample),
  eventLoop: { ...(samples[9] as Sample).eventLoop, longestMs: 2_000 },
};
const missed = (result: SoakResult) => checksOf(result).filter((check) => check.result !== 'pass');

it('S-83 a soak passes at its bounds, and each of its promises can be missed', () => {
  expect(missed(good)).toEqual([]);
  const worse: Partial<SoakResult>[] = [
    { requests: 9_899 },
    { failures: 1 },
    { shed: 99 },
    { errors: 1, timeouts: 1 },
    { latencyMs: { ...good.latencyMs, p99: 1_001 } },
    { samples: samples.with(8, samples[7] as Sample) },
    { fileEvents: 59 },
    { endedStreams: 1 },
    { rssSlope: { bytes: 1_000_001, errorBytes: 1 } },
    { samples: samples.map((sample) => ({ ...sample, rssBytes: 400_000_001 })) },
    { descriptors: { before: 30, after: 36 } },
    { children: { before: 3, after: 5 } },
    { embedderKills: 8 },
    { recovered: { searchByMeaning: false, mcpServer: 'ready' } },
    { recovered: { searchByMeaning: true, mcpServer: 'failed' } },
  ];
  const promises = worse.map((bad) => missed({ ...good, ...bad }).map(({ promise }) => promise));
  expect(promises).toEqual(checksOf(good).map(({ promise }) => [promise]));
  expect(missed({ ...good, serverRestarts: 8 })).toHaveLength(1);
  expect(missed({ ...good, turns: 0 })).toHaveLength(1);
  expect(missed({ ...good, samples: samples.with(9, late) })).toHaveLength(1);
  expect(missed({ ...good, fileChanges: 0, fileEvents: 0 })).toHaveLength(1);
  const notMeasured = { result: 'not measured' };
  expect(missed({ ...good, samples: [] })).toMatchObject([notMeasured, notMeasured]);
  expect(missed({ ...good, samples: samples.slice(0, 9) })).toMatchObject([notMeasured]);
  expect(missed({ ...good, requests: 999, rate: 10, shed: 0 })).toMatchObject([notMeasured]);
  expect(missed({ ...good, rssSlope: undefined })).toMatchObject([notMeasured]);
});

it('publishes no run that is shorter, slower or with fewer readers than it should be', () => {
  const full = { minutes: 60, rate: 100, readers: 200 };
  expect([full, { ...full, minutes: 90 }].map(isFullRun)).toEqual([true, true]);
  const less = [{ minutes: 59 }, { rate: 99 }, { readers: 199 }].map((each) => isFullRun({ ...full, ...each }));
  expect(less).toEqual([false, false, false]);
});

it('S-83 counts every answer but good ones and shed load as a failure', () => {
  const answers = {
    some: { 200: 5, 404: 1, 500: 2, 503: 4, refusedWithoutWait: 3 },
    others: { 201: 1, 204: 1, 302: 1 },
  };
  expect(countAnswers(answers)).toEqual({ failures: 7, shed: 1 });
});

it('takes a slope from ten points and more', () => {
  const points = Array.from({ length: 60 }, (_, at) => ({
    seconds: at * 10,
    bytes: 50 + 2 * at + (at % 6 === 3 ? 0 : 99),
  }));
  expect(slopeOf(points.slice(0, 9))).toBeUndefined();
  expect(minOfEachMinute(points)).toEqual(points.filter((_, at) => at % 6 === 3));
  expect(slopeOf(minOfEachMinute(points))?.bytes).toBeCloseTo(120);
  expect(slopeOf(minOfEachMinute(points))?.errorBytes).toBeCloseTo(0);
  expect(middleOfEachMinute(points)).toEqual(points.filter((_, at) => at % 6 === 2));
});

it('says how far chance alone moves a slope', () => {
  // In fours these sum to nothing, and do not lean.
  const residuals = Array.from({ length: 12 }, (_, at) => (at % 4 === 0 || at % 4 === 3 ? 1 : -1));
  const slope = slopeOf(residuals.map((residual, seconds) => ({ seconds, bytes: 7 + 2 * seconds + residual })));
  expect(slope?.bytes).toBeCloseTo(1_200);
  // The variance of twelve seconds is 143/12, and ten points are free.
  expect(slope?.errorBytes).toBeCloseTo(600 * Math.sqrt(12 / 143 / 10));
});

it('does not begin when what it needs is refused', async () => {
  const answer = { status: 503, headers: {}, body: undefined, text: 'busy' };
  const daemon = {
    token: '',
    request: async (path: string) => ({ ...answer, status: path.includes('agents') ? 201 : 503 }),
  };
  await expect(prepareMix(daemon as unknown as TestDaemon, { workspace: '/w', sessions: 1 })).rejects.toThrow(
    '503 busy',
  );
});

it.each([
  ['--minutes', 'x'],
  ['--rate', '0'],
  ['--readers', '-1'],
])('refuses %s %s', (name, value) => {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), `${name}=${value}`]);
  expect([status, String(stderr)]).toEqual([64, `${name} takes a positive number.\n`]);
});
