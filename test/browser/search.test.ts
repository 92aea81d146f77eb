import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { writeSmallModel } from '../support/model/model-directory.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
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

const write = (path: string, content: string, root = workspace) => writeTree(root, { [path]: content });

const rule = (description: string, text: string) => `---\ntrigger: agent\ndescription: ${description}\n---\n${text}\n`;

beforeAll(async () => {
  [browser, daemon] = await Promise.all([launchBrowser(), startDaemon({ grantRoots: [base] })]);
  const settings = { search: { preset: 'conservative', mode: 'keyword', topN: 1 } };
  const rules = [{ name: 'reviewing', text: 'Errors first.', description: 'How errors are reviewed' }];
  const references = [{ name: 'terms', text: 'An error is a mistake.' }];
  await daemon.request('/v1/agents/reviewer', {
    method: 'PUT',
    body: { name: 'Reviewer', settings, rules, references },
  });
});

beforeEach(() => {
  rmSync(workspace, { recursive: true, force: true });
  write('.context/errors.md', rule('How errors are wrapped', 'Wrap errors with a cause. Report each error once.'));
  write('.context/retries.md', rule('Retries of calls', 'Retry twice. Errors of the caller are never retried.'));
  write('.context/style.md', rule('How code is formatted', 'Two spaces. No tabs.'));
});

afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});

const query = (page: Page) => page.getByRole('searchbox', { name: 'Query' });
const rows = (page: Page) => page.getByRole('region', { name: 'Matching items' }).getByRole('listitem');
const slider = (page: Page, name: string) => page.getByRole('slider', { name: new RegExp(name, 'u') });
const chosen = (page: Page) =>
  page.getByRole('group', { name: 'How much is selected' }).locator('label:has(:checked)').innerText();
/** Names above and below the line. */
const sides = async (page: Page) => {
  const texts = await rows(page).evaluateAll((all) => all.map((row) => row.querySelector('strong')?.textContent ?? ''));
  const at = texts.findIndex((text) => /^(?:Selected above|Nothing is selected)$/u.test(text));
  return [texts.slice(0, at), texts.slice(at + 1)];
};
const open = (params: Record<string, string> = {}, more = {}) =>
  openConsole(browser, daemon, { view: 'search', directory: workspace, params, ...more });

