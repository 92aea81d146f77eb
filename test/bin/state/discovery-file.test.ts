import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandFailure } from '../../../src/bin/exit-codes.ts';
import { originalOf, readDiscoveryFile, writeDiscoveryFile } from '../../../src/bin/state/discovery-file.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const startedAt = new Date('2026-01-02T03:04:05.006Z');
const discovery = {
  url: 'http://127.0.0.1:4747',
  token: 'secret',
  pid: 7,
  version: '1.2.3',
  startedAt,
  instanceId: 'i',
};
const written = { ...discovery, startedAt: '2026-01-02T03:04:05.006Z' };

describe('discovery file', () => {
  let directory: string;
  let path: string;
  let umask: number;
  beforeEach(() => {
    directory = temporaryDirectory();
    path = join(directory, 'daemon.json');
    umask = process.umask(0);
  });
  afterEach(() => process.umask(umask));

  it('S-08 is written for its user only, whatever the umask, and leaves nothing beside it', () => {
    writeDiscoveryFile(path, discovery);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['daemon.json']);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(written);
    expect(readDiscoveryFile(path)).toEqual(written);
  });

  it('S-73 is known as a copy by what it said, also if the daemon of the copy has removed it meanwhile', () => {
    const original = join(directory, 'original.json');
    writeDiscoveryFile(original, { ...discovery, discoveryFile: original });
    const read = { ...written, discoveryFile: original };
    expect(originalOf(original, read)).toBeUndefined();
    expect(originalOf(path, read)).toBe(original);
    writeDiscoveryFile(path, { ...discovery, discoveryFile: original });
    expect(originalOf(path, read)).toBe(original);
    expect(originalOf(path, { ...read, instanceId: 'another' })).toBeUndefined();
  });

  it('S-08 replaces a link instead of writing through it', () => {
    const target = join(directory, 'target');
    writeFileSync(target, 'precious');
    symlinkSync(target, path);
    writeDiscoveryFile(path, discovery);
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readDiscoveryFile(path)).toEqual(written);
  });

  it('S-08 leaves nothing behind when it cannot be put in place', () => {
    mkdirSync(join(path, 'in the way'), { recursive: true });
    expect(() => writeDiscoveryFile(path, discovery)).toThrow();
    expect(readdirSync(directory)).toEqual(['daemon.json']);
  });

  it('S-74 is not read through a link, nor when others may read it, nor when it is no file', () => {
    writeDiscoveryFile(join(directory, 'real.json'), discovery);
    symlinkSync(join(directory, 'real.json'), path);
    expect(() => readDiscoveryFile(path)).toThrow(CommandFailure);
    chmodSync(join(directory, 'real.json'), 0o640);
    expect(() => readDiscoveryFile(join(directory, 'real.json'))).toThrow(
      'it must be a file of yours with mode 0600. Remove it, then: contextd start',
    );
    expect(() => readDiscoveryFile(directory)).toThrow(CommandFailure);
  });

  it('S-74 is as good as missing when it says nothing usable', () => {
    expect(readDiscoveryFile(path)).toBeUndefined();
    expect(readDiscoveryFile(join(directory, 'no/daemon.json'))).toBeUndefined();
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"token":"t"}',
      '{"url":"http://127.0.0.1:1"}',
      '{"token":1,"url":"x"}',
      '{"token":"t","url":"file:///etc/passwd"}',
    ]) {
      writeFileSync(path, text, { mode: 0o600 });
      expect(readDiscoveryFile(path), text).toBeUndefined();
    }
  });
});
