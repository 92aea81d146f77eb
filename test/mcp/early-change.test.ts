/** What a server says before its connection is there (S-30). */
import { expect, it } from 'vitest';
import { createServerRuns } from '../../src/mcp/server-runs.ts';
import type { McpLaunch } from '../../src/ports/mcp-launcher.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeMcpLauncher } from '../support/fake-mcp-launcher.ts';

const launch: McpLaunch = { transport: 'stdio', command: '/usr/bin/node', args: [], env: {}, cwd: '/' };

it('S-30 a server may say that a list changed while it shakes hands', async () => {
  const launcher = createFakeMcpLauncher();
  const runs = createServerRuns({
    clock: createFakeClock(),
    schedule: () => () => {},
    createPreparation: () => async () => ({ launch, reads: new Map() }),
    async connect(prepared, handlers) {
      // As the timer of `followChanges` does, which begins before the handshake.
      expect(() => handlers.onListChanged('tools')).not.toThrow();
      return launcher.connect(prepared.launch, handlers);
    },
    onConnected: async () => {},
    onListChanged() {},
    onStatus() {},
  });
  await runs.start('a');
  expect(runs.status('a').state).toBe('ready');
});
