import type { McpServerList } from '../../src/mcp/server-requests.ts';
import { sendRequest, type TestDaemon } from './daemon.ts';

/** The MCP servers that the configurations of a directory define, as the holder of the token sees them. */
export async function listServers(
  { url, token }: Pick<TestDaemon, 'url' | 'token'>,
  mountedDirectory: string,
): Promise<McpServerList> {
  const query = new URLSearchParams({ mountedDirectory });
  const headers = { authorization: `Bearer ${token}` };
  const { status, body, text } = await sendRequest(`${url}/v1/mcp/servers?${query}`, { headers });
  if (status !== 200) throw new Error(text);
  return body as McpServerList;
}
