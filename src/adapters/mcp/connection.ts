/** One connection to an MCP server: the SDK's client on a link, with limits for all waits and lists (S-28, S-30). */
import { Client, ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import {
  type McpConnection,
  type McpConnectionHandlers,
  McpError,
  type McpFailure,
  type McpListName,
} from '../../ports/mcp-launcher.ts';
import { fixedLimits } from '../../settings.ts';
import { tooMuch } from './flood-guard.ts';
import { type McpLink, shortText } from './link.ts';
import { followChanges, type ListTimes, listenToLists } from './list-changes.ts';
import { type AskPage, cut, listPages, promptOf, resourceOf, ToolPage, toolOf } from './listing.ts';
import { boundAnswers } from './long-answers.ts';

export type CallTimes = ListTimes & { initializeMs: number; listMs: number; callMs: number };

type Limits = { timeout: number; signal?: AbortSignal };

type ConnectOptions = {
  client: { name: string; version: string };
  handlers: McpConnectionHandlers;
  times: CallTimes;
  /** Uses the protocol revision without a handshake. Older revisions use a handshake. */
  modern?: boolean;
};

/** Connects. Rejects with `McpError` after it has ended the link. */
export async function connectClient(link: McpLink, options: ConnectOptions): Promise<McpConnection> {
  const { handlers, times } = options;
  const client = createClient(options);
  let isOver = false;
  const timers = followChanges(client, handlers, times.changeMs);
  const close = async (): Promise<void> => {
    isOver = true;
    for (const timer of timers.values()) clearTimeout(timer);
    await link.end();
    await client.close().catch(() => {});
  };
  const toMcpError = (error: unknown, limitMs: number) => {
    const own = failureOf(error, limitMs);
    const { isUnprocessed, ...failure } = own.isUnprocessed ? own : (link.failure() ?? own);
    const detail = link.scrub(failure.detail);
    return new McpError({ ...failure, detail, ...(own.isUnprocessed && { isUnprocessed: true }) });
  };

  try {
    const limit = { timeout: times.initializeMs, maxTotalTimeout: times.initializeMs };
    await connectWithin(times.initializeMs, client.connect(link.transport, limit), handlers.signal);
    // The server may have answered and then failed at once. After this check, a failure is reported as an end.
    const broken = link.failure();
    if (broken !== undefined) throw new McpError(broken);
    boundAnswers(link.transport);
    if (client.getProtocolEra() === 'modern')
      void listenToLists(client, { ...handlers, listenMs: times.listenMs, isOver: () => isOver });
  } catch (error) {
    const { failure } = toMcpError(error, times.initializeMs);
    const stray = link.strayLine?.() ?? '';
    await close();
    const hint = failure.code === 'timeout' && stray !== '' ? ` Its output is not MCP: ${stray}` : '';
    throw new McpError({ ...failure, detail: `${failure.detail}${hint}` });
  }
  link.onFailure((failure) => {
    if (isOver) return;
    void close();
    handlers.onEnd(failure);
  });

  const exchange = createExchange(link, { isOver: () => isOver, toMcpError });

  const version = client.getServerVersion();
  const instructions = client.getInstructions();
  return Object.freeze({
    server: {
      name: shortText(version?.name ?? 'unknown'),
      version: shortText(version?.version ?? 'unknown'),
      protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
      instructions: instructions && cut(instructions),
    },
    pid: link.pid,

    ...verbsOf(client, exchange, times),
    close,
  } satisfies McpConnection);
}

function createClient({ client, modern }: ConnectOptions): Client {
  const made = new Client(client, {
    // A server's output schema only describes its own answers. Running its patterns here would gain nothing.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode: modern ? 'auto' : 'legacy' },
  });
  // Without this, the client throws an uncaught error for messages that it cannot use.
  made.onerror = () => {};
  return made;
}

type Exchange = <T>(limitMs: number, ask: (limits: Limits) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Runs each exchange within `limitMs`, whatever the server does. */
function createExchange(
  link: McpLink,
  { isOver, toMcpError }: { isOver(): boolean; toMcpError(error: unknown, limitMs: number): McpError },
): Exchange {
  let underWay = 0;
  return async <T>(limitMs: number, ask: (limits: Limits) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    if (isOver()) throw new McpError(link.failure() ?? { code: 'exited', detail: 'The connection is closed.' });
    if (underWay >= fixedLimits.mcpServers.requests)
      throw tooMuch(`${fixedLimits.mcpServers.requests} requests wait for this server already.`);
    underWay += 1;
    try {
      return await ask({ timeout: limitMs, signal });
    } catch (error) {
      if (signal?.aborted) throw new McpError({ code: 'cancelled', detail: 'The request was cancelled.' });
      throw toMcpError(error, limitMs);
    } finally {
      underWay -= 1;
    }
  };
}

type Verbs = Omit<McpConnection, 'server' | 'pid' | 'close'>;

/** The requests to a server, each with its time limit. */
function verbsOf(client: Client, exchange: Exchange, times: CallTimes): Verbs {
  const list = async <Item>(what: McpListName, ask: AskPage<Item>): Promise<Item[]> => {
    if (client.getServerCapabilities()?.[what] === undefined) return [];
    return exchange(times.listMs, ({ timeout }) => listPages(timeout, ask));
  };
  const isShort = (text: string) => text.length <= fixedLimits.mcpLists.textCharacters;
  return {
    listTools: () =>
      list('tools', async (params, timeout) => {
        const asked = { method: 'tools/list', params };
        const { tools, nextCursor } = await client.request(asked, ToolPage, { timeout });
        return { items: tools.map(toolOf), nextCursor };
      }),

    async callTool(name, { arguments: given, signal }) {
      const ask = (limits: Limits) => client.callTool({ name, arguments: given }, limits);
      const { content, structuredContent, isError } = await exchange(times.callMs, ask, signal);
      return { content, structuredContent, isError };
    },

    listResources: () =>
      list('resources', async (params, timeout) => {
        const { resources, nextCursor } = await client.request({ method: 'resources/list', params }, { timeout });
        return { items: resources.filter(({ uri }) => isShort(uri)).map(resourceOf), nextCursor };
      }),

    readResource: (uri) =>
      exchange(times.callMs, async (limits) => {
        const { contents } = await client.request({ method: 'resources/read', params: { uri } }, limits);
        return { contents };
      }),

    listPrompts: () =>
      list('prompts', async (params, timeout) => {
        const { prompts, nextCursor } = await client.request({ method: 'prompts/list', params }, { timeout });
        return { items: prompts.filter(({ name }) => isShort(name)).map(promptOf), nextCursor };
      }),

    getPrompt: (name, { arguments: given }) =>
      exchange(times.callMs, async (limits) => {
        const params = { name, arguments: given };
        const { description, messages } = await client.request({ method: 'prompts/get', params }, limits);
        return { description, messages };
      }),
  };
}

/** The SDK does not limit how long a transport may take to start. */
async function connectWithin<T>(limitMs: number, work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new SdkError(SdkErrorCode.RequestTimeout, 'late')), limitMs);
  const callOff = () => reject(new McpError({ code: 'cancelled', detail: 'The start was cancelled.' }));
  if (signal?.aborted) callOff();
  signal?.addEventListener('abort', callOff, { once: true });
  return Promise.race([work, over]).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', callOff);
  });
}

