import { mkdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SupplementaryList } from '../../src/supplementary/supplementary-item.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  goTo,
  launchBrowser,
  openConsole,
  sawRestart,
  settled,
} from './console-page.ts';

let browser: Browser;
let daemon: TestDaemon;
const base = temporaryDirectory();
const workspace = join(base, 'shop');
const hostile = join(base, 'hostile');
const large = join(base, 'large');

const write = (path: string, content: string, root = workspace) => writeTree(root, { [path]: content });

async function add(path: string, kind = 'file', root = workspace): Promise<void> {
  const { status } = await daemon.request('/v1/supplementary', { body: { mountedDirectory: root, kind, path } });
  expect(status).toBe(201);
}

const addressOf = (root: string) => `/v1/supplementary?${new URLSearchParams({ mountedDirectory: root })}`;

async function stored(): Promise<string[]> {
  const { items } = (await daemon.request(addressOf(workspace))).body as SupplementaryList;
  return items.map(({ relativePath }) => relativePath);
}

beforeAll(async () => {
  mkdirSync(workspace);
  [browser, daemon] = await Promise.all([launchBrowser(), startDaemon({ grantRoots: [base] })]);
});

beforeEach(async () => {
  rmSync(workspace, { recursive: true });
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: ["**/*.sql"]\n');
  write('src/user-controller.ts', 'export class UserController {}\n');
  write('src/app.ts', "import { pay } from './pay.ts';\npay();\n");
  write('src/pay.ts', 'export function pay() {}\n');
  write('src/schema.sql', 'create table cart ();\n');
  write('docs/guide.md', 'A cart is what a customer has not paid yet.\n');
  await daemon.request(addressOf(workspace), { method: 'DELETE' });
});

afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});

const list = (page: Page) => page.getByRole('region', { name: 'Added files, folders and tabs' });
const rows = (page: Page) => list(page).getByRole('listitem');
const rowOf = (page: Page, path: string) => rows(page).filter({ has: page.getByTitle(path, { exact: true }) });
const order = (page: Page) => rows(page).locator('.file-path').allInnerTexts();
const field = (page: Page) => page.getByRole('combobox', { name: 'Add a file or folder' });
const option = (page: Page, path: string) =>
  page.getByRole('option').filter({ has: page.getByTitle(path, { exact: true }) });
const retrieved = (page: Page) => page.getByRole('region', { name: 'Files that go with a prompt' });

