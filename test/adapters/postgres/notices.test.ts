/** What listens for the changes of other daemons. */
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { Connections } from '../../../src/adapters/postgres/connections.ts';
import { openNotices } from '../../../src/adapters/postgres/notices.ts';
import { createReachability } from '../../../src/adapters/postgres/reachability.ts';

it('FT-10 FT-07 a connection that is lost while it is tried does not listen, also when it has heard before', async () => {
  const listener = Object.assign(new EventEmitter(), {
    connect: async () => {},
    query: async () => {},
    end: async () => {},
  });
  const connections = {
    tenant: 'default',
    isDirect: true,
    reachability: createReachability(async () => {}),
    createListener: () => listener,
    async read(_text: string, channel: string) {
      listener.emit('notification', { channel });
      listener.emit('error', new Error('The network is gone.'));
      return { rows: [], count: 1 };
    },
  };
  await expect(openNotices(connections as unknown as Connections, 'contextd')).rejects.toThrow('gone');
  expect(connections.reachability.state()).toMatchObject({ lacks: 'events' });
});
