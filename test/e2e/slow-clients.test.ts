/** S-75 at the size of a release: for a minute, as many clients as fit send a byte now and then, to a daemon with its own limits. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openRawConnection, requestText } from '../routes/support/raw-http.ts';
import { startDaemon } from '../support/daemon.ts';
import { tellMeasured } from '../support/measured.ts';
import { isTorture } from '../support/test-size.ts';

const clients = 500;
const forMs = 60_000;
const dropEveryMs = 1_000;
const cutWithinMs = 12_000;
const p99Ms = 100;

it.runIf(isTorture)(
  `S-75 serves others while ${clients} clients drip their headers and ${clients} their bodies`,
  {
    timeout: 3 * forMs,
  },
  async (context) => {
    await using daemon = await startDaemon();
    const end = performance.now() + forMs;
    const start = `Host: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${daemon.token}\r\n`;
    const body = `${start}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const cutsMs: number[] = [];
    /** Comes back for as long as this lasts. */
    const drip = async (first: string, drop: string): Promise<void> => {
      while (performance.now() < end) {
        const connection = await openRawConnection(daemon.port);
        const begun = performance.now();
        connection.write(first);
        const timer = setInterval(() => connection.write(drop), dropEveryMs);
        const answers = await connection.closed();
        clearInterval(timer);
        expect(answers.map(({ status }) => status)).toEqual([408]);
        cutsMs.push(performance.now() - begun);
      }
    };
    const dripping = Promise.all([
      ...Array.from({ length: clients }, () => drip(`GET /v1/status HTTP/1.1\r\n${start}`, 'X: y\r\n')),
      ...Array.from({ length: clients }, () => drip(`POST /v1/roots HTTP/1.1\r\n${body}`, ' ')),
    ]);
    const request = requestText({
      method: 'GET',
      target: '/v1/roots',
      headers: [
        ['Host', `127.0.0.1:${daemon.port}`],
        ['Authorization', `Bearer ${daemon.token}`],
      ],
    });
    const waitsMs: number[] = [];
    while (performance.now() < end) {
      const begun = performance.now();
      const good = await openRawConnection(daemon.port);
      expect((await good.exchange(request)).status).toBe(200);
      waitsMs.push(performance.now() - begun);
      good.destroy();
      await delay(20);
    }
    await dripping;
    const waitMs = waitsMs.sort((a, b) => a - b)[Math.floor(waitsMs.length * 0.99)] ?? Number.NaN;
    const longestMs = Math.max(...cutsMs);
    const seen = `${cutsMs.length} cut off within ${longestMs.toFixed(0)} ms; ${waitsMs.length} served, p99 ${waitMs.toFixed(1)} ms`;
    tellMeasured(context, seen);
    expect(cutsMs.length, seen).toBeGreaterThanOrEqual(2 * clients);
    expect(longestMs, seen).toBeLessThanOrEqual(cutWithinMs);
    expect(waitMs, seen).toBeLessThanOrEqual(p99Ms);
  },
);
