/** The console of a spawned daemon in a real browser, watched for everything that must never happen there. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import { type APIResponse, type Browser, chromium, type Page, type Route } from 'playwright-core';
import { expect } from 'vitest';
import type { TestDaemon } from '../support/daemon.ts';

const candidates = [
  process.env.CONTEXTD_CHROMIUM,
  // The same browser without windows: the tests take half the time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The browser of the machine; `CONTEXTD_CHROMIUM` names another. */
export function browserPath(): string {
  const found = candidates.find((path) => path !== undefined && existsSync(path));
  if (found === undefined)
    throw new Error('No Chromium is installed (Debian: apt-get install chromium-headless-shell).');
  return found;
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export type ConsoleOptions = {
  /** The view, and its parameters as they stand in the address: `policy`, `workspace`. */
  view?: string;
  params?: Record<string, string>;
  /** The mounted directory. */
  directory?: string;
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
};

export type ConsolePage = AsyncDisposable & {
  page: Page;
  /** Requests to other origins, errors, refused scripts and styles, dialogs: empty in a good page. */
  offences: string[];
};

/** Empty pages that tests have left. Another document in the same process costs two thirds of a new page. */
const leftPages = new WeakMap<Browser, Page[]>();

async function takePage(
  browser: Browser,
  { width = 1280, height = 900, theme = 'light' }: ConsoleOptions,
): Promise<Page> {
  const viewport = { width, height };
  const media = { colorScheme: theme, reducedMotion: 'reduce' } as const;
  const page = leftPages.get(browser)?.pop();
  if (page === undefined) return (await browser.newContext({ viewport, ...media })).newPage();
  await page.setViewportSize(viewport);
  await page.emulateMedia(media);
  return page;
}

/** A page that is alone in its context is emptied for the next test. */
async function leavePage(browser: Browser, page: Page): Promise<void> {
  const context = page.context();
  // What a test does with a request that is still on its way ends with the page, and is no failure.
  await Promise.all(context.pages().map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })));
  page.removeAllListeners();
  if (page.isClosed() || context.pages().length > 1) return context.close();
  try {
    await context.setOffline(false);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
      // Leaving ends the requests that are on their way, and the page keeps the text of a removal that failed.
      Storage.prototype.setItem = () => {};
    });
    await page.goto('about:blank');
    leftPages.set(browser, [...(leftPages.get(browser) ?? []), page]);
  } catch {
    await context.close();
  }
}

/** Opens the console signed in, as `contextd open` does. */
export async function openConsole(
  browser: Browser,
  daemon: TestDaemon,
  options: ConsoleOptions = {},
): Promise<ConsolePage> {
  const { view = 'workspace', params = {}, directory } = options;
  const page = await takePage(browser, options);
  const address = await makeAddress(daemon);
  const offences: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${new URL(address).origin}/`)) offences.push(`a request to ${request.url()}`);
  });
  page.on('pageerror', (error) => offences.push(`an error: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    offences.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // The browser says itself that a request failed; that is the daemon's answer, and shown by the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      offences.push(`the console says: ${message.text()}`);
  });
  await page.goto(address);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await goTo(page, view, { ...(directory === undefined ? {} : { dir: directory }), ...params });
  return { page, offences, [Symbol.asyncDispose]: () => leavePage(browser, page) };
}

/** An address of the console that signs in, once. */
export async function makeAddress(daemon: TestDaemon): Promise<string> {
  const { body } = await daemon.request('/v1/console/codes', { method: 'POST' });
  return (body as { url: string }).url;
}

/** The answer of the daemon to a request that is held back. Only browsers know where the host of the console is. */
export function fetchHeld(route: Route): Promise<APIResponse> {
  const url = new URL(route.request().url());
  const { host } = url;
  url.hostname = '127.0.0.1';
  return route.fetch({ url: url.href, headers: { ...route.request().headers(), host } });
}

/** The page of a daemon that was ended and started again says so, and goes on showing what it showed. */
export async function sawRestart(page: Page): Promise<void> {
  await page.getByRole('alert').filter({ hasText: 'restarted and has another address' }).waitFor();
  await page.getByText('Not connected', { exact: true }).waitFor();
}

/** Goes to a view by its address, without loading the page again. */
export async function goTo(page: Page, view: string, params: Record<string, string> = {}): Promise<void> {
  await page.evaluate(
    (address) => {
      location.hash = address;
    },
    `#/${view}?${new URLSearchParams(params)}`,
  );
  await page.getByRole('heading', { level: 1, name: new RegExp(view, 'iu') }).waitFor();
}

/** Waits until nothing on the page is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton') === null);
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** No violation of WCAG 2.2 AA and good practice that axe-core can find. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger's protocol, which the content security policy does not bind.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(readFileSync(axePath, 'utf8'));
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    // What is right is neither collected nor sent here, which takes longer than finding what is wrong.
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  const told = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} — ${target} ${failureSummary}`),
  );
  expect(told).toEqual([]);
}

/** Nothing is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  expect(content).toBeLessThanOrEqual(window as number);
}
