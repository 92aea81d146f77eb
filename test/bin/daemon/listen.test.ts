/** Where the daemon cannot listen, it says what to do (SY-04). */
import { expect, it } from 'vitest';
import { listen } from '../../../src/bin/daemon/listen.ts';

it('SY-04 names the other loopback address on a machine that has only one', async () => {
  const app = {
    listen: async () => {
      throw Object.assign(new Error('listen EADDRNOTAVAIL'), { code: 'EADDRNOTAVAIL' });
    },
  };
  const refusalOn = (host: string) => listen(app as never, { host, port: 1 }).catch(({ message }) => message);
  expect(await refusalOn('127.0.0.1')).toBe('this machine has no address 127.0.0.1. Use the other one: --host=::1');
  expect(await refusalOn('::1')).toBe('this machine has no address ::1. Use the other one: --host=127.0.0.1');
  expect(await refusalOn('203.0.113.1')).toBe('this machine has no address 203.0.113.1.');
});
