import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  fetchHeld,
  launchBrowser,
  openConsole,
  sawRestart,
  settled,
} from './console-page.ts';

let browser: Browser;
let daemon: TestDaemon;
let stateDirectory: string;
const base = temporaryDirectory();
let workspace: string;
let run = 0;

const rootText = '# Ours\nai_context_policy: allow\nexclude:\n  - "secrets/**"\n';
const tree: Record<string, string> = {
  '.ai-context-policy.yaml': rootText,
  'services/.ai-context-policy.yaml': 'ai_context_policy: block\nexclude:\n  - README.md\n  - "**/*.public.ts"\n',
  'services/pay/.ai-context-policy.yml': 'ai_context_policy: maybe\n',
  'services/README.md': 'x',
  'services/pay/ledger.ts': 'x',
  'secrets/prices.md': 'x',
  'src/app.ts': 'x',
  'src/schema.sql': 'x',
  'docs/plan.md': 'x',
};

const write = (path: string, text: string) => writeTree(workspace, { [path]: text });
const read = (path: string) => readFileSync(join(workspace, path), 'utf8');

beforeAll(async () => {
  stateDirectory = join(base, 'state');
  [browser, daemon] = await Promise.all([
    launchBrowser(),
    startDaemon({ grantRoots: [base], stateDirectory, args: ['--offline'], env: { HOME: base } }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});
beforeEach(() => {
  run += 1;
  workspace = join(base, `shop-${run}`);
  for (const [path, text] of Object.entries(tree)) write(path, text);
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const open = (params: Record<string, string> = {}, more: { width?: number; theme?: 'light' | 'dark' } = {}) =>
  openConsole(browser, daemon, { view: 'policy', directory: workspace, params, ...more });
const editor = (page: Page) => page.getByRole('textbox', { name: /^Text of the policy/u });
const policies = (page: Page) => page.getByRole('list', { name: 'Policies', exact: true }).getByRole('button');
const newPolicies = (page: Page) => page.getByRole('list', { name: 'New policies, not saved' }).getByRole('button');
const figure = (page: Page, name: string) =>
  page
    .locator('.policy-figure')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
/** Lines as a person sees them. */
const shownText = async (page: Page) => (await editor(page).locator('.cm-line').allTextContents()).join('\n');
const retype = async (page: Page, text: string) => {
  await editor(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
};
/** In `docs`. */
const beginPolicy = async (page: Page) => {
  await page.getByRole('combobox', { name: 'New policy in' }).fill('docs');
  await page.getByRole('option', { name: 'docs', exact: true }).click();
  await page.getByText('new, not saved', { exact: true }).waitFor();
};
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });

const toast = (page: Page, text: RegExp) =>
  page.locator('.toast').filter({ has: page.locator('p', { hasText: text }) });
const undoOf = (page: Page, text: RegExp) => toast(page, text).getByRole('button', { name: 'Undo' });
/** What is typed and not saved, as the tab keeps it. */
const drafts = (page: Page) => page.evaluate(() => sessionStorage.getItem('contextd-policy-drafts'));
/** What becomes of a request to remove a policy. */
const onRemoval = (page: Page, answer: (route: Route) => Promise<void>) =>
  page.route('**/v1/policy?*', (route) => (route.request().method() === 'DELETE' ? answer(route) : route.continue()));
const diskFailure = {
  status: 503,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    status: 503,
    code: 'unavailable',
    title: 'Unavailable',
    errors: [{ pointer: '/directory', message: 'The disk fails.' }],
  }),
};
const overload = {
  status: 503,
  contentType: 'application/problem+json',
  body: JSON.stringify({ status: 503, code: 'unavailable', title: 'Unavailable', detail: 'There is too much to do.' }),
};

/** Holds answered lists back, from `begin` to `end`; `count` says how many. */
function delayedLists(page: Page) {
  const ended = Promise.withResolvers<void>();
  const slow = {
    count: 0,
    begin: () =>
      page.route('**/v1/policy?*', async (route) => {
        if (route.request().method() !== 'GET') return route.continue();
        const response = await fetchHeld(route);
        slow.count += 1;
        await ended.promise;
        await route.fulfill({ response }).catch(() => {});
      }),
    end: async () => {
      ended.resolve();
      await page.unroute('**/v1/policy?*');
    },
  };
  return slow;
}

describe('the policies of a tree', () => {
  it('AP-03 shows which there are, what each says, and which decides instead of which', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    await expect.poll(() => policies(page).count()).toBe(3);
    const rows = await policies(page).allInnerTexts();
    expect(rows[0]).toMatch(/allow\s+1 exception, blocked\s+version 1/iu);
    expect(rows[1]).toMatch(/services\s+block\s+2 exceptions, allowed[\s\S]*instead of \./iu);
    expect(rows[2]).toMatch(/services\/pay[\s\S]*cannot be used: blocks all[\s\S]*instead of services/iu);
    await policies(page).nth(2).click();
    const finding = page.getByRole('status', { name: 'Findings' });
    await finding.getByText(/must be "allow" or "block"/u).waitFor();
    await finding.getByRole('button', { name: 'Line 1, column 20' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('policy-text-field');
    expect(offences).toEqual([]);
  });

  it('SY-03 follows the files as they change, appear and go', async () => {
    await using opened = await open();
    const { page } = opened;
    await expect.poll(() => policies(page).count()).toBe(3);
    await settled(page);
    write('.ai-context-policy.yaml', '# Theirs\nai_context_policy: block\n');
    await expect.poll(() => shownText(page)).toContain('# Theirs');
    await expect.poll(() => figure(page, 'allowed').innerText()).toBe('1');
    rmSync(join(workspace, 'services/pay/.ai-context-policy.yml'));
    await expect.poll(() => policies(page).count()).toBe(2);
    rmSync(join(workspace, '.ai-context-policy.yaml'));
    await expect.poll(() => policies(page).count()).toBe(1);
  });

  it('AP-07 checks a path, says which line decides, and goes there', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    const field = page.getByRole('combobox', { name: 'May an AI system see this file?' });
    await field.fill('prices');
    await page.getByRole('option', { name: 'secrets/prices.md' }).click();
    const panel = page.getByRole('region', { name: 'Check a path' });
    await panel.getByText('blocked', { exact: true }).waitFor();
    await page.reload();
    await panel.getByText('blocked', { exact: true }).waitFor();
    await field.fill('.mcp.json');
    await field.press('Enter');
    await panel.getByText('a configuration, never delivered: .mcp.json').waitFor();
    await field.fill('services/x.public.ts');
    await field.press('Enter');
    await panel.getByText('allowed', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'services/.ai-context-policy.yaml, line 4' }).click();
    await page.getByRole('heading', { level: 2, name: 'services/.ai-context-policy.yaml' }).waitFor();
    await expect
      .poll(() => page.locator('.cm-focused .cm-activeLine').allTextContents())
      .toEqual(['  - "**/*.public.ts"']);
    expect(offences).toEqual([]);
  });

  it('AP-03 says which policy above decides where there is none', async () => {
    const below = join(workspace, 'docs');
    await using opened = await openConsole(browser, daemon, { view: 'policy', directory: below });
    const { page, offences } = opened;
    const decides = page.getByText(/(policy|default of the daemon) .*decides/u);
    await page.getByText(`The policy ${join(workspace, '.ai-context-policy.yaml')} decides`).waitFor();
    // Nothing is claimed before that is known, nor if it cannot be known.
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/policy/check', async (route) => {
      asked.resolve();
      await held.promise;
      await route.fulfill(overload);
    });
    await page.reload();
    await page.getByText('There is no policy here').waitFor();
    await asked.promise;
    expect(await decides.count()).toBe(0);
    held.resolve();
    await page.getByText('There is too much to do.').waitFor();
    expect(await decides.count()).toBe(0);
    expect(offences).toEqual([]);
  });

  it('says what to do where there is no policy, and begins one in a directory that is suggested', async () => {
    for (const path of Object.keys(tree).filter((each) => each.includes('.ai-context-policy')))
      rmSync(join(workspace, path));
    await using opened = await open();
    const { page, offences } = opened;
    await page.getByText('There is no policy here').waitFor();
    const field = page.getByRole('combobox', { name: 'New policy in' });
    await field.fill('serv');
    await page.getByRole('option', { name: 'services', exact: true }).click();
    await page.getByText('new, not saved', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('new, not saved', { exact: true }).waitFor();
    await retype(page, 'ai_context_policy: block\n');
    await expect.poll(() => figure(page, 'newly blocked').innerText()).toBe('2');
    await save(page).click();
    await page.getByText('saved', { exact: true }).waitFor();
    expect(read('services/.ai-context-policy.yaml')).toBe('ai_context_policy: block\n');
    await expect.poll(() => policies(page).count()).toBe(1);
    // The list still tells of the file when it is gone.
    const slow = delayedLists(page);
    await slow.begin();
    const held = slow.count;
    await page.getByRole('button', { name: 'Read the files again' }).click();
    await expect.poll(() => slow.count).toBeGreaterThan(held);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('new, not saved', { exact: true }).waitFor();
    await expect.poll(() => existsSync(join(workspace, 'services/.ai-context-policy.yaml'))).toBe(false);
    // What is typed meanwhile is no conflict with a file that is gone.
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('a');
    await page.keyboard.press('Backspace');
    let lists = 0;
    page.on('response', (response) => {
      if (response.request().method() === 'GET' && response.url().includes('/v1/policy?')) lists += 1;
    });
    await slow.end();
    // The one that was held back, and another that was asked for later.
    await expect.poll(() => lists).toBeGreaterThanOrEqual(2);
    await settled(page);
    await page.getByText('There is no policy here').waitFor();
    await newPolicies(page).waitFor();
    // What was typed is still there.
    expect(await shownText(page)).toBe('ai_context_policy: block\n');
    await page.getByText('new, not saved', { exact: true }).waitFor();
    expect(offences).toEqual([]);
  });

  it('keeps what was typed after a new policy was saved when that is taken back, and when it cannot be', async () => {
    const path = 'docs/.ai-context-policy.yaml';
    await using opened = await open();
    const { page, offences } = opened;
    await beginPolicy(page);
    for (const isOthers of [false, true]) {
      await retype(page, 'ai_context_policy: block\n');
      await save(page).click();
      await page.getByText('saved', { exact: true }).waitFor();
      await editor(page).click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('# more');
      if (isOthers) write(path, '# theirs\n');
      const undo = page.getByRole('button', { name: 'Undo' });
      await undo.click();
      await undo.waitFor({ state: 'detached' });
      if (isOthers) await page.getByRole('region', { name: 'Conflict' }).getByText('# theirs').waitFor();
      else {
        await page.getByText('new, not saved', { exact: true }).waitFor();
        expect(existsSync(join(workspace, path))).toBe(false);
      }
      expect(await shownText(page)).toBe('ai_context_policy: block\n# more');
    }
    expect(read(path)).toBe('# theirs\n');
    expect(offences).toEqual([]);
  });

  for (const [what, answer] of [
    ['was lost', (route: Route) => route.abort()],
    ['was that the disk failed afterwards', (route: Route) => route.fulfill(diskFailure)],
  ] as const)
    it(`keeps what was saved when it was taken back or removed and the answer to that ${what}`, async () => {
      const text = 'ai_context_policy: block\n';
      const path = 'docs/.ai-context-policy.yaml';
      await using opened = await open();
      const { page, offences } = opened;
      await beginPolicy(page);
      await retype(page, text);
      await onRemoval(page, async (route) => {
        await fetchHeld(route);
        await answer(route);
      });
      for (const name of ['Undo', 'Remove this policy']) {
        await save(page).click();
        await page.getByText('saved', { exact: true }).waitFor();
        await page.getByRole('button', { name }).click();
        await newPolicies(page).waitFor();
        await page.getByText('new, not saved', { exact: true }).waitFor();
        expect(existsSync(join(workspace, path))).toBe(false);
        await expect.poll(() => shownText(page)).toBe(text);
      }
      // What was typed over it is there, too.
      await save(page).click();
      await page.getByText('saved', { exact: true }).waitFor();
      await retype(page, '# half done\n');
      await page.getByRole('button', { name: 'Remove this policy' }).click();
      const conflict = page.getByRole('region', { name: 'Conflict' });
      await conflict.getByText(/was removed/u).waitFor();
      expect(await shownText(page)).toBe('# half done\n');
      await undoOf(page, /^Kept your text/u).click();
      await page.getByText('new, not saved', { exact: true }).waitFor();
      await expect.poll(() => shownText(page)).toBe(text);
      expect(offences).toEqual([]);
    });

  it('shows a policy as it is when its removal did not arrive', async () => {
    const path = 'services/.ai-context-policy.yaml';
    const text = tree[path] as string;
    await using opened = await open({ path });
    const { page, offences } = opened;
    await onRemoval(page, (route) => route.abort());
    const lost = toast(page, /does not answer/u);
    await page.getByRole('button', { name: 'Remove this policy' }).click();
    await lost.waitFor();
    await lost.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => drafts(page)).toBe('[]');
    await page.getByText('saved', { exact: true }).waitFor();
    await expect.poll(() => shownText(page)).toBe(text);
    // What was typed over it is no conflict.
    await retype(page, '# half done\n');
    await page.getByRole('button', { name: 'Remove this policy' }).click();
    await lost.waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^not saved$/u })
      .waitFor();
    await expect.poll(() => save(page).isEnabled()).toBe(true);
    expect(await shownText(page)).toBe('# half done\n');
    expect(read(path)).toBe(text);
    expect(offences).toEqual([]);
  });

  it('leaves a policy as it is when there was too much to do to remove it', async () => {
    const path = 'services/.ai-context-policy.yaml';
    const text = tree[path] as string;
    await using opened = await open({ path });
    const { page } = opened;
    await expect.poll(() => shownText(page)).toBe(text);
    await settled(page);
    // No list says that it is still there.
    await page.route('**/v1/policy?*', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill(overload) : undefined,
    );
    await page.getByRole('button', { name: 'Remove this policy' }).click();
    await toast(page, /too much/u).waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    expect(await shownText(page)).toBe(text);
    expect(await newPolicies(page).count()).toBe(0);
    expect((await drafts(page)) ?? '').not.toContain('ai_context_policy');
  });

  it('keeps what is typed over a policy that somebody wrote where one was removed', async () => {
    const path = 'services/.ai-context-policy.yaml';
    const [theirs, typed] = ['# Theirs\nai_context_policy: block\n', '# Typed\nai_context_policy: block\n'];
    await using opened = await open({ path });
    const { page, offences } = opened;
    await expect.poll(() => shownText(page)).toBe(tree[path]);
    await page.getByRole('button', { name: 'Remove this policy' }).click();
    await page.getByText('There is no policy file here').waitFor();
    write(path, theirs);
    await page.getByRole('button', { name: 'Read the files again' }).click();
    await expect.poll(() => shownText(page)).toBe(theirs);
    await retype(page, typed);
    await undoOf(page, /^Removed/u).click();
    await toast(page, /^Kept your text/u).waitFor();
    expect(await shownText(page)).toBe(typed);
    expect(read(path)).toBe(theirs);
    // It is still about the version that it was typed over.
    expect(await page.getByRole('region', { name: 'Conflict' }).count()).toBe(0);
    await save(page).click();
    await expect.poll(() => read(path)).toBe(typed);
    expect(offences).toEqual([]);
  });

  it('shows a new policy as it is when taking it back did not arrive', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    await onRemoval(page, (route) => route.abort());
    await beginPolicy(page);
    await retype(page, 'ai_context_policy: block\n');
    await save(page).click();
    await undoOf(page, /^Saved/u).click();
    await toast(page, /does not answer/u).waitFor();
    await expect.poll(() => drafts(page)).toBe('[]');
    await page.getByText('saved', { exact: true }).waitFor();
    await expect.poll(() => shownText(page)).toBe('ai_context_policy: block\n');
    expect(read('docs/.ai-context-policy.yaml')).toBe('ai_context_policy: block\n');
    expect(offences).toEqual([]);
  });

  it('keeps the text of a policy that cannot be used, and is therefore not written again', async () => {
    const path = 'services/pay/.ai-context-policy.yml';
    const text = tree[path] as string;
    const usable = 'ai_context_policy: block\n';
    for (const typed of [undefined, '# half done\n']) {
      write(path, text);
      await using opened = await open({ path });
      const { page, offences } = opened;
      const undo = page.getByRole('button', { name: 'Undo' });
      await expect.poll(() => shownText(page)).toBe(text);
      if (typed !== undefined) await retype(page, typed);
      await page.getByRole('button', { name: 'Remove this policy' }).click();
      await page.getByText('There is no policy file here').waitFor();
      expect(existsSync(join(workspace, path))).toBe(false);
      await undo.click();
      await page.getByText('new, not saved', { exact: true }).waitFor();
      if (typed !== undefined) {
        await expect.poll(() => shownText(page)).toBe(typed);
        await undo.click();
      }
      await expect.poll(() => shownText(page)).toBe(text);
      expect(existsSync(join(workspace, path))).toBe(false);

      write(path, text);
      await page.getByRole('button', { name: 'Read the files again' }).click();
      await page.getByText('saved', { exact: true }).waitFor();
      await retype(page, usable);
      await save(page).click();
      await page.getByText('saved', { exact: true }).waitFor();
      if (typed !== undefined) await retype(page, typed);
      await undoOf(page, /^Saved/u).click();
      if (typed !== undefined) {
        await toast(page, /^Kept your text/u).waitFor();
        expect(await shownText(page)).toBe(typed);
        await undoOf(page, /^Kept your text/u).click();
      }
      await page
        .getByRole('status')
        .filter({ hasText: /^not saved$/u })
        .waitFor();
      await expect.poll(() => shownText(page)).toBe(text);
      expect(read(path)).toBe(usable);
      expect(offences).toEqual([]);
    }
  });

  it('shows a new policy of a directory that is named from ~, and what others change in it', async () => {
    await using opened = await openConsole(browser, daemon, { view: 'policy', directory: `~/shop-${run}` });
    const { page, offences } = opened;
    await expect.poll(() => policies(page).count()).toBe(3);
    await beginPolicy(page);
    await save(page).click();
    await page.getByText('saved', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 2, name: 'docs/.ai-context-policy.yaml', exact: true }).waitFor();
    await expect.poll(() => policies(page).count()).toBe(4);
    rmSync(join(workspace, 'docs/.ai-context-policy.yaml'));
    await expect.poll(() => policies(page).count()).toBe(3);
    expect(offences).toEqual([]);
  });

  for (const where of ['there', 'elsewhere'] as const)
    it(`SY-03 shows a policy that was taken back and that somebody else wrote again, to who is ${where}`, async () => {
      const path = 'docs/.ai-context-policy.yaml';
      const text = 'ai_context_policy: block\n';
      await using opened = await open();
      const { page, offences } = opened;
      await expect.poll(() => policies(page).count()).toBe(3);
      await beginPolicy(page);
      await retype(page, text);
      await save(page).click();
      await page.getByText('saved', { exact: true }).waitFor();
      await expect.poll(() => policies(page).count()).toBe(4);
      if (where === 'elsewhere') {
        await policies(page).nth(0).click();
        await page.getByRole('heading', { level: 2, name: '.ai-context-policy.yaml', exact: true }).waitFor();
      }
      await page.getByRole('button', { name: 'Undo' }).click();
      await newPolicies(page).waitFor();
      await expect.poll(() => policies(page).count()).toBe(3);
      await expect.poll(() => existsSync(join(workspace, path))).toBe(false);

      // Byte for byte the same, so that its version is the one that was removed.
      write(path, text);
      await page.getByRole('button', { name: 'Read the files again' }).click();
      await expect.poll(() => policies(page).count()).toBe(4);
      if (where === 'elsewhere') await policies(page).filter({ hasText: 'docs' }).click();
      await page.getByRole('heading', { level: 2, name: path }).waitFor();
      await page.getByText('saved', { exact: true }).waitFor();
      await expect.poll(() => shownText(page)).toBe(text);
      // Nothing of what was typed is left in the tab. As a text, so that a failure shows all of it.
      await expect.poll(() => drafts(page)).toBe('[]');
      await page.reload();
      await page.getByText('saved', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Remove this policy' }).click();
      await expect.poll(() => existsSync(join(workspace, path))).toBe(false);
      expect(offences).toEqual([]);
    });
});

