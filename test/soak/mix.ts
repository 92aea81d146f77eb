/** The requests of a working day: what editors, runtimes and people ask for, in about these shares. */
import type { Request } from 'autocannon';
import type { TestDaemon } from '../support/daemon.ts';

/** Answers by status, for each kind of request. `refusedWithoutWait`: 503 that does not say when to come back. */
export type Answers = Record<string, Record<number, number> & { refusedWithoutWait?: number }>;

type Shape = { name: string; share: number; method?: Request['method']; path: string; body?: unknown };

/** Makes an agent and sessions, and returns the requests with what counts their answers. */
export async function prepareMix(daemon: TestDaemon, { workspace, sessions }: { workspace: string; sessions: number }) {
  const agent = {
    name: 'Soak',
    mountedDirectory: workspace,
    rules: [{ name: 'inline', text: 'Be brief.', include: 'always' }],
  };
  await daemon.request('/v1/agents/soak', { method: 'PUT', body: agent });
  const ids: string[] = [];
  for (let n = 0; n < sessions; n += 1) {
    const { body } = await daemon.request('/v1/sessions', { body: { agentId: 'soak' } });
    ids.push((body as { id: string }).id);
  }
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
    ...ids.map((id) => ({
      name: 'append to a session',
      share: 12 / ids.length,
      method: 'PATCH' as const,
      path: `/v1/sessions/${id}`,
      body: { appendMessages: [{ role: 'user', content: 'How is a failure logged?' }] },
    })),
    ...ids.slice(0, 3).map((id) => ({
      name: 'request context',
      share: 1,
      path: `/v1/sessions/${id}/requests`,
      body: { message: 'How is a failure logged?' },
    })),
  ];
  const answers: Answers = {};
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const requestOf = ({ name, method, path, body }: Shape): Request => ({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    onResponse(status, _body, _context, answerHeaders) {
      answers[name] ??= {};
      const counts = answers[name];
      counts[status] = (counts[status] ?? 0) + 1;
      const wait = Object.keys(answerHeaders).some((header) => header.toLowerCase() === 'retry-after');
      if (status === 503 && !wait) counts.refusedWithoutWait = (counts.refusedWithoutWait ?? 0) + 1;
    },
  });
  return { requests: spread(shapes).map(requestOf), answers };
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
