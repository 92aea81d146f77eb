/** The console over HTTP: its sign-in (S-10), its headers (S-11), and its fixed set of files (S-12). */
import fs, { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { securityHeaders } from '../../routes/http/secured-response.ts';
import { createSignInPages } from '../../src/adapters/files/sign-in-pages.ts';
import { createConsoleSessions } from '../../src/sign-in/console-sessions.ts';
import { sendRequest } from '../support/daemon.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import {
  builtConsole,
  consoleName,
  createListeningApp,
  createLogSink,
  type ListeningApp,
  testConsole,
  token,
} from './support/listening-app.ts';
import { headerOf, openRawConnection, type RawAnswer, type RawConnection, requestText } from './support/raw-http.ts';

const clock = createFakeClock();
const { lines, logger } = createLogSink();
let test: ListeningApp;
let connection: RawConnection;
const pagesDirectory = join(tmpdir(), `contextd-sign-in-${process.pid}`);

beforeEach(async () => {
  lines.length = 0;
  test = await createListeningApp({
    console: { ...testConsole(createConsoleSessions(clock)), pages: createSignInPages(pagesDirectory) },
    allowedHosts: ['box.example:4747'],
    logger: logger as never,
  });
  connection = await openRawConnection(test.port);
});
afterEach(async () => {
  connection.destroy();
  await test.app.close();
  await rm(pagesDirectory, { recursive: true, force: true });
});

/** The host of the console; the others are refused where it matters. */
const consoleHost = (): string => `${consoleName}:${test.port}`;

type Header = readonly [name: string, value: string];
const bearer = (value: string): Header => ['Authorization', `Bearer ${value}`];

