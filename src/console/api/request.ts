/** Requests to the daemon that served this page, through its public API. */
import { signal } from '@preact/signals';
import type { FieldError } from '../../errors.ts';

/** What the daemon answers when it refuses (`application/problem+json`), or what happened on the way to it. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;

  constructor(body: {
    status: number;
    code: string;
    detail?: string;
    title?: string;
    errors?: FieldError[];
    requestId?: string;
  }) {
    super(body.detail ?? body.title ?? body.code);
    this.name = 'Problem';
    this.status = body.status;
    this.code = body.code;
    this.errors = body.errors ?? [];
    this.requestId = body.requestId;
  }
}

/** What the daemon says to a page of an earlier run: each has a host of its own. */
export const addressGone = 'forbidden_host';

/** The token of this page; undefined until it is signed in, and after the daemon has refused it. */
export const sessionToken = signal<string | undefined>(undefined);

export type RequestOptions = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Becomes JSON; makes a POST of a request without a method. */
  body?: unknown;
  /** Those that are undefined are left out; several values make several parameters. */
  query?: Record<string, string | number | readonly string[] | undefined>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Is sent without the token of this page, which its refusal therefore does not end. */
  isAnonymous?: true;
};

/** An answer of the daemon, JSON decoded; `undefined` for 204. Throws `Problem`; `unreachable` when there is no answer. */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  return (await requestWithHeaders<Answer>(path, options)).answer;
}

/** The same, for the few operations that say something in a header (`ETag`). */
export async function requestWithHeaders<Answer>(
  path: string,
  options: RequestOptions = {},
): Promise<{ answer: Answer; headers: Headers }> {
  const response = await send(path, options);
  if (response.ok) {
    const text = await response.text();
    return { answer: (text === '' ? undefined : JSON.parse(text)) as Answer, headers: response.headers };
  }
  throw await problemOf(response);
}

/** The response itself; a refusal of the token ends the session of this page. Throws `Problem` `unreachable`. */
export async function send(path: string, options: RequestOptions): Promise<Response> {
  const { method, body, query, headers, signal, isAnonymous } = options;
  const token = isAnonymous ? undefined : sessionToken.peek();
  let response: Response;
  try {
    response = await fetch(path + searchOf(query), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new Problem({ status: 0, code: 'unreachable', detail: 'The daemon does not answer.' });
  }
  if (response.status === 401 && token !== undefined && sessionToken.peek() === token) sessionToken.value = undefined;
  return response;
}

export async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = new Problem(await response.json());
    // The page is still there, but nothing at its address is: as when the daemon does not answer.
    if (problem.code === addressGone) return new Problem({ status: 0, code: 'unreachable', detail: problem.message });
    return problem;
  } catch {
    return new Problem({
      status: response.status,
      code: 'unreachable',
      detail: `The daemon answered ${response.status}.`,
    });
  }
}

function searchOf(query: RequestOptions['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of typeof value === 'object' ? value : value === undefined ? [] : [value])
      search.append(name, String(each));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** Whatever was thrown, as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({ status: 0, code: 'internal', detail: error instanceof Error ? error.message : String(error) });
}
