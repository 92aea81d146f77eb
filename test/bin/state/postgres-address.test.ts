import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { CommandFailure } from '../../../src/bin/exit-codes.ts';
import { hasPassword, parseStore } from '../../../src/bin/state/postgres-address.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const directory = temporaryDirectory();
const place = { environment: {}, cwd: directory, home: '/home/ada' };
const secret = 'hunter2canary';

const parse = (store: string, more: object = {}) => parseStore({ store, ...more }, place);
const refusalOf = (work: () => unknown): CommandFailure => {
  try {
    work();
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('--store', () => {
  it('FT-01 means SQLite without a word, and with that one', () => {
    expect(parseStore({}, place)).toBeUndefined();
    expect(parse('sqlite')).toBeUndefined();
    const environment = { CONTEXTD_STORE: 'postgres://ada@127.0.0.1/x' };
    expect(parseStore({}, { ...place, environment })?.connection).toMatchObject({ database: 'x' });
    expect(parseStore({ store: 'sqlite' }, { ...place, environment })).toBeUndefined();
    expect(parseStore({}, { ...place, environment: { CONTEXTD_STORE: '' } })).toBeUndefined();
  });

  it.each([
    ['postgres://ada@db.example', { host: 'db.example', port: 5432, database: 'ada', user: 'ada' }],
    [
      'postgresql://a%40b:p%2Fw@[::1]:6432/c%20d',
      { host: '::1', port: 6432, database: 'c d', user: 'a@b', password: 'p/w' },
    ],
    ['postgres://ada@%2Frun%2Fpostgresql/x', { host: '/run/postgresql', port: 5432, database: 'x', ssl: false }],
    ['postgres://ada@localhost/x', { ssl: false }],
    ['postgres://ada@127.0.0.9/x', { ssl: false }],
  ])('FT-06 reads %s', (address, connection) => {
    expect(parse(address)?.connection).toMatchObject(connection);
  });

  it('S-89 FT-06 verifies other hosts unless it is told otherwise, as libpq means the modes', () => {
    const root = join(directory, 'root.crt');
    writeFileSync(root, 'a certificate');
    const of = (query: string) => {
      const ssl = parse(`postgres://ada@db.example/x${query}`)?.connection.ssl as ConnectionOptions;
      const { rejectUnauthorized, checkServerIdentity, ca } = ssl;
      return { isVerified: rejectUnauthorized, isNamed: checkServerIdentity === undefined, ca };
    };
    expect(of('')).toEqual({ isVerified: true, isNamed: true });
    expect(of('?sslmode=verify-full&sslrootcert=system')).toEqual({ isVerified: true, isNamed: true });
    expect(of(`?sslmode=verify-full&sslrootcert=${root}`)).toEqual({
      isVerified: true,
      isNamed: true,
      ca: 'a certificate',
    });
    expect(of('?sslmode=verify-ca')).toEqual({ isVerified: true, isNamed: false });
    expect(of('?sslmode=require')).toEqual({ isVerified: false, isNamed: false });
    // With a root certificate, libpq verifies by it.
    expect(of(`?sslmode=require&sslrootcert=${root}`)).toEqual({
      isVerified: true,
      isNamed: false,
      ca: 'a certificate',
    });
    expect(parse('postgres://ada@db.example/x?sslmode=disable')?.connection.ssl).toBe(false);
    expect(parse('postgres://ada@localhost/x?sslmode=verify-full')?.connection.ssl).toMatchObject({
      rejectUnauthorized: true,
    });
    const shown = parse(`postgres://ada:${secret}@db.example/x`)?.shown;
    expect(shown).toBe('postgres://db.example/x (TLS: verify-full)');
  });

  it('FT-06 S-91 takes the password of a file anew for each connection, and never tells it', async () => {
    writeFileSync(join(directory, 'password'), `${secret}\nrest`);
    const store = parse('postgres://ada@db.example/x', { storePasswordFile: 'password' });
    const password = store?.connection.password as () => Promise<string>;
    expect(await password()).toBe(secret);
    writeFileSync(join(directory, 'password'), 'another\r\n');
    expect(await password()).toBe('another');
    expect(store?.secretFiles).toEqual([join(directory, 'password')]);
    expect(JSON.stringify({ ...store, connection: {} })).not.toContain(secret);
    expect(hasPassword(`postgres://ada:${secret}@db.example/x`)).toBe(true);
    expect(hasPassword('postgres://ada@db.example/x')).toBe(false);
    expect(hasPassword('sqlite')).toBe(false);
  });

  it.each([
    ['mysql://ada@db/x', 'an address such as'],
    ['not an address', 'an address such as'],
    ['postgres://db.example/x', 'the user'],
    [`postgres://ada:${secret}@a,b/x`, 'one host'],
    [`postgres://ada:${secret}@/x`, 'an address such as'],
    ['postgres:///x', 'one host'],
    [`postgres://ada:${secret}%@db/x`, '%25'],
    [`postgres://ada:${secret}@db/x?sslmode=prefer`, 'use disable, require or verify-full'],
    [`postgres://ada:${secret}@db/x?sslmode=allow`, 'use disable, require or verify-full'],
    [`postgres://ada:${secret}@db/x?sslmode=${secret}`, 'sslmode must be'],
    [`postgres://ada:${secret}@db/x?options=-c%20role=x`, 'only the parameters schema, sslmode'],
    [`postgres://ada:?${secret}@db/x`, ''],
    [`postgres://ada:#${secret}@db/x`, ''],
    [`postgres://ada:${secret}@db/x?schema=x;--`, '"schema" must be'],
    [`postgres://ada:${secret}@db/x?sslmode=require&sslmode=disable`, 'twice'],
    [`postgres://ada:${secret}@db/x?sslrootcert=root.crt`, 'absolute path'],
    [`postgres://ada:${secret}@db/x?sslrootcert=/nowhere/root.crt`, 'ENOENT'],
    [`postgres://ada:${secret}@db/x?sslcert=/nowhere/root.crt`, 'belong together'],
  ])('FT-06 S-91 refuses %s without telling a secret', (address, why) => {
    const { exitCode, message } = refusalOf(() => parse(address));
    expect(exitCode).toBe(78);
    expect(message).toContain(why);
    expect(message).not.toContain(secret);
  });

  it('FT-10 S-91 has a second address for what listens, with the same password, and tells which one is wrong', () => {
    const pooled = `postgres://ada:${secret}@db.example:6432/x?schema=y`;
    const direct = `postgres://ada:${secret}@db.example/x`;
    const store = parse(pooled, { storeDirect: direct });
    expect(store).toMatchObject({ schema: 'y', connection: { port: 6432 }, direct: { port: 5432, password: secret } });
    expect(store?.shown).toBe(
      'postgres://db.example:6432/x (TLS: verify-full), directly postgres://db.example/x (TLS: verify-full)',
    );
    const environment = { CONTEXTD_STORE: pooled, CONTEXTD_STORE_DIRECT: direct };
    expect(parseStore({}, { ...place, environment })).toMatchObject({ direct: { port: 5432 } });
    expect(parseStore({ store: 'sqlite' }, { ...place, environment })).toBeUndefined();
    expect(parseStore({}, { ...place, environment: { ...environment, CONTEXTD_STORE_DIRECT: '' } })?.direct).toBe(
      undefined,
    );
    writeFileSync(join(directory, 'password'), 'of both');
    const withFile = parse(pooled, { storeDirect: direct, storePasswordFile: 'password' });
    for (const connection of [withFile?.connection, withFile?.direct])
      expect(connection?.password).toBeInstanceOf(Function);
    const wrong = refusalOf(() => parse(pooled, { storeDirect: `postgres://ada:${secret}@db/x?sslmode=allow` }));
    expect(wrong.message).toContain('The address of the direct connection cannot be used: sslmode=allow');
    expect(wrong.message).not.toContain(secret);
    expect(refusalOf(() => parse('mysql://x')).message).toContain('The address of the store cannot be used');
  });

  it('FT-06 refuses flags that would mean nothing, and names that are no tenant', () => {
    expect(refusalOf(() => parseStore({ tenant: 'a' }, place))).toMatchObject({ exitCode: 64 });
    expect(refusalOf(() => parseStore({ storeDirect: 'a' }, place))).toMatchObject({ exitCode: 64 });
    expect(refusalOf(() => parseStore({ storePasswordFile: 'a' }, place))).toMatchObject({ exitCode: 64 });
    for (const tenant of ['', 'A', '-a', "a' OR 1=1", 'a'.repeat(41), 'ä'])
      expect(refusalOf(() => parse('postgres://ada@localhost/x', { tenant }))).toMatchObject({ exitCode: 64 });
    const missing = () => parse('postgres://ada@localhost/x', { storePasswordFile: 'missing' });
    expect(refusalOf(missing)).toMatchObject({ exitCode: 78, message: expect.stringContaining('ENOENT') });
    writeFileSync(join(directory, 'empty'), '\n');
    const empty = () => parse('postgres://ada@localhost/x', { storePasswordFile: 'empty' });
    expect(refusalOf(empty).message).toContain('is empty');
  });
});