it('the page of a test that ended while a policy was being removed leaves no draft for the next test', async () => {
  for (const path of Object.keys(tree).filter((each) => each.includes('.ai-context-policy'))) {
    await using opened = await open({ path });
    const { page } = opened;
    expect((await drafts(page)) ?? '[]').toBe('[]');
    await expect.poll(() => shownText(page)).toBe(tree[path]);
    await onRemoval(page, () => new Promise(() => {}));
    const asked = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.getByRole('button', { name: 'Remove this policy' }).click();
    await asked;
  }
});

describe('the editor', () => {
  it('AP-08 completes keys, values and paths, and says what is wrong while one types', async () => {
    await using opened = await open({ path: 'services/.ai-context-policy.yaml' });
    const { page, offences } = opened;
    const options = page.getByRole('listbox').getByRole('option');
    await retype(page, '');
    await page.keyboard.type('ai');
    await options.filter({ hasText: 'ai_context_policy' }).click();
    await options.filter({ hasText: /^allow/u }).click();
    await expect.poll(() => shownText(page)).toBe('ai_context_policy: allow');
    await page.keyboard.press('Enter');
    await page.keyboard.type('exc');
    await options.filter({ hasText: 'exclude' }).click();
    await expect.poll(() => shownText(page)).toContain('exclude:');
    await page.keyboard.type('ledg');
    const path = options.filter({ hasText: /^pay\/ledger\.ts/u });
    // While the list is made anew for what was typed, the editor takes no choice.
    const textAfterChoice = async () => {
      await path.click({ timeout: 1_000 }).catch(() => {});
      return shownText(page);
    };
    await expect.poll(textAfterChoice).toBe('ai_context_policy: allow\nexclude:\n  - "pay/ledger.ts"');
    await page.getByText('Nothing is wrong with this text.').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('version: 3');
    await page
      .getByRole('status', { name: 'Findings' })
      .getByText(/Line \d, column/u)
      .waitFor();
    await page.getByText('A text with this mistake cannot be saved.').waitFor();
    // The keyboard is not caught in the field.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).not.toBe('policy-text-field');
    expect(offences).toEqual([]);
  });

  it('AP-09 shows what would change before it is saved, saves, and takes it back', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    await expect.poll(() => figure(page, 'allowed').innerText()).toBe('4');
    await page.getByRole('radio', { name: 'Blocked 2' }).check();
    expect(
      await page.getByRole('region', { name: 'Files', exact: true }).getByRole('listitem').allInnerTexts(),
    ).toEqual([expect.stringMatching(/^blocked\s+secrets\/prices\.md/iu), expect.stringMatching(/^blocked/iu)]);
    await page.getByRole('radio', { name: /^Changes/u }).check();
    await retype(page, '# Ours, too\r\nai_context_policy: allow\nexclude:\n  - "src/*.sql"\n');
    await expect.poll(() => figure(page, 'newly allowed').innerText()).toBe('1');
    expect(await figure(page, 'newly blocked').innerText()).toBe('1');
    const files = page.getByRole('region', { name: 'Files that change' });
    expect(await files.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/newly allowed\s+secrets\/prices\.md[\s\S]*line 2/iu),
      expect.stringMatching(/newly blocked\s+src\/schema\.sql[\s\S]*line 4/iu),
    ]);
    expect(read('.ai-context-policy.yaml')).toBe(rootText);
    await page.getByRole('button', { name: 'Compare with the saved file' }).click();
    await page.getByRole('region', { name: 'Saved and typed text' }).getByText('# Ours, too').waitFor();
    await editor(page).focus();
    await page.keyboard.press('Control+s');
    await page.getByText('saved', { exact: true }).waitFor();
    const saved = '# Ours, too\nai_context_policy: allow\nexclude:\n  - "src/*.sql"\n';
    expect(read('.ai-context-policy.yaml')).toBe(saved);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => shownText(page)).toContain('secrets/**');
    expect(read('.ai-context-policy.yaml')).toBe(rootText);
    await page.getByRole('button', { name: 'Remove this policy' }).click();
    await expect.poll(() => existsSync(join(workspace, '.ai-context-policy.yaml'))).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => shownText(page)).toContain('secrets/**');
    expect(read('.ai-context-policy.yaml')).toBe(rootText);
    // What was typed and not saved comes back with the file.
    await retype(page, '# half done\n');
    await page.getByRole('button', { name: 'Remove this policy' }).click();
    await page.getByText('There is no policy file here').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: 'not saved' }).waitFor();
    await expect.poll(() => shownText(page)).toBe('# half done\n');
    expect(read('.ai-context-policy.yaml')).toBe(rootText);
    expect(offences).toEqual([]);
  });

  it('brings back what was discarded, and what was typed after that', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    const undo = page.getByRole('button', { name: 'Undo' });
    await retype(page, '# first\n');
    await page.getByRole('button', { name: 'Discard your text' }).click();
    await expect.poll(() => shownText(page)).toBe(rootText);
    await retype(page, '# second\n');
    for (const text of ['# first\n', '# second\n', '# first\n']) {
      await undo.click();
      await expect.poll(() => shownText(page)).toBe(text);
    }
    expect(read('.ai-context-policy.yaml')).toBe(rootText);
    expect(offences).toEqual([]);
  });

  it('AP-09 shows both versions when the file changes meanwhile, and loses neither', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    const mine = 'ai_context_policy: block\n';
    const conflict = page.getByRole('region', { name: 'Conflict' });
    await retype(page, mine);
    write('.ai-context-policy.yaml', 'ai_context_policy: allow # theirs\n');
    await conflict.getByText('ai_context_policy: allow # theirs').waitFor();
    await settled(page);
    await expectAccessible(page);
    expect(await shownText(page)).toBe(mine);
    expect(await save(page).isDisabled()).toBe(true);
    await conflict.getByRole('button', { name: 'Use the saved one' }).click();
    await expect.poll(() => shownText(page)).toContain('# theirs');
    await page.getByRole('button', { name: 'Undo' }).click();
    await conflict.waitFor();
    await expect.poll(() => shownText(page)).toBe(mine);
    await conflict.getByRole('button', { name: 'Continue editing mine' }).click();
    await conflict.waitFor({ state: 'detached' });
    write('.ai-context-policy.yaml', 'ai_context_policy: allow # theirs again\n');
    await conflict.getByText('# theirs again').waitFor();
    await conflict.getByRole('button', { name: /^Save mine/u }).click();
    await page.getByText('saved', { exact: true }).waitFor();
    expect(read('.ai-context-policy.yaml')).toBe(mine);

    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# more');
    rmSync(join(workspace, '.ai-context-policy.yaml'));
    await conflict.getByText(/was removed/u).waitFor();
    await conflict.getByRole('button', { name: 'Save mine again' }).click();
    await page.getByText('saved', { exact: true }).waitFor();
    expect(read('.ai-context-policy.yaml')).toBe(`${mine}# more`);
    expect(offences).toEqual([]);
  });

  it('SY-03 keeps what is typed over a reload of the page, and to be copied when the daemon was started again', async () => {
    await using opened = await open({ path: 'services/.ai-context-policy.yaml' });
    const { page, offences } = opened;
    const typed = '# half done\nai_context_policy: allow\n';
    await retype(page, typed);
    await page.reload();
    await expect.poll(() => shownText(page)).toBe(typed);
    const { port } = daemon;
    await daemon.stop();
    await page.getByRole('alert').filter({ hasText: 'last known state' }).waitFor();
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# while it was away');
    write('services/.ai-context-policy.yaml', 'ai_context_policy: block # meanwhile\n');
    daemon = await startDaemon({ grantRoots: [base], stateDirectory, args: ['--offline', '--port', String(port)] });
    await sawRestart(page);
    expect(await shownText(page)).toBe(`${typed}# while it was away`);
    expect(read('services/.ai-context-policy.yaml')).toBe('ai_context_policy: block # meanwhile\n');
    expect(offences).toEqual([]);
  });
});

