import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tryLock } from '../../../src/adapters/files/lock-file.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const adapter = join(import.meta.dirname, '../../../src/adapters/files/lock-file.ts');

/** Another process that takes the lock, says whether it got it, and keeps it. */
async function lockElsewhere(path: string): Promise<{ child: ChildProcess; got: boolean }> {
  const script = `import { tryLock } from ${JSON.stringify(adapter)};
    console.log(tryLock(${JSON.stringify(path)}) !== undefined);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return { child, got: String(said).trim() === 'true' };
}

describe('lock file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    path = join(directory, 'daemon.lock');
  });

  it('S-73 is taken once, and again after it was released', () => {
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    lock?.release();
    const again = tryLock(path);
    expect(again).toBeDefined();
    again?.release();
  });

  it('S-73 is refused to another process, and freed by kill -9', async () => {
    const first = await lockElsewhere(path);
    expect(first.got).toBe(true);
    expect(tryLock(path)).toBeUndefined();
    const second = await lockElsewhere(path);
    expect(second.got).toBe(false);
    for (const { child } of [first, second]) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    lock?.release();
  });

  it('leaves nothing beside the file', () => {
    const lock = tryLock(path);
    expect(readdirSync(directory)).toEqual(['daemon.lock']);
    lock?.release();
    expect(readdirSync(directory)).toEqual(['daemon.lock']);
  });

  it('throws when the file is something else', () => {
    writeFileSync(path, 'not a database, but long enough to be looked at. '.repeat(100));
    expect(() => tryLock(path)).toThrow(/not a database/u);
    expect(() => tryLock(join(directory, 'missing/daemon.lock'))).toThrow();
  });
});
