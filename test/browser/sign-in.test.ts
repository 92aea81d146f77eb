/** How the console is opened and signed in, against what other programs and users of the machine can do about it (S-10). */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, until } from '../support/daemon.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { browserPath, launchBrowser, makeAddress, openConsole } from './console-page.ts';

let browser: Browser;
const directory = temporaryDirectory();
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const views = (page: Page) => page.getByRole('navigation', { name: 'Views' });

/** The page of a program that had the port before: it says what it could read of its address. */
const stolenPage = `<!doctype html><title>stolen</title><p id="seen"></p>
<script>document.getElementById('seen').textContent = 'seen:' + location.hash</script>`;
/** Answers each navigation with that page, and keeps the addresses of all it is asked for. */
const worker = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  event.respondWith(new Response(${JSON.stringify(stolenPage)}, { headers: { 'content-type': 'text/html' } }));
});`;

/** Has a program serve a port for a while, which leaves its worker and its page at each name of it. Returns the port. */
async function haveHadPort(context: BrowserContext): Promise<number> {
  const server = createServer((request, response) => {
    const isWorker = request.url === '/worker.js';
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html');
    response.setHeader('cache-control', 'max-age=31536000, immutable');
    response.end(isWorker ? worker : stolenPage);
  });
  const port = await listenOnLoopback(server);
  const page = await context.newPage();
  for (const name of ['127.0.0.1', 'localhost']) {
    await page.goto(`http://${name}:${port}/`);
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js');
      await navigator.serviceWorker.ready;
    });
  }
  await page.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('an earlier program on the port', () => {
  it('S-10 sees no sign-in by the service worker and the cached pages it left, and can do nothing with a code', async () => {
    const context = await browser.newContext();
    const port = await haveHadPort(context);
    await using daemon = await startDaemon({ args: ['--port', String(port)] });
    const { body } = await daemon.request('/v1/console/sign-in-pages', { body: {} });
    const { file } = body as { file: string };

    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    await views(page).waitFor();
    expect(new URL(page.url()).hostname).toMatch(/^[0-9a-f]{32}\.localhost$/u);
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
    expect(existsSync(file)).toBe(false);

    // It is still there, under the names that stay the same, and would have seen a code at them.
    for (const name of ['127.0.0.1', 'localhost']) {
      const code = new URL(await makeAddress(daemon)).hash.slice('#code='.length);
      const stolen = await context.newPage();
      await stolen.goto(`http://${name}:${port}/#code=${code}`);
      await stolen.getByText(`seen:#code=${code}`).waitFor();
      const attempt = (address: string) =>
        stolen.evaluate(
          async ([url, text]) => {
            const headers = { 'content-type': 'application/json' };
            const answer = await fetch(url as string, { method: 'POST', headers, body: text as string }).catch(String);
            return typeof answer === 'string' ? answer : answer.status;
          },
          [address, JSON.stringify({ code })],
        );
      expect(await attempt('/v1/console/sessions')).toBe(403);
      expect(await attempt(`${new URL(page.url()).origin}/v1/console/sessions`)).toContain('TypeError');
      await stolen.close();
    }
    await context.close();
  });

  it('S-10 S-03 is not reached from the console, and a page elsewhere reads nothing of the console', async () => {
    await using daemon = await startDaemon();
    await using opened = await openConsole(browser, daemon);
    const { origin } = new URL(opened.page.url());
    const other = await opened.page.context().newPage();
    await other.goto(`${daemon.url}/`);
    await other.getByText('contextd open', { exact: true }).waitFor();
    const read = (url: string) => other.evaluate((target) => fetch(target).then(String, String), url);
    for (const path of ['/', '/health', '/v1/status', '/console/main.js'])
      expect(await read(origin + path)).toContain('TypeError');
    expect(await other.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  });
});

describe('"contextd open" with a real browser', () => {
  it('S-10 signs it in by a file, and no argument of it has the code', async () => {
    const project = join(directory, 'a project');
    mkdirSync(project);
    await using daemon = await startDaemon({ grantRoots: [project] });
    const [program, pid] = [join(directory, 'real-browser'), join(directory, 'pid')];
    const flags = `--headless --no-sandbox --disable-gpu --no-first-run --user-data-dir='${join(directory, 'profile')}'`;
    writeFileSync(program, `#!/bin/sh\necho $$ > '${pid}'\nexec '${browserPath()}' ${flags} "$@"\n`);
    chmodSync(program, 0o755);
    try {
      const run = await daemon.cli(['open', project], { env: { BROWSER: program, HOME: directory } });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toMatch(/^The console is open in your browser: http:\/\/[0-9a-f]{32}\.localhost:\d+\/\n$/u);
      const cmdline = readFileSync(`/proc/${readFileSync(pid, 'utf8').trim()}/cmdline`, 'utf8');
      expect(cmdline).toContain('file:///');
      expect(cmdline).not.toContain('code');
    } finally {
      // The browser is the leader of its group.
      process.kill(-Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    }
  });
});

describe('what the page keeps', () => {
  it('S-10 is left alone by another sign-in, and gone after signing out', async () => {
    await using daemon = await startDaemon();
    await using opened = await openConsole(browser, daemon);
    const { page, offences } = opened;
    const stored = () =>
      page.evaluate(() => [
        localStorage.getItem('contextd-directories'),
        sessionStorage.getItem('contextd-policy-drafts'),
      ]);
    await page.evaluate(() => {
      localStorage.setItem('contextd-directories', '["/home/ada/project"]');
      sessionStorage.setItem('contextd-policy-drafts', '[["a\\nb",{"text":"typed"}]]');
    });
    const other = await page.context().newPage();
    const signedIn = other.waitForResponse(/console\/sessions/u);
    await other.goto(await makeAddress(daemon));
    expect((await signedIn).status()).toBe(201);
    await views(other).waitFor();
    expect(await stored()).toEqual(['["/home/ada/project"]', '[["a\\nb",{"text":"typed"}]]']);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await until(async () => (await stored()).every((value) => value === null));
    expect(offences).toEqual([]);
  });
});
