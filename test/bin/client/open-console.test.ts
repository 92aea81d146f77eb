/** What a person is told who has to open the console. */
import { afterEach, expect, it, vi } from 'vitest';
import { consoleMessage } from '../../../src/bin/client/open-console.ts';

afterEach(() => void vi.unstubAllEnvs());

const messageAt = (host: string) =>
  consoleMessage({ url: `http://${host}:4747/#code=abc`, opened: false, started: false });

it('SY-04 over SSH the tunnel is named only where the address needs one', () => {
  vi.stubEnv('SSH_CONNECTION', '192.0.2.2 50000 192.0.2.1 22');
  // The daemon may listen on 127.0.0.1 or on ::1.
  expect(messageAt('abc.localhost')).toContain(
    '\nIf you sit at another machine, run there first: ssh -N -L 4747:localhost:4747 <this machine>',
  );
  expect(messageAt('192.0.2.1')).not.toContain('ssh');
  vi.stubEnv('SSH_CONNECTION', undefined);
  expect(messageAt('abc.localhost')).not.toContain('ssh');
});