describe('the supplementary view', () => {
  it('finds files and folders by letters, says what cannot be added, and adds with the keyboard alone', async () => {
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace });
    const { page, offences } = opened;
    await page.getByText('Nothing is added').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('usrctrl');
    // Before the answer is there.
    await page.keyboard.press('Enter');
    await rowOf(page, 'src/user-controller.ts').waitFor();
    await expect.poll(() => option(page, 'src/user-controller.ts').locator('mark').count()).toBeGreaterThan(0);
    await option(page, 'src/user-controller.ts').getByText('in the list').waitFor();

    await field(page).fill('schema');
    await option(page, 'src/schema.sql').getByText('blocked by policy').waitFor();
    expect(await option(page, 'src/schema.sql').getAttribute('aria-disabled')).toBe('true');
    await option(page, 'src/schema.sql').click({ force: true });
    expect(await stored()).toEqual(['src/user-controller.ts']);

    await field(page).fill('src');
    await option(page, 'src/').waitFor();
    await page.keyboard.press('Enter');
    await rowOf(page, 'src/').waitFor();
    await rowOf(page, 'src/user-controller.ts').getByText('inside src/').waitFor();
    await field(page).fill('not/there/yet.ts');
    await page.getByText('as written, a file').click();
    await rowOf(page, 'not/there/yet.ts').getByText('Not used: it is not there').waitFor();
    expect(await stored()).toEqual(['src/user-controller.ts', 'src', 'not/there/yet.ts']);
    expect(offences).toEqual([]);
  });

  it('covers no button of the list with its suggestions, and removes what it is told to', async () => {
    for (const path of ['src/app.ts', 'src/pay.ts']) await add(path);
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace });
    const { page, offences } = opened;
    await field(page).fill('user');
    await option(page, 'src/user-controller.ts').waitFor();
    // A click that another element would get fails.
    await page.getByRole('button', { name: 'Remove: src/app.ts' }).click({ delay: 300, timeout: 5_000 });
    await expect.poll(stored).toEqual(['src/pay.ts']);
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
    expect(offences).toEqual([]);
  });

  it('calls the active document so, which is never sent twice', async () => {
    for (const path of ['src/app.ts', 'src/pay.ts']) await add(path);
    const params = { file: 'src/app.ts' };
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace, params });
    const { page } = opened;
    await rowOf(page, 'src/app.ts').getByText('active document').waitFor();
    await rowOf(page, 'src/pay.ts').getByText('tokens').waitFor();
    expect(await rowOf(page, 'src/app.ts').innerText()).not.toContain('counted above');
  });

  it('moves by keys and buttons, keeps the focus, and says when somebody else was faster', async () => {
    for (const path of ['src/app.ts', 'src/pay.ts', 'docs/guide.md']) await add(path);
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace });
    const { page, offences } = opened;
    await page.getByRole('button', { name: 'Move up: docs/guide.md' }).click();
    await expect.poll(() => order(page)).toEqual(['src/app.ts', 'docs/guide.md', 'src/pay.ts']);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await expect.poll(focused).toBe('Move up: docs/guide.md');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(stored).toEqual(['docs/guide.md', 'src/app.ts', 'src/pay.ts']);
    // It is the first now: there is only one way left.
    await expect.poll(focused).toBe('Move down: docs/guide.md');
    await page.route('**/v1/supplementary', async (route) => {
      if (route.request().method() === 'PUT') await add('src/user-controller.ts');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Move down: docs/guide.md' }).press('Enter');
    await page.getByText('The list was changed elsewhere').waitFor();
    await rowOf(page, 'src/user-controller.ts').waitFor();
    expect(await stored()).toEqual(['docs/guide.md', 'src/app.ts', 'src/pay.ts', 'src/user-controller.ts']);
    expect(offences).toEqual([]);
  });

  it('removes and clears, and puts back at the same place', async () => {
    for (const path of ['src/app.ts', 'src/pay.ts', 'docs/guide.md']) await add(path);
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace });
    const { page, offences } = opened;
    await page.getByRole('button', { name: 'Remove: src/pay.ts' }).click();
    await expect.poll(() => order(page)).toEqual(['src/app.ts', 'docs/guide.md']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => order(page)).toEqual(['src/app.ts', 'src/pay.ts', 'docs/guide.md']);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('Nothing is added').waitFor();
    await expect.poll(stored).toEqual([]);
    await add('src/user-controller.ts');
    await rowOf(page, 'src/user-controller.ts').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(stored).toEqual(['src/app.ts', 'src/pay.ts', 'docs/guide.md', 'src/user-controller.ts']);
    await expect.poll(() => order(page)).toHaveLength(4);
    expect(offences).toEqual([]);
  });

  it('SU-02 follows what others add, a policy that is written, and a file that goes', async () => {
    await add('src/pay.ts');
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace });
    const { page, offences } = opened;
    await rowOf(page, 'src/pay.ts').getByText('tokens').waitFor();
    await daemon.cli(['supplementary', 'add', '--directory', workspace, join(workspace, 'docs/guide.md')]);
    await rowOf(page, 'docs/guide.md').waitFor();
    write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: ["src/**"]\n');
    const why = rowOf(page, 'src/pay.ts').getByText('Not used: blocked by policy');
    await why.waitFor();
    expect(await why.getByRole('link', { name: 'Policy' }).getAttribute('href')).toContain('#/policy?');
    unlinkSync(join(workspace, 'docs/guide.md'));
    await rowOf(page, 'docs/guide.md').getByText('Not used: it is not there').waitFor();
    await page.getByText('2 items, 2 not used').waitFor();
    await expectAccessible(page);
    expect(offences).toEqual([]);
  });

  it('shows what a prompt costs, what is left out, and each content; a reload keeps all of it', async () => {
    await add('docs/guide.md');
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace });
    const { page, offences } = opened;
    await page.getByRole('combobox', { name: 'Active document' }).fill('app.ts');
    await page.getByRole('option').filter({ hasText: 'src/app.ts' }).click();
    await retrieved(page).getByRole('button', { name: 'src/pay.ts' }).waitFor();
    await page.getByLabel('Token budget').fill('14');
    await page.getByRole('radio', { name: 'Left out 1' }).check({ force: true });
    await page
      .getByRole('region', { name: 'Files that do not go with a prompt' })
      .getByText('tokens were left')
      .waitFor();
    await page.getByRole('radio', { name: 'Taken 1' }).check({ force: true });
    await retrieved(page).getByRole('button', { name: 'docs/guide.md' }).click();
    await page.getByRole('dialog').getByText('A cart is what a customer').waitFor();
    await expectAccessible(page);
    await page.reload();
    await page.getByRole('dialog').getByText('A cart is what a customer').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('of 14').waitFor();
    expect(await page.getByRole('combobox', { name: 'Active document' }).inputValue()).toBe('src/app.ts');
    expect(offences).toEqual([]);
  });

  it('S-11 shows hostile names as text, at every width and in both themes', async () => {
    const name = '<img src=x onerror=alert(1)>.md';
    const reversed = 'gpj\u202Emd.exe';
    write(name, '<script>alert(1)</script>', hostile);
    write(reversed, 'x'.repeat(1_000_000), hostile);
    const deep = `${'deep-'.repeat(40)}/`.repeat(5);
    for (const path of [name, reversed, `javascript:alert(1)`, `${deep}file.ts`]) await add(path, 'file', hostile);
    for (const [width, theme] of [
      [2560, 'light'],
      [320, 'dark'],
    ] as const) {
      await using opened = await openConsole(browser, daemon, {
        view: 'supplementary',
        directory: hostile,
        width,
        theme,
      });
      const { page, offences } = opened;
      await rows(page).getByText(name).waitFor();
      await rows(page).getByText(String.raw`gpj\u{202e}md.exe`).waitFor();
      await field(page).fill('img');
      await option(page, name).waitFor();
      await settled(page);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await retrieved(page).getByRole('button', { name: /gpj/u }).click();
      await page.getByRole('dialog').getByText('xxx').waitFor();
      await expectNoSidewaysScroll(page);
      expect(offences).toEqual([]);
    }
  });

  it('holds a thousand items, of which only those that are seen are in the page', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({ kind: 'file', path: `src/file-${index}.ts` }));
    mkdirSync(large, { recursive: true });
    await daemon.request('/v1/supplementary', { method: 'PUT', body: { mountedDirectory: large, items } });
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: large });
    const { page, offences } = opened;
    await page.getByText('1,000 items').waitFor();
    await rowOf(page, 'src/file-0.ts').waitFor();
    expect(await rows(page).count()).toBeLessThan(80);
    expect(offences).toEqual([]);
  });

  it('breaks a path before its last name rather than in it', async () => {
    const paths = [5, 10, 15, 20, 25].map((length) => `${'f'.repeat(length)}/architectures.md`);
    for (const path of paths) {
      write(path, 'x');
      await add(path);
    }
    await using opened = await openConsole(browser, daemon, {
      view: 'supplementary',
      directory: workspace,
      width: 390,
    });
    await rowOf(opened.page, paths[0] as string).waitFor();
    const names = opened.page.locator('.supplementary-row .file-path-name');
    expect(await names.evaluateAll((all) => all.map((name) => name.getClientRects().length))).toEqual([1, 1, 1, 1, 1]);
  });

  it('waits for nothing where the directory does not exist', async () => {
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: join(base, 'gone') });
    const { page, offences } = opened;
    await page.getByRole('alert').filter({ hasText: 'does not exist' }).waitFor();
    await settled(page);
    expect(offences).toEqual([]);
  });

  it('goes on to the next field from suggestions that scroll', async () => {
    for (let index = 0; index < 60; index += 1) write(`src/many/part-${index}.ts`, '');
    await using opened = await openConsole(browser, daemon, { view: 'supplementary', directory: workspace });
    const { page } = opened;
    await field(page).fill('part');
    const suggestions = page.getByRole('listbox', { name: 'Add a file or folder: suggestions' }).locator('..');
    await expect.poll(() => suggestions.evaluate((box) => box.scrollHeight > box.clientHeight)).toBe(true);
    await page.keyboard.press('Tab');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Read the files again');
  });

  it('keeps what it showed when the daemon is started again, and shows the same by its address', async () => {
    const state = join(base, 'state');
    const first = await startDaemon({ stateDirectory: state, grantRoots: [base] });
    await first.request('/v1/supplementary', {
      body: { mountedDirectory: workspace, kind: 'file', path: 'src/app.ts' },
    });
    await using opened = await openConsole(browser, first, { directory: workspace });
    const { page, offences } = opened;
    await goTo(page, 'supplementary', { dir: workspace, file: 'src/app.ts', budget: '77' });
    await rowOf(page, 'src/app.ts').waitFor();
    first.process.child.kill('SIGKILL');
    await page.getByRole('alert').filter({ hasText: 'last known state' }).waitFor();
    await rowOf(page, 'src/app.ts').waitFor();
    await first.stop();
    await using second = await startDaemon({
      stateDirectory: state,
      grantRoots: [base],
      args: ['--port', String(first.port)],
    });
    await second.request('/v1/supplementary', { body: { mountedDirectory: workspace, kind: 'folder', path: 'docs' } });
    await sawRestart(page);
    await rowOf(page, 'src/app.ts').waitFor();
    await using again = await openConsole(browser, second, { directory: workspace });
    await goTo(again.page, 'supplementary', { dir: workspace, file: 'src/app.ts', budget: '77' });
    await rowOf(again.page, 'docs/').waitFor();
    await again.page.getByText('of 77').waitFor();
    expect(offences.filter((each) => !each.includes('ERR_'))).toEqual([]);
  });
});