async function send(
  method: string,
  target: string,
  { headers = [], body, host = consoleHost() }: { headers?: readonly Header[]; body?: object; host?: string } = {},
): Promise<RawAnswer> {
  const json: Header[] = body === undefined ? [] : [['Content-Type', 'application/json']];
  const text = requestText({
    method,
    target,
    headers: [['Host', host], ...json, ...headers],
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await connection.exchange(text, method === 'HEAD');
  expect(headerOf(answer, 'set-cookie')).toBeUndefined();
  for (const [name, value] of Object.entries(securityHeaders))
    if (!target.startsWith('/docs')) expect(headerOf(answer, name)).toBe(value);
  return answer;
}

async function createCode(): Promise<string> {
  const { status, body } = await send('POST', '/v1/console/codes', { headers: [bearer(token)] });
  expect(status).toBe(201);
  const { code, url, expiresAt } = JSON.parse(body) as Record<string, string>;
  expect(url).toBe(`http://${consoleHost()}/#code=${code}`);
  expect(expiresAt).toBe(new Date(clock.now() + 60_000).toISOString());
  return code as string;
}

const redeem = (code: unknown): Promise<RawAnswer> => send('POST', '/v1/console/sessions', { body: { code } });

async function signIn(): Promise<string> {
  const answer = await redeem(await createCode());
  expect(answer.status).toBe(201);
  return (JSON.parse(answer.body) as { token: string }).token;
}

const statusOf = async (value: string): Promise<number> =>
  (await send('GET', '/v1/status', { headers: [bearer(value)] })).status;

describe('sign-in', () => {
  it('S-10 a code works once', async () => {
    const code = await createCode();
    expect((await redeem(code)).status).toBe(201);
    const again = await redeem(code);
    expect(again.status).toBe(401);
    expect(JSON.parse(again.body)).toMatchObject({ code: 'unauthorized' });
    expect(headerOf(again, 'www-authenticate')).toBe('Bearer');
  });

  it('S-10 a code works for less than 60 seconds', async () => {
    const [early, late] = [await createCode(), await createCode()];
    clock.advance(59_999);
    expect((await redeem(early)).status).toBe(201);
    clock.advance(1);
    expect((await redeem(late)).status).toBe(401);
  });

  it('S-10 S-06 the token of a session opens what the user’s opens, in the header only', async () => {
    const session = await signIn();
    expect(await statusOf(session)).toBe(200);
    expect((await send('GET', '/v1/tokens', { headers: [bearer(session)] })).status).toBe(200);
    expect((await send('POST', '/v1/console/codes', { headers: [bearer(session)] })).status).toBe(201);
    // `EventSource` can send no header.
    const accept: Header = ['Accept', 'text/event-stream'];
    for (const target of ['/v1/events', `/v1/events?token=${session}`, `/v1/events?access_token=${session}`])
      expect((await send('GET', target, { headers: [accept] })).status).toBe(401);
    expect((await send('GET', '/v1/events', { headers: [['Cookie', `token=${session}`]] })).status).toBe(401);
  });

  it('S-10 a code opens nothing but the sign-in, and only for the user', async () => {
    const code = await createCode();
    expect(await statusOf(code)).toBe(401);
    expect((await send('POST', '/v1/console/codes')).status).toBe(401);
    expect((await send('POST', `/v1/console/sessions?code=${code}`, { body: { code } })).status).toBe(401);
    expect((await send('PUT', '/v1/console/sessions', { body: { code } })).status).toBe(401);
    expect((await send('POST', '/v1/console/sessions/', { body: { code } })).status).toBe(401);
    expect((await redeem(code)).status).toBe(201);
  });

  it('S-10 signing out ends one session; the user’s token is none', async () => {
    const [mine, other] = [await signIn(), await signIn()];
    const signOut = (value: string) => send('DELETE', '/v1/console/sessions', { headers: [bearer(value)] });
    expect((await signOut(mine)).status).toBe(204);
    expect([await statusOf(mine), await statusOf(other)]).toEqual([401, 200]);
    expect((await signOut(mine)).status).toBe(401);
    const refused = await signOut(token);
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([404, 'not_found']);
    expect(await statusOf(token)).toBe(200);
  });

  it('S-10 S-01 S-03 S-04 nobody signs in under a foreign host, from a foreign page, or by a form', async () => {
    const code = await createCode();
    const body = JSON.stringify({ code });
    const json: Header = ['Content-Type', 'application/json'];
    const host: Header = ['Host', consoleHost()];
    const attempts: [number, Header[]][] = [
      [403, [['Host', 'evil.example'], json]],
      [403, [host, json, ['Origin', 'http://evil.example']]],
      [403, [host, json, ['Origin', 'null']]],
      [403, [host, json, ['Sec-Fetch-Site', 'cross-site']]],
      [403, [host, json, ['Sec-Fetch-Site', 'same-site']]],
      [415, [host, ['Content-Type', 'text/plain']]],
      [415, [host, ['Content-Type', 'application/x-www-form-urlencoded']]],
    ];
    for (const [status, headers] of attempts) {
      const text = requestText({ method: 'POST', target: '/v1/console/sessions', headers, body });
      expect((await connection.exchange(text)).status).toBe(status);
    }
    expect((await redeem(code)).status).toBe(201);
  });

  it('S-10 S-75 reads little of whoever has no token, and writes few lines about them', async () => {
    const large = await send('POST', '/v1/console/sessions', { body: { code: 'A'.repeat(2_000) } });
    expect(large.status).toBe(413);
    expect(large.body).toContain('The body is larger than 1024 bytes.');
    for (const code of ['', 'ä', 'A'.repeat(129), 7, null, {}]) expect((await redeem(code)).status).toBe(400);
    const code = await createCode();
    lines.length = 0;
    for (let attempt = 0; attempt < 200; attempt += 1) expect((await redeem(`A${attempt}`)).status).toBe(401);
    expect(lines.length).toBeLessThan(100);
    expect((await redeem(code)).status).toBe(201);
  });

  it('S-09 S-10 neither code nor token is in any line of the log', async () => {
    const code = await createCode();
    const { body } = await redeem(code);
    const { token: session } = JSON.parse(body) as { token: string };
    await redeem(code);
    await send('GET', `/v1/nothing?code=${code}&token=${session}`, { headers: [bearer(session)] });
    await send('GET', `/?code=${code}`);
    await send('GET', `/console/${code}.js`);
    await send('DELETE', '/v1/console/sessions', { headers: [bearer(session)] });
    expect(lines.length).toBeGreaterThan(5);
    for (const secret of [code, session, token]) expect(lines.join('')).not.toContain(secret);
  });
});

/** As a browser gets it at the address of the console. */
const getAt = (port: number, path: string) =>
  sendRequest(`http://127.0.0.1:${port}${path}`, { headers: { host: `${consoleName}:${port}` } });

describe('the address of the console', () => {
  const knownHosts = () => ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${test.port}`);

  it('S-10 is the only one that takes a code, beside hosts that the user has named', async () => {
    const code = await createCode();
    for (const host of knownHosts()) {
      const refused = await send('POST', '/v1/console/sessions', { body: { code }, host });
      expect([refused.status, JSON.parse(refused.body).code]).toEqual([403, 'forbidden_host']);
    }
    expect((await redeem(code)).status).toBe(201);
    const body = { code: await createCode() };
    expect((await send('POST', '/v1/console/sessions', { body, host: 'Box.example:4747' })).status).toBe(201);
  });

  it('S-10 is not told at any other, where a page without a script says how to open it', async () => {
    for (const host of knownHosts()) {
      const page = await send('GET', '/', { host });
      expect([page.status, headerOf(page, 'content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.body).toContain('contextd open');
      expect(page.body).not.toMatch(/<script|<style|style=|https?:|data:/u);
      expect(JSON.stringify(page)).not.toContain(consoleName.slice(0, 32));
    }
    expect((await send('GET', '/', { host: 'box.example:4747' })).body).toContain('<script');
  });

  it('S-10 clears the cache at sign-in, what the page keeps only at sign-out, and never cookies', async () => {
    const signedIn = await redeem(await createCode());
    expect(headerOf(signedIn, 'clear-site-data')).toBe('"cache"');
    const { token: session } = JSON.parse(signedIn.body) as { token: string };
    const signedOut = await send('DELETE', '/v1/console/sessions', { headers: [bearer(session)] });
    expect([signedOut.status, headerOf(signedOut, 'clear-site-data')]).toEqual([204, '"cache", "storage"']);
    expect(headerOf(await redeem('A'), 'clear-site-data')).toBeUndefined();
    expect(headerOf(await send('GET', '/'), 'clear-site-data')).toBeUndefined();
  });
});

describe('pages on disk', () => {
  const createPage = async (body: object = {}) =>
    JSON.parse((await send('POST', '/v1/console/sign-in-pages', { headers: [bearer(token)], body })).body) as {
      file: string;
      url: string;
    };
  const addressIn = (file: string) =>
    /<a href="([^"]+)">/u.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll('&amp;', '&') ?? '';

  it('S-10 lead to the console with a code that nothing else tells, and go when it is used', async () => {
    const page = await createPage({ directory: '/home/ada/a "project" & <more>' });
    expect(page.url).toBe(`http://${consoleHost()}/`);
    const fragment = new URLSearchParams(new URL(addressIn(page.file)).hash.slice(1));
    expect(addressIn(page.file).startsWith(`${page.url}#code=`)).toBe(true);
    expect(fragment.get('dir')).toBe('/home/ada/a "project" & <more>');
    expect(JSON.stringify(page)).not.toContain(fragment.get('code'));
    expect(lines.join('')).not.toContain(fragment.get('code'));
    expect((await redeem('A'.repeat(43))).status).toBe(401);
    expect(existsSync(page.file)).toBe(true);
    expect((await redeem(fragment.get('code'))).status).toBe(201);
    expect(existsSync(page.file)).toBe(false);
  });

  it('S-66 take a directory that an address can hold, and refuse any other', async () => {
    for (const directory of ['\ud800', '', 'x'.repeat(4_097), 7]) {
      const headers = [bearer(token)];
      const refused = await send('POST', '/v1/console/sign-in-pages', { headers, body: { directory } });
      expect([refused.status, JSON.parse(refused.body).errors[0].pointer]).toEqual([400, '/directory']);
    }
    expect(existsSync(pagesDirectory)).toBe(false);
  });

  it('S-10 are made for the user only, and refused without a trace where they cannot be written', async () => {
    expect((await send('POST', '/v1/console/sign-in-pages')).status).toBe(401);
    const { file } = await createPage();
    await rm(pagesDirectory, { recursive: true });
    await writeFile(pagesDirectory, '');
    const refused = await send('POST', '/v1/console/sign-in-pages', { headers: [bearer(token)], body: {} });
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'unavailable']);
    expect(refused.body).not.toContain(pagesDirectory);
    expect(existsSync(file)).toBe(false);
  });
});

