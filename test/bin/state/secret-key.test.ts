import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSecretKey, writeSecretKey } from '../../../src/bin/state/secret-key.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

it('S-26 the key is for its user only and stays the same, until others may know it', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'secret.key');
  const key = readSecretKey(path);
  expect(key).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readSecretKey(path)).toEqual(Buffer.from(key));
  chmodSync(path, 0o640);
  const second = readSecretKey(path);
  expect(second).not.toEqual(key);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, 'short');
  expect(readSecretKey(path)).toHaveLength(32);
  writeSecretKey(path, key);
  expect(readFileSync(path)).toEqual(Buffer.from(key));
  expect(readdirSync(directory)).toEqual(['secret.key']);
});
