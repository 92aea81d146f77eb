import { chmodSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { pruneCompileCache } from '../../../src/bin/daemon/compile-cache.ts';
import { safeCompileCache } from '../../../src/bin/state/state-directory.ts';
import { ownCompileCache, ownProcess, runContextd } from '../../support/daemon.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

describe('cache of compiled code', () => {
  let state: string;
  beforeEach(() => {
    state = temporaryDirectory();
  });
  const cache = () => join(state, 'compile-cache');

  it('S-08 is used from a state directory of our own', () => {
    mkdirSync(cache());
    expect(safeCompileCache(state)).toBe(cache());
  });

  it('S-08 is not made where there is none', () => {
    expect(safeCompileCache(state)).toBeUndefined();
    expect(readdirSync(state)).toEqual([]);
  });

  it('S-08 is not used when others could have put something into it', () => {
    mkdirSync(cache());
    chmodSync(cache(), 0o777);
    expect(safeCompileCache(state)).toBeUndefined();
    chmodSync(cache(), 0o700);
    chmodSync(state, 0o770);
    expect(safeCompileCache(state)).toBeUndefined();
  });

  it('S-08 is not used when it is a link', () => {
    mkdirSync(join(state, 'elsewhere'));
    symlinkSync(join(state, 'elsewhere'), cache());
    expect(safeCompileCache(state)).toBeUndefined();
  });

  it('S-83 loses what other versions of Node.js have left', () => {
    for (const name of ['v22.23.0-x64-1', 'v24.21.0-x64-2']) mkdirSync(join(cache(), name), { recursive: true });
    writeFileSync(join(cache(), 'v24.21.0-x64-2/a'), 'a');
    pruneCompileCache(cache(), join(cache(), 'v24.21.0-x64-2'));
    expect(readdirSync(cache(), { recursive: true })).toEqual(['v24.21.0-x64-2', 'v24.21.0-x64-2/a']);
  });

  it('S-83 is emptied when it has grown too large', () => {
    const used = join(cache(), 'v24.21.0-x64-2');
    mkdirSync(used, { recursive: true });
    for (const name of ['a', 'b']) {
      writeFileSync(join(used, name), '');
      truncateSync(join(used, name), 40 * 1024 * 1024);
    }
    pruneCompileCache(cache(), used);
    expect(readdirSync(cache())).toEqual([]);
  });

  it('S-83 may be missing, or be anything', () => {
    pruneCompileCache(cache());
    writeFileSync(cache(), 'a file');
    pruneCompileCache(cache());
  });

  it('SY-04 is used by commands, whatever its form of --state-dir', async () => {
    const home = join(state, 'home');
    mkdirSync(cache());
    for (const flag of [['--state-dir', state], [`--state-dir=${state}`]]) {
      const before = readdirSync(cache(), { recursive: true }).length;
      const run = await runContextd(['status', ...flag], {
        env: { HOME: home, ...ownCompileCache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
        ...ownProcess,
      });
      expect(run.code).toBe(69);
      if (before === 0) expect(readdirSync(cache(), { recursive: true }).length).toBeGreaterThan(5);
      else expect(run.stderr + run.stdout).toContain('was accepted');
    }
  });
});
