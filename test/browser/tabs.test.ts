/** Several tabs of one browser: one stream of events, and sessions that begin and end together (S-10, SY-03). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { launchBrowser, makeAddress, openConsole, settled } from './console-page.ts';

let browser: Browser;
let daemon: TestDaemon;
const workspace = temporaryDirectory();

beforeAll(async () => {
  mkdirSync(join(workspace, '.context'), { recursive: true });
  writeRule('style');
  [browser, daemon] = await Promise.all([launchBrowser(), startDaemon({ grantRoots: [workspace] })]);
});

afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});

function writeRule(name: string): void {
  writeFileSync(join(workspace, '.context', `${name}.rule.md`), '---\ntrigger: always\n---\nTwo spaces.\n');
}

/** The tab shows that the rule applies. */
const showsRule = (page: Page, name: string) =>
  page.getByRole('button', { name: `${name}.rule`, exact: true }).waitFor();

const views = (page: Page) => page.getByRole('navigation', { name: 'Views' });

/** Counts the streams of events that a tab asks for. */
function countStreams(context: BrowserContext): { count: number } {
  const streams = { count: 0 };
  context.on('request', (request) => {
    if (request.url().endsWith('/v1/events')) streams.count += 1;
  });
  return streams;
}

/** Opens the address in another tab, which gets the session from those that are there. */
async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const { origin } = new URL(await makeAddress(daemon));
  await page.goto(`${origin}/#/workspace?${new URLSearchParams({ dir: workspace })}`);
  await views(page).waitFor();
  return page;
}

describe('several tabs of the console', () => {
  it('SY-03 eight tabs share one stream, all see each change, and another goes on when its tab is closed', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page, offences } = opened;
    const context = page.context();
    const streams = countStreams(context);
    const others: Page[] = [];
    for (let index = 0; index < 7; index += 1) others.push(await openTab(context));
    await Promise.all([page, ...others].map((each) => showsRule(each, 'style')));
    expect(streams.count).toBe(0);
    writeRule('first');
    await Promise.all([page, ...others].map((each) => showsRule(each, 'first')));
    // The first one closes, as a tab does: the lock of the stream goes to the next.
    const [next] = others as [Page];
    await page.close();
    await expect.poll(() => streams.count).toBe(1);
    writeRule('second');
    await Promise.all(others.map((each) => showsRule(each, 'second')));
    // A hidden tab needs no stream of its own.
    await next.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await expect.poll(() => streams.count).toBe(2);
    expect(offences).toEqual([]);
  });

  it('S-10 signs all tabs out that share a session, shows nothing of it any more, and asks no faster for that', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page, offences } = opened;
    const other = await openTab(page.context());
    await settled(other);
    const asked: string[] = [];
    await page.getByRole('button', { name: 'Sign out' }).click();
    await Promise.all([page, other].map((each) => each.getByText('contextd open', { exact: true }).waitFor()));
    page.context().on('request', (request) => {
      if (!request.url().endsWith('/health')) asked.push(request.url());
    });
    await Promise.all([page, other].map((each) => views(each).waitFor({ state: 'detached' })));
    await page.waitForResponse(/health/u);
    await page.waitForResponse(/health/u);
    expect(asked).toEqual([]);
    await page.getByLabel(/contextd open --print/u).fill(await makeAddress(daemon));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await Promise.all([page, other].map((each) => views(each).waitFor()));
    expect(offences).toEqual([]);
  });

  it('S-10 stays signed out though another tab has a session of its own', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page } = opened;
    const other = await page.context().newPage();
    await other.goto(await makeAddress(daemon));
    await views(other).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('contextd open', { exact: true }).waitFor();
    await page.waitForResponse(/health/u);
    await page.waitForResponse(/health/u);
    expect(await views(page).count()).toBe(0);
    expect(await views(other).count()).toBe(1);
  });

  it('S-10 takes a code that comes to an open tab out of its address, and keeps the session when it is none', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page } = opened;
    const answered = page.waitForResponse(/console\/sessions/u);
    await page.goto(`${new URL(page.url()).origin}/#code=${'a'.repeat(43)}`);
    expect((await answered).status()).toBe(401);
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Workspace' }).waitFor();
    expect(page.url()).not.toContain('code');
    expect(await page.evaluate(() => sessionStorage.getItem('contextd-session'))).not.toBeNull();
    await page.goBack();
    expect(page.url()).not.toContain('code=');
  });

  it('S-10 says why a code that was used is not taken', async () => {
    const address = await makeAddress(daemon);
    await using opened = await openConsole(browser, daemon);
    const context = await browser.newContext();
    for (const expected of ['taken', 'refused']) {
      const page = await context.newPage();
      await page.goto(address);
      if (expected === 'taken') await views(page).waitFor();
      else await page.getByText(/was used already/u).waitFor();
      await page.close();
    }
    await context.close();
    expect(opened.offences).toEqual([]);
  });

  it('SY-03 does not ask again for everything while the daemon has no stream to give', async () => {
    await using opened = await openConsole(browser, daemon);
    const { page } = opened;
    const other = await openTab(page.context());
    let refused = 0;
    let resolved = 0;
    await other.route('**/v1/events', (route) => {
      refused += 1;
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' });
    });
    await showsRule(other, 'style');
    other.on('request', (request) => {
      if (request.url().endsWith('/v1/context/resolve')) resolved += 1;
    });
    await page.close();
    await expect.poll(() => refused).toBeGreaterThan(1);
    expect(resolved).toBe(0);
  });

  it('SY-03 an answer that is slower than events come is shown all the same', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page } = opened;
    await showsRule(page, 'style');
    await page.route('**/v1/context/resolve', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue().catch(() => {});
    });
    let isOver = false;
    const writing = (async () => {
      for (let turn = 0; !isOver; turn += 1) {
        writeRule(`turn-${turn % 3}`);
        await new Promise((resolve) => setTimeout(resolve, 120));
      }
    })();
    try {
      await page
        .getByRole('button', { name: /^turn-\d\.rule$/u })
        .first()
        .waitFor();
    } finally {
      isOver = true;
      await writing;
    }
  });
});
