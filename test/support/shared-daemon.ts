/** One daemon for the tests of a file: starting one takes longer than most of them do. */
import { afterAll, expect } from 'vitest';
import { startDaemon, type TestDaemon } from './daemon.ts';

/** Call it once in a file. What it returns grants a directory of a test, and gives the daemon. */
export function shareDaemon(): (root: string) => Promise<TestDaemon> {
  let started: Promise<TestDaemon> | undefined;
  afterAll(async () => (await started)?.stop());
  return async (root) => {
    started ??= startDaemon();
    const daemon = await started;
    expect((await daemon.request('/v1/roots', { body: { path: root } })).status).toBeLessThan(300);
    return daemon;
  };
}
