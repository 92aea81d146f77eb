/** S-75 at the size of a release: for a minute a thousand clients send a little every second, to a daemon with its own limits. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openRawConnection, requestText } from '../routes/support/raw-http.ts';
import { startDaemon } from '../support/daemon.ts';
import { tellMeasured } from '../support/measured.ts';
import { isTorture } from '../support/test-size.ts';

const clients = 500;
const forMs = 60_000;
const dropEveryMs = 1_000;
/** Its own limits, the time between two looks at connections, and a second. */
const headersCutMs = 7_000;
const bodiesCutMs = 12_000;
const p99Ms = 100;
const longestWaitMs = 2_000;
const askEveryMs = 50;

const title = `S-75 serves others while ${clients} clients drip their headers and ${clients} their bodies`;
it.runIf(isTorture)(title, { timeout: 3 * forMs }, async (context) => {
  await using daemon = await startDaemon();
  const end = performance.now() + forMs;
  const start = `Host: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${daemon.token}\r\n`;
  const body = `${start}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
  /** Comes back for as long as this lasts, and gives how long it was kept each time. */
  const drip = async (first: string, drop: string): Promise<number[]> => {
    const keptMs: number[] = [];
    while (performance.now() < end) {
      const connection = await openRawConnection(daemon.port);
      const begun = performance.now();
      connection.write(first);
      const timer = setInterval(() => connection.write(drop), dropEveryMs);
      const answers = await connection.closed();
      clearInterval(timer);
      expect(answers.map(({ status }) => status)).toEqual([408]);
      keptMs.push(performance.now() - begun);
    }
    return keptMs;
  };
  const dripping = Promise.all(
    [
      { first: `GET /v1/status HTTP/1.1\r\n${start}`, drop: 'X: y\r\n' },
      { first: `POST /v1/roots HTTP/1.1\r\n${body}`, drop: ' ' },
    ].map(({ first, drop }) => Promise.all(Array.from({ length: clients }, () => drip(first, drop)))),
  );
  const headers: [string, string][] = [
    ['Host', `127.0.0.1:${daemon.port}`],
    ['Authorization', `Bearer ${daemon.token}`],
  ];
  const request = requestText({ method: 'GET', target: '/v1/roots', headers });
  // Each counts from when it was due, so that a time in which nobody is served is seen by all that were due in it.
  const ask = async (): Promise<number> => {
    const due = performance.now();
    const good = await openRawConnection(daemon.port);
    expect((await good.exchange(request)).status).toBe(200);
    good.destroy();
    return performance.now() - due;
  };
  const asked: Promise<number>[] = [];
  while (performance.now() < end) {
    asked.push(ask());
    await delay(askEveryMs);
  }
  const waitsMs = (await Promise.all(asked)).sort((a, b) => a - b);
  const [ofHeaders = [], ofBodies = []] = (await dripping).map((kept) => kept.flat());
  const [waitMs, longestMs] = [waitsMs[Math.floor(waitsMs.length * 0.99)] ?? Number.NaN, waitsMs.at(-1) ?? Number.NaN];
  const [headersMs, bodiesMs] = [Math.max(...ofHeaders), Math.max(...ofBodies)];
  const cut = `${ofHeaders.length} headers cut off within ${headersMs.toFixed(0)} ms, ${ofBodies.length} bodies within ${bodiesMs.toFixed(0)} ms`;
  const seen = `${cut}; ${waitsMs.length} served, p99 ${waitMs.toFixed(1)} ms, all within ${longestMs.toFixed(0)} ms`;
  tellMeasured(context, seen);
  expect(headersMs, seen).toBeLessThanOrEqual(headersCutMs);
  expect(bodiesMs, seen).toBeLessThanOrEqual(bodiesCutMs);
  expect(waitMs, seen).toBeLessThanOrEqual(p99Ms);
  expect(longestMs, seen).toBeLessThanOrEqual(longestWaitMs);
});