describe('in every light', () => {
  it('S-11 hostile names and texts are shown as text', async () => {
    const bad = '<img src=x onerror=alert(1)>\u202Egnp';
    write(
      `${bad}/.ai-context-policy.yaml`,
      `ai_context_policy: allow\nexclude:\n  - "${bad}\\u0007"\n# ${'y'.repeat(50_000)}\n`,
    );
    write(`${bad}/javascript:alert(1)`, 'x');
    await using opened = await open({ path: `${bad}/.ai-context-policy.yaml`, check: `${bad}/javascript:alert(1)` });
    const { page, offences } = opened;
    await expect.poll(() => policies(page).count()).toBe(4);
    await page.getByRole('region', { name: 'Check a path' }).getByText('allowed', { exact: true }).waitFor();
    await settled(page);
    expect(await page.locator('img[src]').count()).toBe(0);
    expect(await page.getByText('\\u{202e}gnp').count()).toBeGreaterThan(0);
    expect(await page.locator('main').innerText()).not.toContain('\u202E');
    await expectNoSidewaysScroll(page);
    expect(offences).toEqual([]);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`has no barriers, ${theme}, narrow and wide`, async () => {
      await using opened = await open({ check: 'secrets/prices.md' }, { width: 320, theme });
      const { page, offences } = opened;
      await page.getByText('Nothing is wrong with this text.').waitFor();
      await page.getByRole('region', { name: 'Check a path' }).getByText('blocked', { exact: true }).waitFor();
      await settled(page);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await page.setViewportSize({ width: 2560, height: 1000 });
      await retype(page, 'exclude: [\n');
      await page.getByText('A text with this mistake cannot be saved.').waitFor();
      await settled(page);
      await expectAccessible(page);
      expect(offences).toEqual([]);
    });
});
