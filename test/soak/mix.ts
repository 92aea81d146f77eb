/** The requests of a working day: what editors, runtimes and people ask for, in about these shares. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from 'autocannon';
import type { TestDaemon } from '../support/daemon.ts';

/** Answers by status, for each kind of request. `refusedWithoutWait`: 503 that does not say when to come back. */
export type Answers = Record<string, Record<number, number> & { refusedWithoutWait?: number }>;

/** `path` is asked for each time, because sessions come and go. */
type Shape = { name: string; share: number; method?: Request['method']; path: string | (() => string); body?: unknown };

/** Makes an agent and sessions, and returns the requests with what counts their answers. */
export async function prepareMix(daemon: TestDaemon, { workspace, sessions }: { workspace: string; sessions: number }) {
  const agent = {
    name: 'Soak',
    mountedDirectory: workspace,
    rules: [{ name: 'inline', text: 'Be brief.', include: 'always' }],
  };
  await daemon.request('/v1/agents/soak', { method: 'PUT', body: agent });
  const begin = async (): Promise<string> => {
    const { body } = await daemon.request('/v1/sessions', { body: { agentId: 'soak' } });
    return (body as { id: string }).id;
  };
  const ids: string[] = [];
  for (let n = 0; n < sessions; n += 1) ids.push(await begin());
  /** The oldest session ends and another begins, so that none grows for as long as the run lasts. */
  const replaceSession = async (): Promise<void> => {
    ids.push(await begin());
    const oldest = ids.shift();
    // What was sent to it a moment ago is answered first.
    await delay(1_000);
    await daemon.request(`/v1/sessions/${oldest}`, { method: 'DELETE' });
  };
  const mountedDirectory = workspace;
  const files = (n: number) => [`src/part-${n}.ts`];
  const shapes: Shape[] = [
    { name: 'resolve', share: 30, path: '/v1/context/resolve', body: { mountedDirectory, files: files(3) } },
    {
      name: 'resolve for a query',
      share: 5,
      path: '/v1/context/resolve',
      body: { mountedDirectory, query: 'failure of a part' },
    },
    { name: 'explain', share: 8, path: '/v1/context/explain', body: { mountedDirectory, files: files(5) } },
    {
      name: 'retrieve',
      share: 10,
      path: '/v1/retrieve',
      body: { mountedDirectory, activeDocument: { path: 'src/part-9.ts' } },
    },
    {
      name: 'search by words',
      share: 12,
      path: '/v1/search',
      body: { mountedDirectory, query: 'password', mode: 'keyword' },
    },
    {
      name: 'search by meaning',
      share: 5,
      path: '/v1/search',
      body: { mountedDirectory, query: 'authentication', mode: 'semantic' },
    },
    { name: 'search files', share: 6, path: '/v1/workspace/files/search', body: { mountedDirectory, query: 'part1' } },
    { name: 'policy check', share: 6, path: '/v1/policy/check', body: { mountedDirectory, paths: files(1) } },
    { name: 'status', share: 3, path: '/v1/status' },
    ...ids.map((_, at) => ({
      name: 'append to a session',
      share: 12 / ids.length,
      method: 'PATCH' as const,
      path: () => `/v1/sessions/${ids[at]}`,
      body: { appendMessages: [{ role: 'user', content: 'How is a failure logged?' }] },
    })),
    ...[0, 1, 2].map((at) => ({
      name: 'request context',
      share: 1,
      path: () => `/v1/sessions/${ids[at]}/requests`,
      body: { message: 'How is a failure logged?' },
    })),
  ];
  const answers: Answers = {};
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const requestOf = ({ name, method, path, body }: Shape): Request => ({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path: typeof path === 'string' ? path : path(),
    headers,
    ...(typeof path === 'string' ? {} : { setupRequest: (request) => ({ ...request, path: path() }) }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    onResponse(status, _body, _context, answerHeaders) {
      answers[name] ??= {};
      const counts = answers[name];
      counts[status] = (counts[status] ?? 0) + 1;
      const wait = Object.keys(answerHeaders).some((header) => header.toLowerCase() === 'retry-after');
      if (status === 503 && !wait) counts.refusedWithoutWait = (counts.refusedWithoutWait ?? 0) + 1;
    },
  });
  return { requests: spread(shapes).map(requestOf), answers, replaceSession };
}

/** Each as often as its share says, evenly among the others: the one that is furthest behind comes next. */
function spread(shapes: readonly Shape[]): Shape[] {
  const total = shapes.reduce((sum, { share }) => sum + share, 0);
  const length = 400;
  const done = shapes.map(() => 0);
  return Array.from({ length }, (_, at) => {
    const behind = shapes.map(({ share }, index) => ((at + 1) * share) / total - (done[index] as number));
    const next = behind.indexOf(Math.max(...behind));
    done[next] = (done[next] as number) + 1;
    return shapes[next] as Shape;
  });
}
