/** MCP over streamable HTTP, and over server-sent events for older servers (S-27, MC-01). */
import { setTimeout as delay } from 'node:timers/promises';
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { McpError, type McpFailure, type McpLaunch } from '../../ports/mcp-launcher.ts';
import { createKnownSecrets } from '../../texts/mask.ts';
import { createGuardedFetch } from './fetch.ts';
import { createFailureReport, type McpLink } from './link.ts';

const answerMs = 65_000;
/** Max wait for the request that tells a server the end of its session. */
const farewellMs = 1_000;

export function createHttpLink(
  launch: McpLaunch & { transport: 'http' | 'sse' },
  { ownPort }: { ownPort(): number | undefined },
): McpLink {
  const report = createFailureReport();
  let isEnding = false;
  const breakLink = (failure: McpFailure) => {
    if (isEnding) return;
    report.fail(new McpError(failure));
    transport.onclose?.();
  };
  const guarded = createGuardedFetch({
    headers: launch.headers,
    ownPort,
    answerMs,
    onFailure(failure, isOfCall) {
      // The SDK opens a broken stream for notifications again. The older transport has only this stream.
      const isFatal = launch.transport === 'sse' || isOfCall || failure.code !== 'unreachable';
      if (isFatal && failure.code !== 'cancelled' && failure.code !== 'timeout') breakLink(failure);
    },
  });
  const url = parseUrl(launch.url);
  const fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await guarded.fetch(input, init);
    const isLost = response.status === 404 && new Headers(init?.headers).has('mcp-session-id');
    if (isLost) breakLink({ code: 'unreachable', detail: 'It no longer knows the session.' });
    return response;
  };
  const transport: Transport =
    launch.transport === 'sse'
      ? new SSEClientTransport(url, { fetch })
      : new StreamableHTTPClientTransport(url, { fetch });
  return {
    transport,
    failure: report.failure,
    onFailure: report.onFailure,
    stderr: () => '',
    scrub: createKnownSecrets([...Object.values(launch.headers), ...url.searchParams.values()]).scrub,
    async end() {
      isEnding = true;
      if (transport instanceof StreamableHTTPClientTransport && report.failure() === undefined)
        await Promise.race([
          transport.terminateSession().catch(() => {}),
          delay(farewellMs, undefined, { ref: false }),
        ]);
      await transport.close().catch(() => {});
      guarded.dispose();
    },
  };
}

function parseUrl(url: string): URL {
  if (!URL.canParse(url)) throw new McpError({ code: 'refused', detail: 'Its URL is not valid.' });
  return new URL(url);
}
