/** Requests to the daemon that served this page, through its public API. */
import { signal } from '@preact/signals';
import type { FieldError } from '../../errors.ts';

/** A refusal of the daemon (`application/problem+json`), or a failure on the way to it. */
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

/** The code of the daemon's answer to a page of an earlier run. Each run has its own host name. */
export const addressGone = 'forbidden_host';

/** The token of this page. Undefined before the sign-in, and after the daemon has refused it. */
export const sessionToken = signal<string | undefined>(undefined);

type RequestOptions = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Is sent as JSON. A request with a body and without a method is a POST. */
  body?: unknown;
  /** Undefined parameters are left out. Several values become several parameters. */
  query?: Record<string, string | number | readonly string[] | undefined>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Sends no token. So a refusal does not end the session of this page. */
  isAnonymous?: true;
};

/**
 * The answer of the daemon, decoded from JSON; `undefined` for 204. Throws `Problem`; `unreachable` if there is no
 * answer.
 */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await send(path, options);
  if (!response.ok) throw await problemOf(response);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/**
 * Returns the response itself. If the token is refused, the session of this page ends. Throws `Problem` `unreachable`.
 */
async function send(path: string, options: RequestOptions): Promise<Response> {
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

async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = new Problem(await response.json());
    // The page still exists, but the daemon at its address does not. So it is the same as no answer.
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
    for (const each of [value ?? []].flat()) search.append(name, String(each));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** Why something failed, with the first of its errors that says more. */
export function messageOf(failure: unknown): string {
  const { message, errors } = asProblem(failure);
  const [first] = errors;
  return first === undefined || first.message === message ? message : `${message} ${first.message}`;
}

/** Any thrown value as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({ status: 0, code: 'internal', detail: error instanceof Error ? error.message : String(error) });
}
