/** A real daemon whose wall clock is set again and again while it is used (S-82). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SessionChange } from '../../src/session/session.ts';
import { startDaemon, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const year = 365 * 24 * 3_600_000;
const offsets = [10 * year, -10 * year, 3_600_000, -3_600_000, -Date.UTC(2026, 10), 0, 13 * year, 0];

it('S-82 goes on in its order, and ends for idleness neither early nor late', { timeout: 60_000 }, async () => {
  const directory = temporaryDirectory();
  const preload = join(directory, 'preload.mjs');
  writeFileSync(
    preload,
    `const offsets = ${JSON.stringify(offsets)}; let at = -1; let offset = 0;
    const RealDate = Date; const now = RealDate.now.bind(RealDate);
    globalThis.Date = class extends RealDate { constructor(...args) { args.length === 0 ? super(now() + offset) : super(...args); } };
    globalThis.Date.now = () => now() + offset;
    process.on('SIGUSR2', () => { at += 1; offset = offsets[at % offsets.length]; console.error('set ' + at); });`,
  );
  const daemon = await startDaemon({
    grantRoots: [directory],
    nodeOptions: ['--import', preload],
    args: ['--idle-exit', String(3 / 60)],
  });
  try {
    await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A' } });
    const { id } = (await daemon.request('/v1/sessions', { body: { agentId: 'a' } })).body as { id: string };
    for (const [at] of offsets.entries()) {
      daemon.process.child.kill('SIGUSR2');
      await until(() => daemon.process.output.stderr.includes(`set ${at}\n`));
      const appendMessages = [{ role: 'user', content: `${at}` }];
      expect(await daemon.request(`/v1/sessions/${id}`, { method: 'PATCH', body: { appendMessages } })).toMatchObject({
        status: 200,
        body: { lastSyncId: at + 2 },
      });
      const resolved = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: directory } });
      expect(resolved.status).toBe(200);
      const { uptimeSeconds } = (await daemon.request('/v1/status')).body as { uptimeSeconds: number };
      expect(uptimeSeconds).toBeGreaterThan(0);
      expect(uptimeSeconds).toBeLessThan(60);
    }
    const { changes } = (await daemon.request(`/v1/sessions/${id}/changes?since=1`)).body as {
      changes: SessionChange[];
    };
    expect(changes.map(({ syncId }) => syncId)).toEqual(offsets.map((_, at) => at + 2));
    const stamps = changes.map(({ at }) => Date.parse(at));
    expect(stamps.some((stamp, at) => stamp < (stamps[at - 1] ?? 0))).toBe(true);
    const idleSince = performance.now();
    daemon.process.child.kill('SIGUSR2');
    expect(await daemon.process.exited).toMatchObject({ code: 0, stderr: expect.stringContaining('no request') });
    expect(performance.now() - idleSince).toBeGreaterThan(2_500);
  } finally {
    await daemon.stop();
  }
});