describe('files', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', '<!doctype html>'],
    ['/console/main.js', 'text/javascript; charset=utf-8', 'document.title'],
    ['/console/main.css', 'text/css; charset=utf-8', 'margin'],
    ['/console/icon.svg', 'image/svg+xml', '<svg'],
  ])('S-11 serves %s without a token, with every header', async (path, type, content) => {
    for (const target of [path, `${path}?v=1`]) {
      const answer = await send('GET', target);
      expect([answer.status, headerOf(answer, 'content-type')]).toEqual([200, type]);
      expect(answer.body).toContain(content);
      expect((await send('HEAD', target)).status).toBe(200);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await send(method, path, { host: `localhost:${test.port}` })).status).toBe(401);
  });

  it('S-11 S-12 answers 404 to names it has not, with every header', async () => {
    for (const name of ['nothing.js', 'notes.txt', 'index.html', 'Main.js', 'main.js.map', 'MAIN.CSS']) {
      const answer = await send('GET', `/console/${name}`);
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, 'not_found']);
    }
    const host = `127.0.0.1:${test.port}`;
    for (const target of ['/v1/nothing', '/%', '/index.html', '/console', '/console/'])
      expect([400, 401]).toContain((await send('GET', target, { host })).status);
  });

  it('S-12 answers no other spelling, with and without the token, and opens no file', async () => {
    const separators = ['/', '%2f', '%2F', '\\', '%5c', '%5C', '//', '/./', '%252f', '/%2e/', ';/'];
    const dots = ['..', '%2e%2e', '%2E.', '.%2e', '%252e%252e', '..;', '..%00', '....', '%c0%ae%c0%ae', '..%20'];
    const names = ['package.json', 'index.html', 'console/main.js', 'etc/passwd', 'notes.txt'];
    const targets = separators.flatMap((separator) =>
      dots.flatMap((dot) => names.map((name) => `/console/${dot}${separator}${name}`)),
    );
    for (const path of ['/console/main.js', '/console/main.css', '/console/icon.svg'])
      targets.push(
        ...[`/${path}`, `${path}/`, `${path}//`, `${path}%00`, `${path}%20`, `${path};x`, `${path}.`, `${path}%3f`],
        ...[path.toUpperCase(), path.replace('.', '%2e'), path.replace('console', 'Console'), `${path}#x`],
        ...[path.replace('/console/', '/console//'), path.replace('/console/', '/console/./')],
        ...[path.replace('/console/', '/console%2f'), path.replace('/console/', '/console\\')],
        ...[path.replace('/console/', '/x/../console/'), path.replace('n', '%6e'), `/.${path}`, `${path}\\`],
      );
    expect(targets.length).toBeGreaterThan(300);
    // Read now, so that nothing has to be read later.
    expect((await send('GET', '/')).status).toBe(200);

    const calls: unknown[][] = [];
    const watch = (spy: { mock: { calls: unknown[][] } }): void => void calls.push(spy.mock.calls);
    for (const name of ['readFile', 'open', 'readdir', 'stat'] as const) {
      watch(vi.spyOn(fs, name));
      watch(vi.spyOn(fs.promises, name));
    }
    for (const name of ['readFileSync', 'openSync', 'createReadStream'] as const) watch(vi.spyOn(fs, name));
    syncBuiltinESMExports();
    const statuses = new Map<string, number>();
    for (const target of targets)
      for (const headers of [[], [bearer(token)]])
        for (const host of [consoleHost(), `localhost:${test.port}`])
          statuses.set(`${target} ${headers.length} ${host}`, (await send('GET', target, { headers, host })).status);
    const good = (await send('GET', '/console/main.js')).status;
    const opened = calls.flat();
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(opened).toEqual([]);
    expect(good).toBe(200);
    expect([...statuses].filter(([, status]) => ![400, 401, 403, 404].includes(status))).toEqual([]);
  });

  it('S-12 reads the folder once, on first need, no link in it, and nothing that came later', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'contextd-'));
    await cp(builtConsole, directory, { recursive: true });
    await symlink('/etc/hostname', join(directory, 'console/link.js'));
    const sessions = createConsoleSessions(clock);
    const fresh = await createListeningApp({ console: testConsole(sessions, directory) });
    const readFile = vi.spyOn(fs.promises, 'readFile');
    syncBuiltinESMExports();
    const get = async (path: string) => (await getAt(fresh.port, path)).status;
    expect(await get('/health')).toBe(200);
    expect(readFile).not.toHaveBeenCalled();
    expect(await Promise.all(['/', '/', '/console/main.js'].map(get))).toEqual([200, 200, 200]);
    const reads = readFile.mock.calls.length;
    await rm(directory, { recursive: true });
    expect(await Promise.all(['/', '/console/main.css', '/console/link.js'].map(get))).toEqual([200, 200, 404]);
    expect(readFile).toHaveBeenCalledTimes(reads);
    expect(reads).toBe(4);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await fresh.app.close();
  });

  it('S-11 says how to build a console that was not built, and has it as soon as it is', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'contextd-'));
    const sessions = createConsoleSessions(clock);
    const fresh = await createListeningApp({ console: testConsole(sessions, directory) });
    const missing = await getAt(fresh.port, '/');
    expect(missing.status).toBe(503);
    expect(missing.headers['content-security-policy']).toBe(securityHeaders['content-security-policy']);
    expect(missing.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(missing.text).toContain('npm run build');
    expect(missing.text).not.toMatch(/<script|<style|style=|https?:|data:/u);
    expect((await getAt(fresh.port, '/console/main.js')).status).toBe(404);
    await cp(builtConsole, directory, { recursive: true });
    expect((await getAt(fresh.port, '/')).status).toBe(200);
    await fresh.app.close();
    await rm(directory, { recursive: true });
  });
});
