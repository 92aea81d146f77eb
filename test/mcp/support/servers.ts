/** A workspace with MCP servers, over a launcher that starts nothing. */
import type { McpServerEntry } from '../../../src/mcp/server-requests.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeMcpLauncher, type FakeMcpLauncher } from '../../support/fake-mcp-launcher.ts';
import { createWorkspace, project, type TestWorkspace } from '../../support/workspace.ts';

export const configPath = `${project}/.context/context-config.json`;
export const globalConfigPath = '/home/ada/.context/context-config.json';

export function configOf(mcpServers: object): string {
  return JSON.stringify({ mcpServers });
}

export const files = { '/usr/bin/node': 'ELF', '/usr/bin/bash': 'ELF', '/opt/bin/node': 'ELF', 'srv.js': 'serve()' };
export const local = { command: 'node', args: ['./srv.js'], env: { TOKEN: 'canary-secret' } };

export type ServerTest = TestWorkspace & {
  launcher: FakeMcpLauncher;
  mcp: TestWorkspace['engine']['mcp'];
  /** What was put off, by its delay. */
  delayed: { work: () => void; ms: number }[];
  /** What loading the launcher fails with, one error a time. */
  loadFailures: Error[];
  events: { type: string; data: Record<string, unknown> }[];
  list(): Promise<McpServerEntry[]>;
  server(name?: string): Promise<McpServerEntry>;
  approve(name?: string): Promise<McpServerEntry>;
  /** Approves and starts. */
  run(name?: string): Promise<McpServerEntry>;
  setServers(mcpServers: object): void;
};

export async function createServers(
  mcpServers: object = { local },
  more: {
    tree?: Record<string, string>;
    ports?: Parameters<typeof createWorkspace>[1];
    environment?: Record<string, string>;
  } = {},
): Promise<ServerTest> {
  const launcher = createFakeMcpLauncher();
  const delayed: ServerTest['delayed'] = [];
  const loadFailures: Error[] = [];
  const clock = createFakeClock();
  const workspace = await createWorkspace(
    { ...files, [configPath]: configOf(mcpServers), ...more.tree },
    {
      ...more.ports,
      ports: {
        ...more.ports?.ports,
        clock,
        secretKey: new Uint8Array(32),
        mcp: {
          load: async () => {
            const failure = loadFailures.shift();
            if (failure) throw failure;
            return launcher;
          },
          environment: { HOME: '/home/ada', PATH: '/usr/bin:/bin' },
          variableOf: (name) => more.environment?.[name],
          schemaChecker: {
            check: async (_schema, value) =>
              typeof (value as { text?: unknown }).text === 'string'
                ? { outcome: 'valid' }
                : { outcome: 'invalid', errors: [{ pointer: '/text', message: 'Required.' }] },
            dispose() {},
          },
          schedule(work, ms) {
            const each = { work, ms };
            delayed.push(each);
            return () => void delayed.splice(delayed.indexOf(each), 1);
          },
        },
      },
    },
  );
  const { engine } = workspace;
  const { mcp } = engine;
  const events: ServerTest['events'] = [];
  engine.subscribe({
    since: undefined,
    types: undefined,
    deliver: ({ type, data }) => void events.push({ type, data: data as Record<string, unknown> }),
    end() {},
  });
  const list = async () => (await mcp.list({ mountedDirectory: project })).servers;
  const server = async (name = 'local') => {
    const found = (await list()).find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no server "${name}".`);
    return found;
  };
  const approve = async (name?: string) => mcp.approve({ fingerprint: (await server(name)).fingerprint });
  return {
    ...workspace,
    clock,
    launcher,
    mcp,
    delayed,
    loadFailures,
    events,
    list,
    server,
    approve,
    run: async (name) => mcp.start((await approve(name)).id),
    setServers: (servers) => workspace.files.write(configPath, configOf(servers)),
  };
}

/** The code and message that a promise rejects with. */
export async function refusalOf(promise: Promise<unknown>): Promise<{ code?: string; message: string }> {
  return promise.then(
    () => ({ message: 'nothing was refused' }),
    (error: Error & { code?: string }) => ({
      ...(error.code === undefined ? {} : { code: error.code }),
      message: error.message,
    }),
  );
}