/** The failure that an error of the SDK means. */
function failureOf(error: unknown, limitMs: number): McpFailure {
  if (error instanceof McpError) return error.failure;
  // An answer that was not taken. A server cannot send such an object.
  if (error instanceof ProtocolError && error.data instanceof McpError) return error.data.failure;
  if (error instanceof ProtocolError) {
    const detail = `It answered with an error (${error.code}): ${shortText(error.message)}`;
    return { code: 'rejected', detail, rpcCode: error.code };
  }
  if (error instanceof SdkHttpError)
    return { code: 'rejected', detail: `It answered with HTTP status ${error.status}.` };
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return { code: 'timeout', detail: `It did not answer within ${limitMs / 1000} s.` };
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return { code: 'exited', detail: 'The connection was closed.' };
  return {
    code: 'protocol',
    detail: `Its answer is not valid: ${shortText(withoutJson(error instanceof Error ? error.message : String(error)))}`,
  };
}

/** The SDK appends all mistakes against a schema as JSON. Only the first one is kept. */
function withoutJson(message: string): string {
  const [, words, list] = /^([^[]*)(\[\s*\{.*\])$/su.exec(message) ?? [];
  if (words === undefined || list === undefined) return message;
  try {
    const [issue] = JSON.parse(list) as [{ path: string[]; message: string }];
    return `${words}${issue.path.join('.')}: ${issue.message}`;
  } catch {
    return message;
  }
}
