/** The guard, on real sockets, over every operation of the OpenAPI document. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPublicRequest, publicPaths } from '../../../routes/http/guard.ts';
import { Problem } from '../../../routes/http/problem.ts';
import {
  consoleHost,
  goodHosts,
  goodOrigins,
  hostileHosts,
  hostileOrigins,
  isForConsole,
  wrongContentTypes,
  wrongTokens,
} from '../support/hostile-headers.ts';
import {
  createListeningApp,
  type ListeningApp,
  type Operation,
  operationsOf,
  token,
  versionHeaders,
} from '../support/listening-app.ts';
import { headerOf, openRawConnection, type RawAnswer, type RawConnection, requestText } from '../support/raw-http.ts';

type Header = readonly [name: string, value: string];

let test: ListeningApp;
let connection: RawConnection;
let operations: Operation[];
const authorization: Header = ['Authorization', `Bearer ${token}`];
const json: Header = ['Content-Type', 'application/json'];

beforeAll(async () => {
  test = await createListeningApp();
  connection = await openRawConnection(test.port);
  // Beside what is documented: paths that do not exist, and files of the documentation page.
  const others = [
    '/',
    '/nothing',
    '/v1',
    '/v1/',
    '/docs/',
    '/docs/swagger-ui.css',
    '/favicon.ico',
    '/console/main.js',
  ].map((path) => ({
    operationId: path,
    method: 'GET',
    path,
    target: path,
    isPublic: isPublicRequest('GET', path),
    takesBody: false,
    body: undefined,
  }));
  operations = [...operationsOf(test.app), ...others];
});
beforeEach(() => {
  test.engine.calls.length = 0;
});
afterAll(async () => {
  connection.destroy();
  await test.app.close();
});

/** One under which the operation answers; any does for one that is refused. */
const host = (operation?: Operation): Header => ['Host', hostsFor(operation)[0] as string];
const hostsFor = (operation?: Operation): string[] =>
  operation?.operationId === 'createConsoleSession' ? [consoleHost(test.port)] : goodHosts(test.port);
const originsFor = (operation: Operation): string[] =>
  operation.operationId === 'createConsoleSession' ? [`http://${consoleHost(test.port)}`] : goodOrigins(test.port);

function send(operation: Operation, headers: readonly Header[]): Promise<RawAnswer> {
  const { method, target, body } = operation;
  return connection.exchange(requestText({ method, target, headers, body }), method === 'HEAD');
}

/** The bytes of a problem without what differs from request to request. */
function expectRefusal(answer: RawAnswer, status: number, code: string): string {
  const problem = Problem.parse(JSON.parse(answer.body));
  const isRefused = answer.status === status && problem.status === status && problem.code === code;
  const isNamed = problem.requestId === headerOf(answer, 'x-request-id');
  const isOpen = answer.headers.some(([name]) => /^access-control|^set-cookie/u.test(name));
  // Not by `expect` for each of tens of thousands, which takes longer than the answer.
  if (!isRefused || !isNamed || isOpen) expect.fail(`not refused as ${status} ${code}: ${JSON.stringify(answer)}`);
  return answer.body.replace(problem.requestId, '');
}

function bodyHeaders(operation: Operation): Header[] {
  const version: Header[] = versionHeaders(operation);
  return operation.body === undefined ? version : [json, ...version];
}

