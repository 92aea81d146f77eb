import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { safeCompileCache } from '../../src/bin/state-directory.ts';
import { runContextd, temporaryDirectory } from '../support/daemon.ts';

describe('cache of compiled code', () => {
  let state: string;
  beforeEach(() => {
    state = temporaryDirectory();
  });
  afterEach(() => rmSync(state, { recursive: true, force: true }));
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

  it('SY-04 is used by commands, whatever its form of --state-dir', async () => {
    const home = join(state, 'home');
    mkdirSync(cache());
    for (const flag of [['--state-dir', state], [`--state-dir=${state}`]]) {
      const before = readdirSync(cache(), { recursive: true }).length;
      const run = await runContextd(['status', ...flag], { env: { HOME: home, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' } });
      expect(run.code).toBe(69);
      if (before === 0) expect(readdirSync(cache(), { recursive: true }).length).toBeGreaterThan(5);
      else expect(run.stderr + run.stdout).toContain('was accepted');
    }
  });
});
