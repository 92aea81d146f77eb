import { expect, it } from 'vitest';
import type { Approvals } from '../../src/mcp/approvals.ts';
import { createServerTools } from '../../src/mcp/server-tools.ts';
import { readToolList } from '../../src/mcp/tool-lists.ts';
import { fakeTool } from '../support/fake-mcp-launcher.ts';

it('SS-08 tools that were presented before are not read again for another list', async () => {
  let readings = 0;
  const counted = {
    ...fakeTool('echo'),
    get description() {
      readings += 1;
      return 'Echoes.';
    },
  };
  const { tools } = await readToolList([counted]);
  const approval = { fingerprint: 'f', tools } as ReturnType<Approvals['get']>;
  const serverTools = createServerTools({ get: () => approval } as unknown as Approvals);
  const [one, other] = ['a', 'b'].map((name) => ({ id: name, name, fingerprint: 'f' })) as [Server, Server];
  const [first] = serverTools.listed([one]);
  serverTools.listed([other]);
  const before = readings;
  expect(serverTools.listed([one, other])[0]).toBe(first);
  expect(readings).toBe(before);
});

type Server = { id: string; name: string; fingerprint: string };