describe('host', () => {
  it('S-01 refuses every host but its own, with and without the token', async () => {
    for (const operation of operations)
      for (const hostile of hostileHosts(test.port))
        for (const headers of [[authorization], []])
          expectRefusal(
            await send(operation, [['Host', hostile], ...headers, ...bodyHeaders(operation)]),
            403,
            'forbidden_host',
          );
    expect(test.engine.calls).toEqual([]);
  });

  it('S-01 refuses a missing or repeated host', async () => {
    for (const operation of operations)
      for (const hosts of [
        [],
        [host(), host()],
        [host(), ['Host', 'evil.com'] as const],
        [['Host', 'evil.com'] as const, host()],
      ])
        expectRefusal(
          await send(operation, [...hosts, authorization, ...bodyHeaders(operation)]),
          400,
          'invalid_request',
        );
    expect(test.engine.calls).toEqual([]);
  });

  it('S-01 refuses a request target in absolute form', async () => {
    for (const operation of operations)
      for (const base of ['http://evil.com', `http://127.0.0.1:${test.port}`, `HTTP://localhost:${test.port}`]) {
        const target = `${base}${operation.target}`;
        expectRefusal(
          await send({ ...operation, target }, [host(), authorization, ...bodyHeaders(operation)]),
          403,
          'forbidden_host',
        );
      }
    expect(test.engine.calls).toEqual([]);
  });

  it('S-01 accepts its own hosts in any case', async () => {
    for (const operation of operations)
      for (const good of hostsFor(operation)) {
        const answer = await send(operation, [['Host', good], authorization, ...bodyHeaders(operation)]);
        expect([200, 201, 202, 204, 404, 405]).toContain(answer.status);
      }
  });

  it('S-02 ignores forwarded headers', async () => {
    const forwarded: Header[] = [
      'X-Forwarded-Host',
      'Forwarded',
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'X-Real-IP',
    ].map((name) => [name, name === 'Forwarded' ? `host=127.0.0.1:${test.port}` : `127.0.0.1:${test.port}`]);
    const hostile: Header[] = forwarded.map(([name]) => [name, 'evil.com']);
    for (const operation of operations) {
      expectRefusal(await send(operation, [['Host', 'evil.com'], ...forwarded, authorization]), 403, 'forbidden_host');
      const answer = await send(operation, [host(operation), ...hostile, authorization, ...bodyHeaders(operation)]);
      expect([200, 201, 202, 204, 404, 405]).toContain(answer.status);
    }
  });
});

describe('origin', () => {
  it('S-03 refuses every origin but its own, without any CORS header', async () => {
    for (const operation of operations)
      for (const origin of hostileOrigins(test.port))
        expectRefusal(
          await send(operation, [host(), ['Origin', origin], authorization, ...bodyHeaders(operation)]),
          403,
          'forbidden_origin',
        );
    expect(test.engine.calls).toEqual([]);
  });

  it('S-03 refuses two origins, and requests of other sites', async () => {
    const own: Header = ['Origin', `http://127.0.0.1:${test.port}`];
    const foreign: Header[][] = [
      [own, own],
      [own, ['Origin', 'http://evil.com']],
      ...['cross-site', 'same-site', 'CROSS-SITE', 'unknown', ''].map((site): Header[] => [['Sec-Fetch-Site', site]]),
      [own, ['Sec-Fetch-Site', 'same-origin'], ['Sec-Fetch-Site', 'cross-site']],
    ];
    for (const operation of operations)
      for (const headers of foreign)
        expectRefusal(
          await send(operation, [host(), ...headers, authorization, ...bodyHeaders(operation)]),
          403,
          'forbidden_origin',
        );
    expect(test.engine.calls).toEqual([]);
  });

  it('S-03 accepts its own origins', async () => {
    for (const operation of operations)
      for (const origin of originsFor(operation)) {
        const headers: Header[] = [
          host(operation),
          ['Origin', origin],
          ['Sec-Fetch-Site', 'same-origin'],
          authorization,
        ];
        const answer = await send(operation, [...headers, ...bodyHeaders(operation)]);
        expect([200, 201, 202, 204, 404, 405]).toContain(answer.status);
        expect(answer.headers.filter(([name]) => name.startsWith('access-control'))).toEqual([]);
      }
  });

  it('S-03 answers no preflight with a CORS header', async () => {
    for (const operation of operations)
      for (const origin of [...hostileOrigins(test.port), ...goodOrigins(test.port)]) {
        const preflight = { ...operation, method: 'OPTIONS', body: undefined };
        const answer = await send(preflight, [host(), ['Origin', origin], ['Access-Control-Request-Method', 'POST']]);
        const isOwn = goodOrigins(test.port).includes(origin);
        expectRefusal(answer, isOwn ? 401 : 403, isOwn ? 'unauthorized' : 'forbidden_origin');
      }
  });
});

