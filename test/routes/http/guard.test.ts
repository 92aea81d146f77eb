import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createGuard,
  type GuardedConnection,
  isPublicRequest,
  isSignInHost,
  type RequestHead,
} from '../../../routes/http/guard.ts';
import { theUser } from '../../../src/ports/caller.ts';
import { digestToken } from '../../../src/tokens/access-tokens.ts';
import { sized } from '../../support/test-size.ts';
import { consoleHost, goodHosts, goodOrigins, hostileHosts, hostileOrigins } from '../support/hostile-headers.ts';
import { consoleName, token } from '../support/listening-app.ts';

type Guarded = GuardedConnection & RequestHead;
const request = (more: Partial<Guarded> = {}, ...headers: string[]): Guarded => ({
  method: 'GET',
  url: '/v1/status',
  rawHeaders: ['Host', `127.0.0.1:${more.localPort ?? 4747}`, 'Authorization', `Bearer ${token}`, ...headers],
  localPort: 4747,
  callerOf: (digest) => (digest.equals(digestToken(token)) ? theUser : undefined),
  allowedHosts: [],
  consoleName,
  urlCharacters: 8192,
  ...more,
});
const decide = (guarded: Guarded) => createGuard(guarded)(guarded);
const codeOf = (guarded: Guarded) => {
  const decision = decide(guarded);
  return decision.allowed ? 'allowed' : decision.refusal.code;
};

describe('the requests of one connection', () => {
  it('S-15 are refused as soon as the token is revoked, although nothing else changed', () => {
    let isRevoked = false;
    const guard = createGuard({ ...request(), callerOf: () => (isRevoked ? undefined : theUser) });
    expect(guard(request())).toEqual({ allowed: true, caller: theUser });
    isRevoked = true;
    expect(guard(request())).toMatchObject({ refusal: { code: 'unauthorized' } });
  });

  it('S-01 S-04 S-07 are decided like the first request of another connection, whatever came before', () => {
    const host = ['Host', '127.0.0.1:4747'];
    const bearer = (text: string) => ['Authorization', `Bearer ${text}`];
    const lines = [
      [...host, ...bearer(token)],
      [...host, ...bearer(`${token.slice(0, -1)}x`)],
      [...host, ...bearer(token), 'Origin', 'http://evil.example'],
      [...host, ...bearer(token), 'Content-Length', '2'],
      [...bearer(token), ...host],
      ['Host', 'evil.example', ...bearer(token)],
      host,
    ];
    const head = fc.record({
      method: fc.constantFrom('GET', 'POST'),
      url: fc.constantFrom('/v1/status', '/health', '/v1/console/sessions'),
      rawHeaders: fc.constantFrom(...lines),
    });
    fc.assert(
      fc.property(fc.array(head, { minLength: 2, maxLength: 12 }), (heads) => {
        const guard = createGuard(request());
        for (const each of heads) expect(guard({ ...each })).toEqual(createGuard(request())(each));
      }),
      { numRuns: sized(200, 2_000), seed: 1 },
    );
  });
});

