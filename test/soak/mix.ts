/** The requests of a working day: what editors, runtimes and people ask for, in about these shares. */
import type { Request } from 'autocannon';
import type { Answer, RequestOptions, TestDaemon } from '../support/daemon.ts';
import { isGood } from './checks.ts';

/** Answers by status, for each kind of request. `refusedWithoutWait`: 503 that does not say when to come back. */
export type Answers = Record<string, Record<number, number> & { refusedWithoutWait?: number }>;

/** `path` is asked for each time, because sessions come and go. */
type Shape = { name: string; share: number; method?: Request['method']; path: string | (() => string); body?: unknown };

/** The body of a good answer. Throws on any other: a run that is not prepared measures something else. */
export function demandGood({ status, body, text }: Answer): unknown {
  if (!isGood(status)) throw new Error(`The soak could not be prepared: ${status} ${text.slice(0, 500)}`);
  return body;
}

/** Makes an agent and sessions, and returns the requests with what counts their answers. Throws when one is refused. */
export async function prepareMix(daemon: TestDaemon, { workspace, sessions }: { workspace: string; sessions: number }) {
  const agent = {
    name: 'Soak',
    mountedDirectory: workspace,
    rules: [{ name: 'inline', text: 'Be brief.', include: 'always' }],
  };
  demandGood(await daemon.request('/v1/agents/soak', { method: 'PUT', body: agent }));
  const answers: Answers = {};
  const count = (name: string, status: number, headers: object): void => {
    answers[name] ??= {};
    const counts = answers[name];
    counts[status] = (counts[status] ?? 0) + 1;
    const wait = Object.keys(headers).some((header) => header.toLowerCase() === 'retry-after');
    if (status === 503 && !wait) counts.refusedWithoutWait = (counts.refusedWithoutWait ?? 0) + 1;
  };
  /** A request beside the mix, whose answer counts like the others. */
  const send = async (name: string, path: string, options?: RequestOptions): Promise<Answer> => {
    const answer = await daemon.request(path, options);
    count(name, answer.status, answer.headers);
    return answer;
  };
  const idOf = (body: unknown) => (body as { id: string }).id;
  const newSession = { body: { agentId: 'soak' } };
  const ids: string[] = [];
  for (let n = 0; n < sessions; n += 1) ids.push(idOf(demandGood(await daemon.request('/v1/sessions', newSession))));
  let left: string | undefined;
  /** Another session takes the place of the oldest, so that none grows for as long as the run lasts. */
  const replaceSession = async (): Promise<void> => {
    const { status, body } = await send('begin a session', '/v1/sessions', newSession);
    if (!isGood(status)) return;
    ids.push(idOf(body));
    // What was sent to the one before is answered by now.
    if (left !== undefined) await send('end a session', `/v1/sessions/${left}`, { method: 'DELETE' });
    left = ids.shift();
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
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const requestOf = ({ name, method, path, body }: Shape): Request => ({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path: typeof path === 'string' ? path : path(),
    headers,
    ...(typeof path === 'string' ? {} : { setupRequest: (request) => ({ ...request, path: path() }) }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // biome-ignore lint/complexity/useMaxParams: autocannon gives the headers last
    onResponse: (status, _body, _context, answerHeaders) => count(name, status, answerHeaders),
  });
  return { requests: spread(shapes).map(requestOf), answers, send, replaceSession };
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