describe('the host of the console', () => {
  const own = (): Header => ['Host', consoleHost(test.port)];
  const ask = (operation: Operation, headers: readonly Header[] = []) =>
    send(operation, [own(), ...headers, authorization, ...bodyHeaders(operation)]);

  it('S-01 S-10 is for what its page asks for, and for nothing else', async () => {
    const others = operations.filter((operation) => !isForConsole(operation)).map(({ path }) => path);
    expect(others).toEqual(expect.arrayContaining(['/mcp', '/metrics', '/nothing', '/favicon.ico']));
    for (const operation of operations)
      if (isForConsole(operation)) expect([200, 201, 202, 204, 404, 405]).toContain((await ask(operation)).status);
      else expectRefusal(await ask(operation), 403, 'forbidden_host');
  });

  it('S-03 S-10 takes no origin but its own, which nothing else takes', async () => {
    const foreign = [...goodOrigins(test.port), ...hostileOrigins(test.port).slice(1)];
    for (const operation of operations.filter(isForConsole)) {
      const good = await ask(operation, [['Origin', `http://${consoleHost(test.port)}`]]);
      expect([200, 201, 202, 204, 404, 405]).toContain(good.status);
      for (const origin of foreign) expectRefusal(await ask(operation, [['Origin', origin]]), 403, 'forbidden_origin');
    }
  });

  it('S-03 S-10 lets another site, such as a file, lead a whole page to the console and to nothing else', async () => {
    const from = (site: string, mode: string, dest: string): Header[] => [
      ['Sec-Fetch-Site', site],
      ['Sec-Fetch-Mode', mode],
      ['Sec-Fetch-Dest', dest],
    ];
    const page = from('cross-site', 'navigate', 'document');
    const refused: Header[][] = [
      from('same-site', 'navigate', 'document'),
      from('cross-site', 'no-cors', 'document'),
      from('cross-site', 'navigate', 'iframe'),
      page.slice(0, 2),
      [...page, ['Sec-Fetch-Mode', 'navigate']],
      [...page, ['Sec-Fetch-Site', 'cross-site']],
      [...page, ['Origin', 'null']],
      [...page, ['Origin', `http://${consoleHost(test.port)}`]],
    ];
    const root = operations.find(({ path }) => path === '/') as Operation;
    expect((await ask(root, page)).status).toBe(200);
    for (const headers of refused) expectRefusal(await ask(root, headers), 403, 'forbidden_origin');
    for (const target of ['/?', '/?code=x', '/console/main.js'])
      expectRefusal(await ask({ ...root, target }, page), 403, 'forbidden_origin');
    for (const operation of operations.filter((each) => isForConsole(each) && each.path !== '/'))
      expectRefusal(await ask(operation, page), 403, 'forbidden_origin');
    expectRefusal(await send(root, [host(), ...page]), 403, 'forbidden_origin');
  });
});

describe('token', () => {
  it('S-06 S-10 refuses every other token, on every operation, with one and the same body', async () => {
    const bodies = new Set<string>();
    for (const operation of operations) {
      if (operation.isPublic) continue;
      for (const headers of wrongTokens) {
        const answer = await send(operation, [host(), ...headers, ...bodyHeaders(operation)]);
        bodies.add(expectRefusal(answer, 401, 'unauthorized'));
        expect(headerOf(answer, 'www-authenticate')).toBe('Bearer');
      }
      const separator = operation.target.includes('?') ? '&' : '?';
      const inQuery = { ...operation, target: `${operation.target}${separator}token=${token}&access_token=${token}` };
      const inBody = { ...operation, body: JSON.stringify({ token, authorization: `Bearer ${token}` }) };
      for (const misplaced of [inQuery, inBody])
        bodies.add(expectRefusal(await send(misplaced, [host(), json]), 401, 'unauthorized'));
    }
    expect(bodies.size).toBe(1);
    // Also for a runtime whose own token was revoked.
    expect([...bodies].join()).toContain('contextd token');
    expect(test.engine.calls).toEqual([]);
  });

  it('S-06 lets only the listed paths be read without a token, spelled exactly so', async () => {
    for (const path of publicPaths) {
      const operation = { operationId: '', path, target: path, isPublic: true, takesBody: false, body: undefined };
      expect((await send({ ...operation, method: 'GET' }, [host()])).status).toBe(200);
      expect((await send({ ...operation, method: 'HEAD' }, [host()])).status).toBe(200);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'])
        expectRefusal(await send({ ...operation, method }, [host()]), 401, 'unauthorized');
      for (const target of [
        `/${path}`,
        `${path}//`,
        path.toUpperCase(),
        path.replace('/', '/%2e/'),
        `/x/..${path}`,
        `${path};a`,
        `${path}%20`,
        `${path}#x`,
      ].filter((target) => target !== path))
        expectRefusal(await send({ ...operation, target, method: 'GET' }, [host()]), 401, 'unauthorized');
    }
  });

  it('S-06 every registered route is documented, or is a public part of the documentation page', () => {
    const documented = new Set(operationsOf(test.app).map(({ method, path }) => `${method} ${path}`));
    const undocumented = registeredRoutes(test.app.printRoutes({ commonPrefix: false })).filter(
      (route) => !documented.has(route),
    );
    expect(undocumented.length).toBeGreaterThan(0);
    for (const route of undocumented) {
      const [method, path] = route.split(' ') as [string, string];
      const isPublic = isPublicRequest(method, path.replace('{name}', 'main.js'));
      expect(isPublic || (method === 'HEAD' && documented.has(`GET ${path}`)), route).toBe(true);
    }
  });

  it('S-07 answers 401 to tokens of every length and content, never 500', async () => {
    const operation = operations.find(({ operationId }) => operationId === 'getStatus') as Operation;
    const lengths = [...Array(130).keys(), ...Array.from({ length: 124 }, (_, index) => 130 + index * 65), 8192];
    const values = lengths.map((length) => 'a'.repeat(length));
    const odd = [
      '\xff',
      'tök\xe9n',
      `${token}\xe9`,
      '\x80'.repeat(100),
      `${token}\t`,
      `\t${token}`,
      '%00',
      '=',
      '"',
      "'",
      '{}',
    ];
    for (const value of [...values, ...odd.filter((value) => value.trim() !== token)])
      expectRefusal(await send(operation, [host(), ['Authorization', `Bearer ${value}`]]), 401, 'unauthorized');
    expect((await send(operation, [host(), authorization])).status).toBe(200);
    expect((await send(operation, [host(), ['authorization', `bearer ${token}`]])).status).toBe(200);
  });
});