describe('createGuard', () => {
  it('S-01 compares with the port of the socket', () => {
    expect(codeOf(request())).toBe('allowed');
    expect(codeOf(request({ localPort: 4748, rawHeaders: request().rawHeaders }))).toBe('forbidden_host');
  });

  it('S-01 accepts a host without port on port 80 only', () => {
    const bare = ['Host', 'localhost', 'Origin', 'http://localhost', 'Authorization', `Bearer ${token}`];
    expect(codeOf(request({ localPort: 80, rawHeaders: bare }))).toBe('allowed');
    expect(codeOf(request({ localPort: 8080, rawHeaders: bare }))).toBe('forbidden_host');
  });

  it('S-14 knows names of loopback with any port, and none, on the Unix socket, and nothing else', () => {
    const named = (host: string, ...more: string[]) =>
      codeOf(
        request({ localPort: undefined, rawHeaders: ['Host', host, 'Authorization', `Bearer ${token}`, ...more] }),
      );
    for (const host of ['localhost', 'LOCALHOST', 'localhost:4747', '127.0.0.1:1', '[::1]'])
      expect(named(host), host).toBe('allowed');
    for (const host of [
      'localhost:',
      'localhost:x',
      'localhost:123456',
      'localhost.',
      'evil.example',
      '',
      'localhostx',
    ])
      expect(named(host), host).toBe('forbidden_host');
    expect(named('localhost', 'Origin', 'http://evil.example')).toBe('forbidden_origin');
  });

  it('S-01 S-14 says which host to send', () => {
    const detailOf = (localPort: number | undefined) => {
      const decision = decide(request({ localPort, rawHeaders: ['Host', 'contextd'] }));
      return decision.allowed ? undefined : decision.refusal.detail;
    };
    expect(detailOf(undefined)).toBe('The Host header does not name this daemon. Send "localhost" through the socket.');
    expect(detailOf(4747)).toContain('Send the host and port of its address.');
    expect(detailOf(4747)).toContain('contextd open');
  });

  it('S-14 takes a request without a token for that of the owner on the Unix socket only, and only where that is said', () => {
    const bare = ['Host', '127.0.0.1:4747'];
    expect(codeOf(request({ localPort: undefined, socketOwner: theUser, rawHeaders: bare }))).toBe('allowed');
    expect(codeOf(request({ localPort: undefined, rawHeaders: bare }))).toBe('unauthorized');
    expect(codeOf(request({ localPort: 4747, socketOwner: theUser, rawHeaders: bare }))).toBe('unauthorized');
    const wrong = [...bare, 'Authorization', 'Bearer wrong'];
    expect(codeOf(request({ localPort: undefined, socketOwner: theUser, rawHeaders: wrong }))).toBe('unauthorized');
  });

  it('S-10 signs in at the host of the console, and at one that the user has named, which no name of loopback is', () => {
    const known = {
      localPort: 4747,
      consoleName,
      allowedHosts: ['box.local:4747', 'localhost:8080', 'localhost:4747'],
    };
    const isSignIn = (host: string, more: Partial<typeof known> = {}) => isSignInHost(host, { ...known, ...more });
    for (const host of [consoleHost(4747), consoleHost(4747).toUpperCase(), 'Box.local:4747', 'localhost:8080'])
      expect(isSignIn(host), host).toBe(true);
    for (const host of [
      '127.0.0.1:4747',
      'LOCALHOST:4747',
      '[::1]:4747',
      consoleHost(4748),
      consoleName,
      'box.local',
      '',
    ])
      expect(isSignIn(host), host).toBe(false);
    expect([consoleName, 'localhost'].map((host) => isSignIn(host, { localPort: 80 }))).toEqual([true, false]);
  });

  it('S-13 accepts further hosts, and their origins, only when they were allowed exactly so', () => {
    const named = (host: string) =>
      request({ allowedHosts: ['box.local:4747'], rawHeaders: ['Host', host, 'Authorization', `Bearer ${token}`] });
    expect(codeOf(named('Box.local:4747'))).toBe('allowed');
    expect(codeOf(named('box.local'))).toBe('forbidden_host');
    expect(codeOf(named('box.local:4748'))).toBe('forbidden_host');
    expect(codeOf(named('x.box.local:4747'))).toBe('forbidden_host');
    expect(codeOf(request({ allowedHosts: ['box.local:4747'] }, 'Origin', 'http://box.local:4747'))).toBe('allowed');
    expect(codeOf(request({}, 'Origin', 'http://box.local:4747'))).toBe('forbidden_origin');
  });

  it('S-06 says with one text that a token is missing or not known, and where the present one is', () => {
    const detailOf = (...authorization: string[]) => {
      const decision = decide(request({ rawHeaders: ['Host', '127.0.0.1:4747', ...authorization] }));
      return decision.allowed ? undefined : decision.refusal.detail;
    };
    const detail = detailOf('Authorization', 'Bearer of-yesterday');
    expect(detail).toContain('A daemon that was started again has another token');
    expect(detail).toContain('A token for agents may have been revoked');
    expect(detailOf()).toBe(detail);
  });

  it('S-01 S-03 S-06 objects to the host first, then to the origin, then to the token, then to the form', () => {
    const all = ['Host', 'evil.com', 'Origin', 'http://evil.com', 'Authorization', 'Bearer x', 'Expect', 'x'];
    expect(codeOf(request({ rawHeaders: all }))).toBe('forbidden_host');
    expect(codeOf(request({ rawHeaders: ['Host', '127.0.0.1:4747', ...all.slice(2)] }))).toBe('forbidden_origin');
    expect(codeOf(request({ rawHeaders: ['Host', '127.0.0.1:4747', ...all.slice(4)] }))).toBe('unauthorized');
    expect(codeOf(request({}, 'Expect', 'x'))).toBe('invalid_request');
  });

  it('S-01 allows no host but its own, whatever is generated', () => {
    const own = new Set([...goodHosts(4747).map((host) => host.toLowerCase()), consoleHost(4747)]);
    const piece = fc.constantFrom(
      ...hostileHosts(4747),
      ...goodHosts(4747),
      ':',
      '4747',
      '.',
      '@',
      '[',
      ']',
      '\x00',
      ' ',
      '/',
    );
    const host = fc.oneof(
      fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
      fc.string({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(host, (value) => {
        const code = codeOf(request({ rawHeaders: ['Host', value, 'Authorization', `Bearer ${token}`] }));
        expect(code).toBe(own.has(value.toLowerCase()) ? 'allowed' : 'forbidden_host');
      }),
      { numRuns: sized(5_000, 5_000, 1_000), seed: 1 },
    );
  });

  it('S-03 allows no origin but its own, whatever is generated', () => {
    const own = new Set(goodOrigins(4747));
    const piece = fc.constantFrom(
      ...hostileOrigins(4747),
      ...goodOrigins(4747),
      'http://',
      '/',
      ':4747',
      'localhost',
      '\t',
    );
    const origin = fc.oneof(
      fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
      fc.webUrl(),
    );
    fc.assert(
      fc.property(origin, (value) => {
        expect(codeOf(request({}, 'Origin', value))).toBe(own.has(value) ? 'allowed' : 'forbidden_origin');
      }),
      { numRuns: sized(5_000, 5_000, 1_000), seed: 1 },
    );
  });

  it('S-07 allows no other token, whatever is generated', () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.nat(token.length).map((length) => token.slice(0, length)),
    );
    fc.assert(
      fc.property(value, fc.constantFrom('Bearer ', 'Bearer', 'bearer\t', 'Basic ', ''), (value, scheme) => {
        const rawHeaders = ['Host', '127.0.0.1:4747', 'Authorization', scheme + value];
        expect(codeOf(request({ rawHeaders }))).toBe(
          value === token && scheme === 'Bearer ' ? 'allowed' : 'unauthorized',
        );
      }),
      { numRuns: sized(5_000, 5_000, 1_000), seed: 1 },
    );
  });

  it('S-76 refuses a request target that is longer than the limit', () => {
    expect(codeOf(request({ url: `/${'a'.repeat(8191)}` }))).toBe('allowed');
    expect(decide(request({ url: `/${'a'.repeat(8192)}` }))).toMatchObject({
      refusal: { code: 'invalid_request', status: 414 },
    });
  });

  it('S-76 lets h2c be offered, as some HTTP clients always do, and refuses other protocols', () => {
    expect(codeOf(request({}, 'Connection', 'Upgrade, HTTP2-Settings', 'Upgrade', 'h2c'))).toBe('allowed');
    expect(decide(request({}, 'Connection', 'Upgrade', 'Upgrade', 'websocket'))).toMatchObject({
      refusal: { code: 'invalid_request', close: true },
    });
  });

  it('S-76 refuses any transfer coding but chunked', () => {
    const post = (coding: string) =>
      request({ method: 'POST' }, 'Content-Type', 'application/json', 'Transfer-Encoding', coding);
    expect(codeOf(post('chunked'))).toBe('allowed');
    for (const coding of ['gzip, chunked', 'identity', 'xchunked', 'chunked, chunked', ''])
      expect(codeOf(post(coding))).toBe('invalid_request');
  });

  it('S-04 wants application/json where there is a body', () => {
    const post = (...headers: string[]) => codeOf(request({ method: 'POST' }, ...headers));
    for (const good of [
      'application/json',
      'Application/JSON',
      'application/json;charset=utf-8',
      'application/json ; charset="UTF-8"',
    ])
      expect(post('Content-Length', '2', 'Content-Type', good)).toBe('allowed');
    expect(post('Content-Length', '0')).toBe('allowed');
    expect(post('Content-Length', '2')).toBe('unsupported_media_type');
    expect(post('Transfer-Encoding', 'chunked')).toBe('unsupported_media_type');
    expect(post('Content-Type', 'text/plain')).toBe('unsupported_media_type');
    expect(codeOf(request({ method: 'GET' }, 'Content-Type', 'text/plain'))).toBe('allowed');
    expect(codeOf(request({ method: 'GET' }, 'Content-Type', 'text/plain', 'Content-Length', '1'))).toBe(
      'unsupported_media_type',
    );
  });
});

