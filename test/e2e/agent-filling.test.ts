/** An agent that is filled item by item costs the same for each item (AG-05). */
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { startDaemon } from '../support/daemon.ts';

const items = 748;
const counted = 40;

it.skipIf(!existsSync('/proc/self/io'))(
  `AG-05 item ${items} writes and reads as much as the first did, and nobody is told to wait`,
  async () => {
    await using daemon = await startDaemon();
    await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A' } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const put = (name: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
        httpRequest(`${daemon.url}/v1/agents/a/rules/${name}`, { method: 'PUT', agent, headers })
          .on('error', reject)
          .on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)))
          .end(JSON.stringify({ text: 'Write plainly. '.repeat(500) }));
      });
    /** Bytes that the process has written to anything, and read from anything. */
    const moved = () => {
      const io = readFileSync(`/proc/${daemon.process.child.pid}/io`, 'utf8');
      const bytes = (line: RegExp) => Number(line.exec(io)?.[1]);
      return { written: bytes(/^wchar: (\d{1,18})$/mu), read: bytes(/^rchar: (\d{1,18})$/mu) };
    };
    const statuses = new Set<number | undefined>();
    const marks = [moved()];
    for (let number = 1; number <= items; number += 1) {
      statuses.add(await put(`rule-${number}`));
      marks.push(moved());
    }
    agent.destroy();
    expect([...statuses]).toEqual([201]);
    for (const kind of ['written', 'read'] as const) {
      const between = (from: number, to: number) => (marks[to]?.[kind] ?? 0) - (marks[from]?.[kind] ?? 0);
      expect(between(items - counted, items)).toBeLessThan(2 * between(0, counted));
    }
  },
  120_000,
);
