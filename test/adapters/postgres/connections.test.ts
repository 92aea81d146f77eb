import { describe, expect, it } from 'vitest';
import { openConnections } from '../../../src/adapters/postgres/connections.ts';

const secret = 'hunter2canary';
const direct = { host: 'db.invalid', port: 5432, user: 'ada', database: 'x', ssl: false };
const pooled = { ...direct, host: 'pooler.invalid', password: secret };
const options = { tenant: 'one', maxConnections: 1, connectMs: 1, statementMs: 1 };

describe('a connection that listens', () => {
  it('FT-10 S-91 goes to its own address, which is not told the password of the other', () => {
    const listener = openConnections(pooled, { ...options, direct }).createListener();
    expect(listener).toMatchObject({ host: 'db.invalid', user: 'ada' });
    expect(listener.password).not.toBe(secret);
    expect(openConnections(pooled, options).createListener()).toMatchObject({
      host: 'pooler.invalid',
      password: secret,
    });
  });
});
