/** How clients of the Model Context Protocol reach a daemon. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { entryPath, type TestDaemon } from './daemon.ts';

/** A process of `contextd mcp`, started in `cwd`. */
export function stdioTransport(
  { stateDirectory, home }: Pick<TestDaemon, 'stateDirectory' | 'home'>,
  { args = [], cwd }: { args?: readonly string[]; cwd: string },
): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [entryPath, 'mcp', '--state-dir', stateDirectory, ...args],
    env: { PATH: process.env.PATH ?? '', HOME: home },
    cwd,
    stderr: 'pipe',
  });
}

/** `mountedDirectory`: as the address names it. */
export function httpTransport(
  { url, token }: Pick<TestDaemon, 'url' | 'token'>,
  mountedDirectory?: string,
): StreamableHTTPClientTransport {
  const query = mountedDirectory === undefined ? '' : `?${new URLSearchParams({ mountedDirectory })}`;
  const headers = { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(`/mcp${query}`, url), { requestInit: { headers } });
}
