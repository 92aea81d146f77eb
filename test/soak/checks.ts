/** What the soak promises: figure 10 of docs/threats.md, with a slope that an hour can show. */

import { defaultSlowMs } from '../../routes/http/request-log.ts';
import { fixedLimits } from '../../src/settings.ts';
import type { Answers } from './mix.ts';
import type { SoakResult } from './soak.ts';

export type Check = { promise: string; measured: string; result: 'pass' | 'MISS' | 'not measured' };

export const megabyte = 1_000_000;
/** No turn of the event loop takes so long, in milliseconds. */
const maxTurnMs = 2_000;

/** What is published, and what less does not take the place of. */
export const fullRun = { minutes: 60, rate: 100, readers: 200 };

export function isFullRun({ minutes, rate, readers }: typeof fullRun): boolean {
  return minutes >= fullRun.minutes && rate >= fullRun.rate && readers >= fullRun.readers;
}

/** Whether a request did what it asked for. */
export function isGood(status: number): boolean {
  return status === 200 || status === 201 || status === 204;
}

/** `failures` are neither good nor load that was shed, which is 503 with `Retry-After`. */
export function countAnswers(answers: Answers): { failures: number; shed: number } {
  let [failures, shed] = [0, 0];
  for (const { refusedWithoutWait = 0, ...statuses } of Object.values(answers)) {
    failures += refusedWithoutWait;
    shed += (statuses[503] ?? 0) - refusedWithoutWait;
    for (const [status, count] of Object.entries(statuses))
      if (status !== '503' && !isGood(Number(status))) failures += count;
  }
  return { failures, shed };
}

type Point = { seconds: number; bytes: number };

/** Bytes for ten minutes, and the standard error of that: what chance alone moves it by. */
export type Slope = { bytes: number; errorBytes: number };

/** Least squares; `undefined` for fewer than ten points, which say nothing. */
export function slopeOf(points: readonly Point[]): Slope | undefined {
  if (points.length < 10) return undefined;
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const time = mean(points.map(({ seconds }) => seconds));
  const memory = mean(points.map(({ bytes }) => bytes));
  const spread = mean(points.map(({ seconds }) => (seconds - time) ** 2));
  const slope = mean(points.map(({ seconds, bytes }) => (seconds - time) * (bytes - memory))) / spread;
  const rest = mean(points.map(({ seconds, bytes }) => (bytes - memory - slope * (seconds - time)) ** 2));
  return { bytes: slope * 600, errorBytes: Math.sqrt(rest / spread / (points.length - 2)) * 600 };
}

/** The smallest of each minute: what is in use, without what waits to be collected. */
export function minOfEachMinute(points: readonly Point[]): Point[] {
  return eachMinute(points).flatMap((sorted) => sorted.slice(0, 1));
}

/** The median of each minute, which seconds with less, after a collection gave memory back, do not move. */
export function middleOfEachMinute(points: readonly Point[]): Point[] {
  return eachMinute(points).flatMap((sorted) => sorted.slice(sorted.length / 2).slice(0, 1));
}

function eachMinute(points: readonly Point[]): Point[][] {
  const minutes = Map.groupBy(points, ({ seconds }) => Math.floor(seconds / 60));
  return [...minutes.values()].map((all) => all.toSorted((a, b) => a.bytes - b.bytes));
}