describe('the search view', () => {
  it('SS-05 shows what is selected, the line, and what falls below it, while typing', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    await page.getByText('Ask something').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('/');
    await page.keyboard.type('how are errors wrapped?');
    await expect.poll(() => sides(page)).toEqual([['errors'], ['retries']]);
    const first = rows(page).first();
    expect(await first.locator('mark').allInnerTexts()).toEqual(expect.arrayContaining(['errors', 'wrapped', 'Wrap']));
    expect(await first.getByRole('link').getAttribute('href')).toContain('explain=');
    await rows(page)
      .last()
      .getByText(/^Not selected: the score, [\d.]+, is [\d.]+ below [\d.]+/u)
      .waitFor();
    await page.getByText('1 of 2 selected · keyword').waitFor();
    await query(page).fill('zebra');
    await page.getByText('Nothing matches').waitFor();
    expect(offences).toEqual([]);
  });

  it('SS-06 a slider leaves the preset, a preset sets the sliders, and a reload keeps both', async () => {
    await using opened = await open({ q: 'errors', min: '0.1' });
    const { page, offences } = opened;
    await expect.poll(() => sides(page)).toEqual([['errors', 'retries'], []]);
    await slider(page, 'topN').fill('1');
    await expect.poll(() => sides(page)).toEqual([['errors'], ['retries']]);
    await rows(page).getByText('the best 1 are selected').waitFor();
    expect(await chosen(page)).toBe('Custom');
    await page.reload();
    await expect.poll(() => sides(page)).toEqual([['errors'], ['retries']]);
    expect(await chosen(page)).toBe('Custom');
    await page.getByRole('radio', { name: 'Aggressive' }).check({ force: true });
    await expect.poll(() => slider(page, 'topN').inputValue()).toBe('10');
    expect(await slider(page, 'includeScore').inputValue()).toBe('0.6');
    expect(await slider(page, 'topK').inputValue()).toBe('40');
    expect(page.url()).toContain('preset=aggressive');
    expect(page.url()).not.toContain('topN');
    await slider(page, 'minScore').fill('1');
    await rows(page).getByText('Nothing is selected. Selected would be the best 10, and all').waitFor();
    expect(offences).toEqual([]);
  });

  it('SS-06 searches the items of an agent as its settings say, and the kinds that are chosen', async () => {
    await using opened = await open({ q: 'error' });
    const { page, offences } = opened;
    await page.getByRole('combobox', { name: 'Search in' }).selectOption('reviewer');
    await expect.poll(() => sides(page)).toEqual([[expect.any(String)], [expect.any(String)]]);
    // Other items may be there already, of the same number.
    await expect.poll(() => chosen(page)).toBe('Agent’s');
    expect(await slider(page, 'topN').inputValue()).toBe('1');
    expect(await page.getByRole('radio', { name: 'Keyword' }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: 'Rules' }).uncheck();
    await page.getByRole('checkbox', { name: 'Tools' }).uncheck();
    await expect.poll(() => sides(page)).toEqual([['terms'], []]);
    // Results of the request before look the same, and are paler.
    await settled(page);
    await expectAccessible(page);
    expect(offences).toEqual([]);
  });

  it('SS-07 says that only words were compared, and which command helps', async () => {
    await using opened = await open({ q: 'errors' });
    const { page, offences } = opened;
    await page.getByText(`contextd warm ${workspace}`).waitFor();
    expect(await page.getByRole('status').getByRole('link', { name: 'Status' }).getAttribute('href')).toContain(
      '#/status',
    );
    await page.getByRole('radio', { name: 'Keyword' }).check({ force: true });
    await page.getByText('Not searched by meaning').waitFor({ state: 'detached' });
    expect(offences).toEqual([]);
  });

  it('SS-07 searches by meaning when there is a model, and asks again when it is ready', async () => {
    const model = join(base, 'model');
    writeSmallModel(model);
    await using withModel = await startDaemon({ grantRoots: [base], args: ['--model-dir', model] });
    const params = { q: 'errors', mode: 'semantic', min: '0' };
    await using opened = await openConsole(browser, withModel, { view: 'search', directory: workspace, params });
    const { page, offences } = opened;
    await page.getByText(/of 3 selected · semantic/u).waitFor();
    const [above = [], below = []] = await sides(page);
    expect([...above, ...below].sort()).toEqual(['errors', 'retries', 'style']);
    expect(above).toContain('errors');
    await page.getByText('Not searched by meaning').waitFor({ state: 'detached' });
    const least = page.locator('.slider').filter({ has: slider(page, 'minScore') });
    await expect.poll(() => least.getByRole('status').innerText()).toBe('0.00');
    await page.getByRole('radio', { name: 'Conservative' }).check({ force: true });
    await rows(page).getByText('none that does not stand out').waitFor();
    // The number of a preset is no similarity.
    await expect.poll(() => least.getByRole('status').innerText()).toBe('–');
    await slider(page, 'topN').fill('2');
    await rows(page).getByText('the best 2, and all with a score of 0.80 or more, but none that').waitFor();
    expect(await chosen(page)).toBe('Custom');
    await page.getByRole('radio', { name: 'Keyword' }).check({ force: true });
    await rows(page).getByText('the best 2, and all with a score of 0.80 or more, but none below 0.65').waitFor();
    expect(offences).toEqual([]);
  });

  it('follows the files, and shows the answer to the newest question', async () => {
    await using opened = await open({ q: 'errors' });
    const { page, offences } = opened;
    await expect.poll(() => sides(page)).toEqual([['errors'], ['retries']]);
    write('.context/causes.md', rule('Causes of errors', 'Errors have causes.'));
    await expect.poll(async () => (await sides(page)).flat()).toContain('causes');
    rmSync(join(workspace, '.context/errors.md'));
    await expect.poll(async () => (await sides(page)).flat()).not.toContain('errors');
    let held = 0;
    await page.route('**/v1/search', async (route) => {
      if (route.request().postDataJSON().query === 'retry') {
        held += 1;
        await new Promise((resolve) => setTimeout(resolve, 600));
      }
      await route.continue().catch(() => {});
    });
    await query(page).fill('retry');
    await expect.poll(() => held).toBe(1);
    await query(page).fill('spaces');
    await expect.poll(() => sides(page)).toEqual([['style'], []]);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await sides(page)).toEqual([['style'], []]);
    expect(offences).toEqual([]);
  });

  it('S-11 shows hostile names and texts as text, at every width and in both themes', async () => {
    write(
      '.context/<img src=x onerror=alert(1)>.md',
      rule('"<b>errors</b>"', 'errors </p><script>alert(1)</script>'),
      hostile,
    );
    write('.context/a\u202Eb.md', rule('errors', `javascript:alert(1) ${'errors'.repeat(400)}`), hostile);
    const places = [
      [2560, 'light'],
      [320, 'dark'],
    ] as const;
    for (const [width, theme] of places) {
      await using opened = await open({ q: 'errors <script>' }, { directory: hostile, width, theme });
      const { page, offences } = opened;
      await rows(page).getByText('</p><').waitFor();
      await settled(page);
      expect((await sides(page)).flat()).toEqual(expect.arrayContaining([String.raw`a\u{202e}b`]));
      expect(await page.locator('main script, main img, main b').count()).toBe(0);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      expect(offences).toEqual([]);
    }
  });

  it('keeps what it showed when the daemon is started again, and shows the same by its address', async () => {
    const state = join(base, 'state');
    const first = await startDaemon({ stateDirectory: state, grantRoots: [base] });
    const params = { q: 'errors', topN: '1' };
    await using opened = await openConsole(browser, first, { view: 'search', directory: workspace, params });
    const { page, offences } = opened;
    await expect.poll(() => sides(page)).toEqual([['errors'], ['retries']]);
    first.process.child.kill('SIGKILL');
    await page.getByRole('alert').filter({ hasText: 'last known state' }).waitFor();
    expect(await sides(page)).toEqual([['errors'], ['retries']]);
    await first.stop();
    rmSync(join(workspace, '.context/errors.md'));
    await using second = await startDaemon({
      stateDirectory: state,
      grantRoots: [base],
      args: ['--port', String(first.port)],
    });
    await sawRestart(page);
    expect(await sides(page)).toEqual([['errors'], ['retries']]);
    await using again = await openConsole(browser, second, { view: 'search', directory: workspace, params });
    await expect.poll(() => sides(again.page)).toEqual([['retries'], []]);
    expect(offences.filter((each) => !each.includes('ERR_'))).toEqual([]);
  });
});
