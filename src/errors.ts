/**
 * The closed list of error codes a caller can meet. The domain throws `ContextdError` with one of
 * them; only `routes/http/problem.ts` knows which HTTP status a code becomes.
 */
export const errorCodes = [
  'invalid_request',
  'unauthorized',
  'forbidden_host',
  'forbidden_origin',
  'forbidden_scope',
  'path_outside_roots',
  'approval_required',
  'approval_stale',
  'not_found',
  'conflict',
  'version_mismatch',
  'payload_too_large',
  'unsupported_media_type',
  'limit_exceeded',
  'storage_full',
  'unavailable',
  'upstream_failed',
  'upstream_timeout',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/**
 * One mistake inside a request: `pointer` is a JSON pointer (RFC 6901) into the body, the query or the path parameters.
 */
export type FieldError = { pointer: string; message: string };

/**
 * A refusal that the caller caused or must know about. `message` is public: it names no path outside granted roots and
 * no secret. A mistake in a user's file is never an error but a `Warning`.
 */
export class ContextdError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];

  constructor(code: ErrorCode, publicMessage: string, errors: readonly FieldError[] = []) {
    super(publicMessage);
    this.name = 'ContextdError';
    this.code = code;
    this.errors = errors;
  }
}

/** A refusal of what can be had later. `retryAfterS`: in how many seconds. */
export class NotYetError extends ContextdError {
  readonly retryAfterS: number;

  constructor(publicMessage: string, retryAfterS: number) {
    super('unavailable', publicMessage);
    this.retryAfterS = retryAfterS;
  }
}

/** A refusal about one field. */
export function refuseField(code: ErrorCode, pointer: string, message: string): ContextdError {
  return new ContextdError(code, message, [{ pointer, message }]);
}
