/** Headers of answers, each described once (AN-06). */

/** By the name in the components. */
export const headers = {
  RequestId: {
    description: 'Id of the request, as in `requestId` of a problem and in the log.',
    schema: { type: 'string' },
    example: '5f1d7a3e9c2b4d6880a1b2c3d4e5f607',
  },
  ETag: {
    description:
      'The version, for `If-Match` and `If-None-Match`. For `resolveContext`: version of the answer. For rules and references of an agent: version of the agent. Otherwise: version of what was read or written.',
    schema: { type: 'string' },
    example: '"5d41402abc4b2a76b9719d911017c592-57"',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next try, if a retry can help.',
    schema: { type: 'integer' },
    example: 1,
  },
  Allow: {
    description: 'The methods that the path has, separated by commas.',
    schema: { type: 'string' },
    example: 'POST',
  },
  WwwAuthenticate: {
    description: 'How to authenticate.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
} as const;

type Headers = Record<string, { $ref: string }>;

/** The headers of an answer with this status. `isVersioned`: whether good answers of the operation have a version. */
export function headersOf(status: number, isVersioned: boolean): Headers {
  return {
    'X-Request-Id': referenceTo('RequestId'),
    ...(isVersioned && status < 400 && { ETag: referenceTo('ETag') }),
    ...(status === 401 && { 'WWW-Authenticate': referenceTo('WwwAuthenticate') }),
    ...(status === 405 && { Allow: referenceTo('Allow') }),
    ...(status === 503 && { 'Retry-After': referenceTo('RetryAfter') }),
  };
}

function referenceTo(name: keyof typeof headers) {
  return { $ref: `#/components/headers/${name}` };
}
