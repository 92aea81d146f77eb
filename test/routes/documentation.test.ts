/** The documentation page: a fixed set of files, no script or address but its own (S-11, S-12). */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { publicPaths } from '../../routes/http/guard.ts';
import { createListeningApp, type ListeningApp, token } from './support/listening-app.ts';
import { headerOf, openRawConnection, type RawAnswer, requestText } from './support/raw-http.ts';

let test: ListeningApp;
beforeAll(async () => {
  test = await createListeningApp();
});
afterAll(() => test.app.close());

const authorization = ['Authorization', `Bearer ${token}`] as const;
async function send(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[] = [authorization],
): Promise<RawAnswer> {
  const connection = await openRawConnection(test.port);
  const request = requestText({ method, target, headers: [['Host', `127.0.0.1:${test.port}`], ...headers] });
  const answer = await connection.exchange(request, method === 'HEAD');
  connection.destroy();
  return answer;
}

describe('security headers', () => {
  const strict =
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

  it('S-11 S-10 are on every answer, and no cookie is on any', async () => {
    const answers = [
      ...(await Promise.all([...publicPaths].map((path) => send('GET', path, [])))),
      await send('GET', '/v1/status'),
      await send('GET', '/v1/status', []),
      await send('GET', '/nothing'),
      await send('GET', '/%'),
      await send('PATCH', '/v1/roots'),
      await send('GET', '/v1/status', [['Origin', 'null']]),
      await send('GET', '/v1/status', [['Upgrade', 'websocket'], authorization]),
      await send('GET', `/${'a'.repeat(9_000)}`),
      await send('HEAD', '/health'),
      await send('BROKEN', '/'),
    ];
    for (const answer of answers) {
      const policy = headerOf(answer, 'content-security-policy')?.replace("img-src 'self' data:", "img-src 'self'");
      expect(policy).toBe(strict);
      expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff');
      expect(headerOf(answer, 'referrer-policy')).toBe('no-referrer');
      expect(headerOf(answer, 'cache-control')).toBe('no-store');
      expect(headerOf(answer, 'x-request-id')).toMatch(/^[0-9a-f]{32}$/u);
      expect(headerOf(answer, 'set-cookie')).toBeUndefined();
      expect(headerOf(answer, 'server')).toBeUndefined();
    }
    const pages = answers.filter((answer) => headerOf(answer, 'content-security-policy') !== strict);
    expect(pages.map((answer) => headerOf(answer, 'content-type'))).toEqual([
      'text/html; charset=utf-8',
      'text/html; charset=utf-8',
    ]);
  });
});

describe('page', () => {
  it('S-11 S-09 holds no inline script, no foreign address and no token', async () => {
    const page = await send('GET', '/docs', []);
    const addresses = [...page.body.matchAll(/(?:src|href)="([^"]+)"/gu)].map((match) => match[1] as string);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) expect(address === 'data:,' || publicPaths.has(address), address).toBe(true);
    expect(page.body).not.toMatch(/<script>|<style|\son\w+=|style=|https?:/u);
    expect(page.body).not.toContain(token);
    expect((await send('GET', '/docs/page.js', [])).body).not.toMatch(/https?:/u);
    expect((await send('GET', '/docs/', [])).body).toBe(page.body);
  });

  it.each([
    ['/docs/page.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle({'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
    ['/openapi.json', 'application/json; charset=utf-8', '"openapi":"3.1.0"'],
  ])('SY-02 serves %s', async (path, type, content) => {
    const answer = await send('GET', path, []);
    expect(answer.status).toBe(200);
    expect(headerOf(answer, 'content-type')).toBe(type);
    expect(answer.body).toContain(content);
  });

  it('S-12 answers 404 to every encoded way out of it, and opens no file', async () => {
    const separators = ['/', '%2f', '%2F', '\\', '%5c', '%5C', '//', '/./', '%252f', '/%2e/'];
    const dots = [
      '..',
      '%2e%2e',
      '%2E.',
      '.%2e',
      '%252e%252e',
      '..;',
      '..%00',
      '....',
      '%c0%ae%c0%ae',
      '.. '.replace(' ', '%20'),
    ];
    const names = ['package.json', 'swagger-ui.css', 'etc/passwd', 'SWAGGER-UI.CSS'];
    const targets = separators.flatMap((separator) =>
      dots.flatMap((dot) => names.map((name) => `/docs/${dot}${separator}${name}`)),
    );
    targets.push(
      '/docs/Page.js',
      '/docs/page.js/',
      '/docs/page.js%00',
      '/docs/page.js%20',
      '/docs//page.js',
      '/docs/./page.js',
      '/DOCS',
      '/docs/index.html',
      '/docs/swagger-ui.css;x',
      '/docs/static/swagger-ui.css',
    );
    expect(targets.length).toBeGreaterThan(300);

    const readers = (['readFile', 'open'] as const).flatMap((name) => [
      vi.spyOn(fs, name),
      vi.spyOn(fs.promises, name),
    ]);
    readers.push(
      vi.spyOn(fs, 'readFileSync') as never,
      vi.spyOn(fs, 'openSync') as never,
      vi.spyOn(fs, 'createReadStream') as never,
    );
    syncBuiltinESMExports();
    const connection = await openRawConnection(test.port);
    const statuses = new Map<string, number>();
    for (const target of targets) {
      const request = requestText({
        method: 'GET',
        target,
        headers: [['Host', `127.0.0.1:${test.port}`], authorization],
      });
      statuses.set(target, (await connection.exchange(request)).status);
    }
    connection.destroy();
    const opened = readers.flatMap((reader) => reader.mock.calls.map(([path]) => path));
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(opened).toEqual([]);
    // Bytes that are no UTF-8 cannot be decoded at all.
    for (const [target, status] of statuses) expect(status, target).toBe(target.includes('%c0') ? 400 : 404);
  });

  it('S-12 reads a file of the page at most once, when it is first asked for', async () => {
    const fresh = await createListeningApp();
    const readFile = vi.spyOn(fs.promises, 'readFile');
    syncBuiltinESMExports();
    await fetch(`${fresh.url}/docs`);
    expect(readFile).not.toHaveBeenCalled();
    await Promise.all([1, 2, 3].map(() => fetch(`${fresh.url}/docs/swagger-ui.css`).then((answer) => answer.text())));
    expect(readFile).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await fresh.app.close();
  });
});
