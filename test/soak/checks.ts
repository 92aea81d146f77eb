/** What the soak promises: figure 10 of security.md, section 3, with a slope that an hour can show. */
import type { Answers } from './mix.ts';
import type { SoakResult } from './soak.ts';

export type Check = { promise: string; measured: string; result: 'pass' | 'MISS' | 'not measured' };

const mebibyte = 1024 * 1024;
const megabyte = 1_000_000;

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
export function leastOfEachMinute(points: readonly Point[]): Point[] {
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
  const { failures, shed, requests, errors, timeouts, samples, rssSlope, heapSlope } = result;
  const { descriptors, children, turns, embedderKills, serverRestarts, recovered, endedStreams, events } = result;
  const peak = Math.max(...samples.map(({ rssBytes }) => rssBytes)) / megabyte;
  const inMebibytes = (slope: Slope | undefined) =>
    slope === undefined
      ? 'unknown'
      : `${(slope.bytes / mebibyte).toFixed(2)} ± ${(slope.errorBytes / mebibyte).toFixed(2)} MiB`;
  const check = (promise: string, isKept: boolean | undefined, measured: string): Check => {
    return { promise, measured, result: isKept === undefined ? 'not measured' : isKept ? 'pass' : 'MISS' };
  };
  return [
    check('every answer is 200, 201 or 204, or was shed', failures === 0, `${failures} others of ${requests}`),
    check('less than 1 % is shed', shed < requests / 100, `${shed} of ${requests}`),
    check(
      'no broken connection, no request without an answer',
      errors === 0 && timeouts === 0,
      `${errors - timeouts} broken, ${timeouts} without an answer`,
    ),
    check('no stream of events ends', endedStreams === 0, `${endedStreams} ended, ${events} events`),
    check(
      'memory (RSS, the middle of each minute) rises by at most 1 MiB in ten minutes after the warm-up',
      rssSlope === undefined ? undefined : rssSlope.bytes <= mebibyte,
      `${inMebibytes(rssSlope)}; the least heap in use of each minute: ${inMebibytes(heapSlope)}`,
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
