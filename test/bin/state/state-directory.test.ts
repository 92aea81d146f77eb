import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandFailure } from '../../../src/bin/exit-codes.ts';
import { prepareStateDirectory, stateDirectoryPath } from '../../../src/bin/state/state-directory.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

function refusal(work: () => void): CommandFailure {
  try {
    work();
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('state directory: where it lies', () => {
  const home = '/home/me';
  const cwd = '/work';
  it.each<[string | undefined, Record<string, string>, string]>([
    ['state', { CONTEXTD_STATE_DIR: '/env' }, '/work/state'],
    ['~/state', {}, '/home/me/state'],
    [undefined, { CONTEXTD_STATE_DIR: '/env', XDG_STATE_HOME: '/xdg' }, '/env'],
    [undefined, { CONTEXTD_STATE_DIR: '~/env' }, '/home/me/env'],
    [undefined, { CONTEXTD_STATE_DIR: '', XDG_STATE_HOME: '/xdg' }, '/xdg/contextd'],
    [undefined, { XDG_STATE_HOME: 'relative' }, '/home/me/.local/state/contextd'],
    [undefined, {}, '/home/me/.local/state/contextd'],
  ])('SY-01 flag %j, environment %j: %s', (flag, environment, path) => {
    expect(stateDirectoryPath(flag, { environment, cwd, home })).toBe(path);
  });
});

describe('state directory: whether it is safe', () => {
  let directory: string;
  let state: string;
  let umask: number;
  beforeEach(() => {
    directory = temporaryDirectory();
    state = join(directory, 'deep/state');
    umask = process.umask(0);
  });
  afterEach(() => process.umask(umask));

  it('S-08 is made with all directories above it for its user only, whatever the umask', () => {
    prepareStateDirectory(state);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'deep')).mode & 0o777).toBe(0o700);
    prepareStateDirectory(state);
  });

  it.each([0o777, 0o770, 0o702])('S-08 is refused with mode %o, which stays', (mode) => {
    mkdirSync(state, { recursive: true });
    chmodSync(state, mode);
    const { exitCode, message } = refusal(() => prepareStateDirectory(state));
    expect(exitCode).toBe(78);
    expect(message).toContain('chmod go-w');
    expect(statSync(state).mode & 0o777).toBe(mode);
  });

  it('S-08 is refused when it is a file, or lies below one', () => {
    writeFileSync(join(directory, 'deep'), '');
    expect(refusal(() => prepareStateDirectory(join(directory, 'deep'))).exitCode).toBe(78);
    const { exitCode, message } = refusal(() => prepareStateDirectory(state));
    expect([exitCode, message]).toEqual([
      78,
      expect.stringContaining('Name another one: --state-dir <dir>, or CONTEXTD_'),
    ]);
  });

  it('S-08 is refused when it is a link, even to a directory of ours', () => {
    const real = join(directory, 'real');
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, join(directory, 'link'));
    expect(refusal(() => prepareStateDirectory(join(directory, 'link'))).message).toContain('symbolic link');
    expect(readdirSync(real)).toEqual([]);
  });

  it.each(['daemon.json', 'daemon.lock', 'contextd.db', 'contextd.log', 'compile-cache'])(
    'S-08 a link planted as %s is refused, its target untouched',
    (name) => {
      mkdirSync(state, { recursive: true, mode: 0o700 });
      const target = join(directory, 'target');
      writeFileSync(target, 'precious');
      symlinkSync(target, join(state, name));
      expect(refusal(() => prepareStateDirectory(state)).exitCode).toBe(78);
      expect(readFileSync(target, 'utf8')).toBe('precious');
      expect(lstatSync(join(state, name)).isSymbolicLink()).toBe(true);
    },
  );

  it.each(['contextd.db', 'contextd.db-wal', 'contextd.db-shm', 'contextd.db-journal'])(
    'S-08 a file of ours that others may write is refused: %s',
    (name) => {
      prepareStateDirectory(state);
      writeFileSync(join(state, name), '');
      chmodSync(join(state, name), 0o666);
      expect(refusal(() => prepareStateDirectory(state)).message).toContain(`${name} is not safe to use`);
    },
  );
});