describe('form of the body', () => {
  it('S-04 refuses every body that is not plainly JSON, with and without cookie or token', async () => {
    for (const operation of operations.filter(({ method }) => method !== 'GET'))
      for (const contentType of wrongContentTypes)
        for (const cookie of [[], [['Cookie', 'session=1'] as const]]) {
          const withBody = { ...operation, body: operation.body ?? '{}' };
          const headers: Header[] = [host(), ['Content-Type', contentType], ...cookie];
          expectRefusal(await send(withBody, [...headers, authorization]), 415, 'unsupported_media_type');
          const [status, code] = operation.isPublic ? [415, 'unsupported_media_type'] : [401, 'unauthorized'];
          expectRefusal(await send(withBody, headers), status, code);
          expectRefusal(await send({ ...operation, body: undefined }, headers), status, code);
        }
    expect(test.engine.calls).toEqual([]);
  });

  it('S-04 refuses a body without a content type, and a missing body where one is needed', async () => {
    for (const operation of operations.filter(({ body }) => body !== undefined)) {
      expectRefusal(await send(operation, [host(), authorization]), 415, 'unsupported_media_type');
      expectRefusal(await send(operation, [host(), authorization, json, json]), 415, 'unsupported_media_type');
      const empty = { ...operation, body: undefined };
      for (const headers of [[], [json]])
        expectRefusal(await send(empty, [host(operation), authorization, ...headers]), 400, 'invalid_request');
    }
    expect(test.engine.calls).toEqual([]);
  });

  it('S-76 refuses encoded bodies and expectations', async () => {
    for (const operation of operations) {
      const withBody = { ...operation, body: operation.body ?? '{}' };
      for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', ''])
        expectRefusal(
          await send(withBody, [host(), authorization, json, ['Content-Encoding', coding]]),
          415,
          'unsupported_media_type',
        );
      for (const expectation of ['200-ok', '100-continue, 200-ok']) {
        expectRefusal(
          await send(withBody, [host(), authorization, json, ['Expect', expectation]]),
          417,
          'invalid_request',
        );
        // Refusing to read a body that is held back ends the connection.
        connection.destroy();
        connection = await openRawConnection(test.port);
      }
    }
    expect(test.engine.calls).toEqual([]);
  });
});

/** `METHOD /path`, spelled as in the document, of every route in the tree that Fastify prints without common prefixes. */
function registeredRoutes(tree: string): string[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const match = /^([│ ]*)[├└]── (\S+) \(([A-Z, ]+)\)$/u.exec(line);
    if (match === null) return [];
    const depth = (match[1] as string).length / 4;
    parents[depth] = `${depth === 0 ? '' : parents[depth - 1]}${match[2]}`;
    const path = parents[depth]?.replaceAll(/:(\w+)/gu, '{$1}');
    return (match[3] as string).split(', ').map((method) => `${method} ${path}`);
  });
}