/** Every promise, what was seen, and whether it was kept. */
export function checksOf(result: SoakResult): Check[] {
  const { seconds, rate, readers, failures, shed, requests, errors, timeouts, latencyMs } = result;
  const { samples, rssSlope, heapSlope, fileChanges, fileEvents } = result;
  const { descriptors, children, turns, embedderKills, serverRestarts, recovered, endedStreams, events } = result;
  const peak = Math.max(...samples.map(({ rssBytes }) => rssBytes)) / megabyte;
  const inMegabytes = (slope: Slope | undefined) =>
    slope === undefined
      ? 'unknown'
      : `${(slope.bytes / megabyte).toFixed(2)} ± ${(slope.errorBytes / megabyte).toFixed(2)} MB`;
  const { lateMs } = fixedLimits.overload;
  const lateness = samples.map(({ eventLoop }) => eventLoop.meanMs).sort((a, b) => a - b);
  const usualLateness = lateness[Math.ceil(lateness.length * 0.99) - 1] ?? 0;
  const longestTurn = Math.max(...samples.map(({ eventLoop }) => eventLoop.longestMs));
  const check = (promise: string, isKept: boolean | undefined, measured: string): Check => {
    return { promise, measured, result: isKept === undefined ? 'not measured' : isKept ? 'pass' : 'MISS' };
  };
  return [
    // Who waits for an answer asks for nothing else, so that nothing but the number shows a daemon that stood still.
    check(
      'at least 99 % of the rate is answered, the first and the last second apart',
      requests >= rate * Math.max(0, seconds - 2) * 0.99,
      `${requests} of ${Math.round(rate * seconds)}: ${rate} a second for ${seconds} s`,
    ),
    check('every answer is 200, 201 or 204, or was shed', failures === 0, `${failures} others of ${requests}`),
    check('less than 1 % is shed', shed < requests / 100, `${shed} of ${requests}`),
    check(
      'no broken connection, no request without an answer',
      errors === 0 && timeouts === 0,
      `${errors - timeouts} broken, ${timeouts} without an answer`,
    ),
    // Of a few hundred, those that wait for a helper that was killed are more than one in a hundred.
    check(
      `99 of 100 answers come within ${defaultSlowMs} ms; what takes longer the daemon logs as slow`,
      requests < 1_000 ? undefined : latencyMs.p99 <= defaultSlowMs,
      `half within ${latencyMs.p50} ms, 99 of 100 within ${latencyMs.p99} ms, all within ${latencyMs.max} ms`,
    ),
    check(
      `the event loop is at most ${lateMs} ms late on average in 99 of 100 samples, when it is later the daemon sheds; never ${maxTurnMs} ms`,
      samples.length < 10 ? undefined : usualLateness <= lateMs && longestTurn < maxTurnMs,
      `99 of 100 at most ${usualLateness} ms, all at most ${Math.max(...lateness)} ms; the longest delay of all ${longestTurn} ms`,
    ),
    // Six of ten are in directories that are watched; on a busy machine two may be told as one.
    check(
      'readers are told of changing files: for 10 changes, 6 of them where they look, at least 3 times each',
      fileChanges > 0 && fileEvents >= fileChanges * readers * 0.3,
      `${fileChanges} changes, told ${Math.round(fileEvents / readers)} times to each of ${readers} readers on average`,
    ),
    check('no stream of events ends', endedStreams === 0, `${endedStreams} ended, ${events} events`),
    check(
      'memory (RSS, the middle of each minute) rises by at most 1 MB in ten minutes after the warm-up',
      rssSlope === undefined ? undefined : rssSlope.bytes <= megabyte,
      `${inMegabytes(rssSlope)}; the least heap in use of each minute: ${inMegabytes(heapSlope)}`,
    ),
    check(
      'memory (RSS) is never more than 400 MB',
      samples.length === 0 ? undefined : peak <= 400,
      `at most ${Math.ceil(peak)} MB`,
    ),
    check(
      'descriptors are back to ± 5',
      Math.abs(descriptors.after - descriptors.before) <= 5,
      `${descriptors.before} before, ${descriptors.after} after`,
    ),
    check(
      'child processes are back to ± 1',
      Math.abs(children.after - children.before) <= 1,
      `${children.before} before, ${children.after} after`,
    ),
    check(
      'the embedder was there to be killed, and the MCP server restarted, 9 times out of 10',
      turns > 0 && Math.min(embedderKills, serverRestarts) >= turns * 0.9,
      `${embedderKills} killed and ${serverRestarts} restarted in ${turns} turns`,
    ),
    check(
      'search by meaning works in the end',
      recovered.searchByMeaning,
      recovered.searchByMeaning ? 'ready' : 'not ready',
    ),
    check('the MCP server is ready in the end', recovered.mcpServer === 'ready', recovered.mcpServer),
  ];
}
