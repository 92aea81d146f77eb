/** contextd as an MCP server (MC-05): tools, context files as resources, `manual` files as prompts. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ContextdError } from '../errors.ts';
import { fixedLimits } from '../settings.ts';
import type { ContextChanges, FileChange } from './changes.ts';
import { type ClientView, type ContextServerOptions, createClientView } from './client-view.ts';
import { mimeTypeOf, promptsOf, readFile, resourcesOf } from './files.ts';
import { callTool, toolDescriptions } from './tools.ts';

/** Parameters of requests. With the schemas of the SDK, the caller's mistake would be reported as an internal error. */
const Page = z.looseObject({ cursor: z.string().max(16).optional() });
const Addressed = z.looseObject({ uri: z.string().max(16_384) });
const Named = z.looseObject({ name: z.string().max(4_096) });

const limits = fixedLimits.mcpEndpoint;

const instructions =
  'contextd has the rules and references that the user wrote for a project. Before you write or change code, call resolve_context with the files you are about to touch, and follow what is active. Use check_policy before you read files that may be confidential. Resources are the context files; prompts are the files that the user asks for by name.';

/** Creates a server for one connection or one request. It reports no changes before `followChanges` is called. */
export function createContextServer(options: ContextServerOptions): Server {
  const server = new Server(
    { name: 'contextd', title: 'contextd', version: options.version },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } },
      instructions,
    },
  );
  const client = createClientView(server, options);
  const guarded = createGuard(options.onError);
  serveTools(server, client, guarded);
  serveResources(server, client, guarded);
  servePrompts(server, client, guarded);
  serveSubscriptions(server, client, guarded);
  return server;
}

/** Tells the caller only about errors that the caller can mend. */
function createGuard(onError: (error: unknown) => void) {
  return <Request, Result>(handle: (request: Request, ctx: ServerContext) => Promise<Result>) =>
    async (request: Request, ctx: ServerContext): Promise<Result> => {
      try {
        return await handle(request, ctx);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        if (error instanceof ContextdError && error.code !== 'internal')
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, {
            code: error.code,
            errors: error.errors,
          });
        onError(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'An unexpected error.');
      }
    };
}
type Guard = ReturnType<typeof createGuard>;

function serveTools(server: Server, client: ClientView, guarded: Guard): void {
  server.setRequestHandler('tools/list', { params: Page }, () => ({ tools: [...toolDescriptions] }));
  server.setRequestHandler(
    'tools/call',
    guarded(async ({ params }, ctx) => {
      const answer = await callTool(client.verbsFor(ctx), params, client.callerFor(ctx));
      if (answer === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool “${params.name}”.`);
      return answer;
    }),
  );
}

function serveResources(server: Server, client: ClientView, guarded: Guard): void {
  server.setRequestHandler(
    'resources/list',
    { params: Page },
    guarded(async (params: z.infer<typeof Page>, ctx) => {
      const { page, nextCursor } = pageOf(resourcesOf(await client.mountedFiles(ctx)), params.cursor);
      return { resources: page, ...nextCursor };
    }),
  );
  server.setRequestHandler('resources/templates/list', { params: Page }, () => ({
    resourceTemplates: [
      {
        uriTemplate: 'file://{+path}',
        name: 'context-file',
        title: 'A context file',
        description:
          'A context file by its absolute path. It can be in a directory below a mounted one, even though such files are not listed. Other files are not served.',
        mimeType: 'text/markdown',
      },
    ],
  }));
  server.setRequestHandler(
    'resources/read',
    { params: Addressed },
    guarded(async ({ uri }: z.infer<typeof Addressed>, ctx) => {
      const { file, ...said } = await client.readable(ctx, uri);
      return { contents: [{ uri, mimeType: mimeTypeOf(file.path), text: file.content ?? '' }], ...said };
    }),
  );
}

function servePrompts(server: Server, client: ClientView, guarded: Guard): void {
  server.setRequestHandler(
    'prompts/list',
    { params: Page },
    guarded(async (params: z.infer<typeof Page>, ctx) => {
      const prompts = promptsOf(await client.mountedFiles(ctx));
      const { page, nextCursor } = pageOf(prompts, params.cursor);
      return {
        prompts: page.map(({ name, title, description }) => ({ name, title, description })),
        ...nextCursor,
      };
    }),
  );
  server.setRequestHandler(
    'prompts/get',
    { params: Named },
    guarded(async ({ name }: z.infer<typeof Named>, ctx) => {
      const prompt = promptsOf(await client.mountedFiles(ctx)).find((each) => each.name === name);
      const read = prompt && (await readFile(client.verbsFor(ctx), [prompt.workplace], prompt.path));
      if (read === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt “${name}”.`);
      const { file, ...said } = read;
      return {
        ...said,
        description: file.description || undefined,
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: file.content ?? '' } }],
      };
    }),
  );
}

/** Handles subscriptions of protocols before 2026-07-28. Later protocols do not send these requests. */
function serveSubscriptions(server: Server, client: ClientView, guarded: Guard): void {
  const subscribed = new Set<string>();
  server.setRequestHandler(
    'resources/subscribe',
    { params: Addressed },
    guarded(async ({ uri }: z.infer<typeof Addressed>, ctx) => {
      await client.readable(ctx, uri);
      if (subscribed.size >= limits.subscriptions)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There are ${limits.subscriptions} subscriptions already.`,
        );
      await client.watch(ctx);
      subscribed.add(uri);
      return {};
    }),
  );
  server.setRequestHandler('resources/unsubscribe', { params: Addressed }, ({ uri }) => {
    subscribed.delete(uri);
    return {};
  });
  subscriptionsOf.set(server, subscribed);
}

const subscriptionsOf = new WeakMap<Server, ReadonlySet<string>>();

function pageOf<Item>(items: readonly Item[], cursor = '0'): { page: Item[]; nextCursor: { nextCursor?: string } } {
  const start = /^\d{1,6}$/u.test(cursor) ? Number(cursor) : -1;
  if (start < 0 || (start > 0 && start >= items.length))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor does not belong to this list.');
  const end = start + limits.pageItems;
  return { page: items.slice(start, end), nextCursor: end < items.length ? { nextCursor: String(end) } : {} };
}

/**
 * Tells the client of a server about changes, until the connection is closed. `all`: tells about updates of every
 * resource. Use it only if the connection drops updates that the client did not ask for.
 */
export function followChanges(
  server: Server,
  changes: ContextChanges,
  { all = false, onError }: { all?: boolean; onError(error: unknown): void },
): void {
  const subscribed = subscriptionsOf.get(server);
  const tell = (change: FileChange): Promise<void> | undefined => {
    switch (change.kind) {
      case 'resource_updated':
        return all || subscribed?.has(change.uri) ? server.sendResourceUpdated({ uri: change.uri }) : undefined;
      case 'resources_list_changed':
        return server.sendResourceListChanged();
      case 'prompts_list_changed':
        return server.sendPromptListChanged();
      case 'tools_list_changed':
        return undefined;
    }
  };
  server.onclose = changes.subscribe((change) => void tell(change)?.catch(onError));
}
