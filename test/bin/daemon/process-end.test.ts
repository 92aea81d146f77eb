import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const source = join(import.meta.dirname, '../../../src/bin/daemon/process-end.ts');

describe('end of the process', () => {
  let directory: string;
  let discoveryFile: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    discoveryFile = join(directory, 'daemon.json');
    writeFileSync(discoveryFile, '{}');
  });

  /** A process that ends by the rules under test; `then` runs in it once it is set up and may use `end`. */
  function run(then: string, options: { close?: string; graceMs?: number; isHeld?: boolean } = {}) {
    const log = ['debug', 'info', 'warn', 'error'].map(
      (level) => `${level}: (f, m) => console.log('${level}', m, f.err?.message ?? '')`,
    );
    const script = `
      import { rmSync } from 'node:fs';
      import { Worker } from 'node:worker_threads';
      import { Readable } from 'node:stream';
      import { endProcessOrderly } from ${JSON.stringify(source)};
      const end = endProcessOrderly({
        logger: { ${log} },
        withdraw: () => rmSync(${JSON.stringify(discoveryFile)}, { force: true }),
        close: async () => { ${options.close ?? ''} },
        graceMs: ${options.graceMs ?? 5_000},
        isHeld: () => ${options.isHeld ?? false},
      });
      setInterval(() => {}, 1_000);
      console.log('set up');
      ${then}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const state = { text: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      state.text += text;
    });
    const said = async (text: string) => {
      while (!state.text.includes(text)) await once(child.stdout, 'data');
    };
    return { child, said, state, exit: once(child, 'close') };
  }

  it.each([
    ['a timer', 'setTimeout(() => { throw new Error("boom") }, 1);'],
    ['a rejection nobody handles', 'Promise.reject(new Error("boom"));'],
    ['a stream', 'Readable.from([1]).destroy(new Error("boom"));'],
    ['a worker', 'new Worker("throw new Error(\'boom\')", { eval: true });'],
    ['the main module', 'throw new Error("boom");'],
  ])('S-81 an error nobody caught in %s is logged and ends it with 70, the discovery file removed', async (_, then) => {
    const { exit, state } = run(then);
    expect(await exit).toEqual([70, null]);
    expect(state.text).toMatch(/error the daemon ends because of an unexpected error boom/u);
    expect(existsSync(discoveryFile)).toBe(false);
  });

  it('S-40 S-80 ends in order where a thread waits for a disk that does not answer, the discovery file removed', async () => {
    const { child, said, exit, state } = run('', { isHeld: true });
    await said('set up');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(state.text).toContain('info stopped');
    expect(existsSync(discoveryFile)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'S-80 %s closes, removes the file and ends it with 0',
    async (signal) => {
      const { child, said, exit, state } = run('', { close: 'console.log("closing")' });
      await said('set up');
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
      expect(state.text).toMatch(/info stopping.*closing.*info stopped/su);
      expect(existsSync(discoveryFile)).toBe(false);
    },
  );

  it('PK-03 an import that finds its file no more, and that nobody awaits, ends it in order with 69', async () => {
    const { exit, state } = run('void import("./gone.js");', { close: 'console.log("closing")' });
    expect(await exit).toEqual([69, null]);
    expect(state.text).toMatch(
      /error a part of contextd is missing .*gone\.js.*warn stopping.*closing.*info stopped/su,
    );
    expect(existsSync(discoveryFile)).toBe(false);
  });

  it('S-80 the file is gone while requests are still being finished, and a second signal ends it at once', async () => {
    const { child, said, exit } = run('', {
      close: 'console.log("closing"); await new Promise(() => {})',
      graceMs: 60_000,
    });
    await said('set up');
    child.kill('SIGTERM');
    await said('closing');
    expect(existsSync(discoveryFile)).toBe(false);
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
  });

  it('S-80 what does not close in time is left', async () => {
    const { exit, state } = run('end("test");', { close: 'await new Promise(() => {})', graceMs: 50 });
    expect(await exit).toEqual([0, null]);
    expect(state.text).toContain('warn requests were still running');
  });

  it('S-80 asking twice is asking once; S-81 a close that fails ends it with 70', async () => {
    const { exit, state } = run('end("one"); end("two");', { close: 'throw new Error("boom")' });
    expect(await exit).toEqual([70, null]);
    expect(state.text.match(/stopping/gu)).toHaveLength(1);
  });
});
