/** MCP over streamable HTTP, and over server-sent events for older servers (S-27, MC-01). */
import { setTimeout as delay } from 'node:timers/promises';
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { McpError, type McpFailure, type McpLaunch } from '../../ports/mcp-launcher.ts';
import { createKnownSecrets } from '../../texts/mask.ts';
import { createGuardedFetch } from './fetch.ts';
import { createFailureReport, type McpLink } from './link.ts';

/** Max wait for the request that tells a server the end of its session, and for its other answers when it forgot it. */
const farewellMs = 1_000;
/** A server may say when its broken stream is opened again, but not sooner or later than this. */
const reopenMs = { least: 500, most: 60_000 };

export function createHttpLink(
  launch: McpLaunch & { transport: 'http' | 'sse' },
  { ownPort, answerMs }: { ownPort(): number | undefined; answerMs: number },
): McpLink {
  const report = createFailureReport();
  let isEnding = false;
  let isAccepted = false;
  let hasStream = false;
  const breakLink = (failure: McpFailure) => {
    if (isEnding) return;
    report.fail(new McpError(failure));
    // `end` waits for the server's answers to other requests, which it may refuse, too.
    if (!failure.isUnprocessed) transport.onclose?.();
  };
  const guarded = createGuardedFetch({
    headers: launch.headers,
    ownPort,
    answerMs,
    isAccepted: () => isAccepted,
    onFailure(failure, isOfCall) {
      // The SDK opens a broken stream for notifications again. The older transport has only this stream.
      const isFatal = launch.transport === 'sse' || isOfCall || failure.code !== 'unreachable';
      if (isFatal && failure.code !== 'cancelled' && failure.code !== 'timeout') breakLink(failure);
    },
  });
  const url = parseUrl(launch.url);
  const fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await guarded.fetch(input, init);
    const sent = new Headers(init?.headers);
    const isGet = init?.method === 'GET';
    isAccepted ||= response.ok;
    hasStream ||= isGet && response.ok;
    if (!sent.has('mcp-session-id') || !(await tellsForgotten(response))) return response;
    // Some servers without a stream for notifications answer with 404 instead of 405.
    if (isGet && !hasStream && !sent.has('last-event-id')) return response;
    if (init?.method !== 'POST') breakLink(forgotten);
    throw new McpError(forgotten);
  };
  const transport: Transport =
    launch.transport === 'sse'
      ? new SSEClientTransport(url, { fetch })
      : new StreamableHTTPClientTransport(url, { fetch, reconnectionScheduler: reopen });
  endCancelled(transport);
  const { sending } = failUnanswered(transport, { onForgotten: () => breakLink(forgotten) });
  return {
    transport,
    failure: report.failure,
    onFailure: report.onFailure,
    scrub: createKnownSecrets([...Object.values(launch.headers), ...url.searchParams.values()]).scrub,
    async end() {
      isEnding = true;
      const last: Promise<unknown>[] = [];
      if (report.failure()?.isUnprocessed) last.push(...sending);
      else if (transport instanceof StreamableHTTPClientTransport && report.failure() === undefined)
        last.push(transport.terminateSession());
      await Promise.race([Promise.allSettled(last), delay(farewellMs, undefined, { ref: false })]);
      await transport.close().catch(() => {});
      guarded.dispose();
    },
  };
}

const forgotten: McpFailure = {
  code: 'unreachable',
  detail: 'It no longer knows the session.',
  isUnprocessed: true,
};

/** The protocol asks for 404. Servers made after examples of the SDK answer with 400 and this text. */
async function tellsForgotten(response: Response): Promise<boolean> {
  if (response.status !== 400) return response.status === 404;
  const text = await response
    .clone()
    .text()
    .catch(() => '');
  return text.includes('No valid session ID');
}

/**
 * Fails a request at once when the stream of its answer ends without a result: the SDK would wait for the time limit.
 * A request that the server refuses because it has forgotten the session fails before those that may have been processed.
 * `sending`: the messages whose answer has not begun.
 */
function failUnanswered(transport: Transport, { onForgotten }: { onForgotten(): void }) {
  const send = transport.send.bind(transport);
  const sending = new Set<Promise<void>>();
  transport.send = (message, options) => {
    const sent = ask(message, options).finally(() => sending.delete(sent));
    sending.add(sent);
    return sent;
  };
  const ask: Transport['send'] = async (message, options) => {
    const fail = (failure: McpFailure) => {
      const data = new McpError(failure);
      const error = { code: -32_603, message: data.message, data };
      // After a result, the client ignores this.
      if ('method' in message && 'id' in message) transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
    };
    const onRequestStreamEnd = () => fail({ code: 'protocol', detail: 'It ended its answer without a result.' });
    try {
      await send(message, { onRequestStreamEnd, ...options });
    } catch (error) {
      if (!(error instanceof McpError && error.failure.isUnprocessed)) throw error;
      fail(error.failure);
      onForgotten();
    }
  };
  return { sending };
}

/** Ends the stream of a request that the client cancels. The SDK would open it again and again. */
function endCancelled(transport: Transport): void {
  const waiting = new Map<unknown, AbortController>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if ('method' in message && message.method === 'notifications/cancelled')
      waiting.get(message.params?.requestId)?.abort();
    if (!('method' in message && 'id' in message)) return send(message, options);
    const controller = new AbortController();
    const forget = () => waiting.delete(message.id);
    controller.signal.addEventListener('abort', forget);
    waiting.set(message.id, controller);
    try {
      await send(message, { ...options, requestSignal: options?.requestSignal ?? controller.signal });
    } catch (error) {
      forget();
      throw error;
    }
  };
  // The client keeps this listener, and calls it before its own.
  transport.onmessage = (message) => {
    if (!('method' in message)) waiting.delete(message.id);
  };
}

function reopen(open: () => void, askedMs: number): () => void {
  const timer = setTimeout(open, Math.min(Math.max(askedMs, reopenMs.least), reopenMs.most)).unref();
  return () => clearTimeout(timer);
}

function parseUrl(url: string): URL {
  if (!URL.canParse(url)) throw new McpError({ code: 'refused', detail: 'Its URL is not valid.' });
  return new URL(url);
}