describe('isPublicRequest', () => {
  it('S-06 knows the public paths by their exact spelling', () => {
    expect(isPublicRequest('GET', '/health?challenge=a')).toBe(true);
    expect(isPublicRequest('HEAD', '/docs')).toBe(true);
    expect(isPublicRequest('POST', '/health')).toBe(false);
    for (const url of [
      '/health/',
      '/Health',
      '//health',
      '/health#',
      '/health;',
      '/%68ealth',
      '/docs/x',
      '/v1/status?/health',
      '',
    ])
      expect(isPublicRequest('GET', url)).toBe(false);
  });

  it('S-10 S-12 knows files of the console by the form of their name, and one path that is posted to', () => {
    for (const url of ['/', '/?v=1', '/console/main.js', '/console/a-b_C1.min.css?v=1'])
      expect([isPublicRequest('GET', url), isPublicRequest('HEAD', url), isPublicRequest('POST', url)], url).toEqual([
        true,
        true,
        false,
      ]);
    for (const url of ['/console', '/console/', '/console/a', '/console/..', '/console/.a.js', '/console/a..js'])
      expect(isPublicRequest('GET', url), url).toBe(false);
    for (const url of ['/console/a/b.js', '/console/a%2fb.js', '/console/a.js/', '/console/a.js;', '/console/a.js\0'])
      expect(isPublicRequest('GET', url), url).toBe(false);
    expect(isPublicRequest('POST', '/v1/console/sessions')).toBe(true);
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'OPTIONS', 'post'])
      expect(isPublicRequest(method, '/v1/console/sessions'), method).toBe(false);
    for (const url of ['/v1/console/sessions/', '/v1/console/sessions?', '/v1/console/codes', '/v1/Console/sessions'])
      expect(isPublicRequest('POST', url), url).toBe(false);
  });
});
