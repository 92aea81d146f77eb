import { mkdirSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
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
const workspace = join(base, 'orchard');
const large = join(base, 'large');
const outside = join(temporaryDirectory(), "it's outside");

const write = (path: string, content: string, root = workspace) => writeTree(root, { [path]: content });

const rule = (body: string, front = 'trigger: always') => `---\n${front}\n---\n${body}\n`;

function writeWorkspace(): void {
  rmSync(workspace, { recursive: true, force: true });
  write('.context/style.md', rule('Two spaces.', 'trigger: always\npriority: 100'));
  write('.context/typescript.md', rule('No enums.', 'trigger: auto\nglobs: "**/*.ts"'));
  write('.context/release.md', rule('Tag it first.', 'trigger: manual'));
  write('.context/versions.md', rule('Never break.', 'trigger: agent\ndescription: versions of endpoints'));
  write('.context/old.md', rule('Old.', 'trigger: always\ndisabled: true'));
  write('.context/broken.md', '---\ntrigger: [\n---\nBroken.\n');
  write('.context/context-config.json', '{"clientContext":{"excludeFiles":["drafts/**"]}}');
  write('.context/drafts/idea.md', 'An idea.');
  write('packages/server/.context/storage.md', rule('One writer.'));
  write('packages/server/src/store.ts', 'export {};\n');
}

beforeAll(async () => {
  writeWorkspace();
  mkdirSync(outside);
  [browser, daemon] = await Promise.all([launchBrowser(), startDaemon({ grantRoots: [base] })]);
});

beforeEach(writeWorkspace);

afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});

const rows = (page: Page) => page.getByRole('region', { name: 'Context files' }).getByRole('listitem');
const rowOf = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('button', { name, exact: true }) });

describe('the workspace view', () => {
  it('lets a granted directory be chosen where none is', async () => {
    await using opened = await openConsole(browser, daemon);
    const { page, offences } = opened;
    await expectAccessible(page);
    await page.getByRole('button', { name: base }).click();
    await page.getByRole('region', { name: 'Context', exact: true }).waitFor();
    expect(page.url()).toContain(`dir=${encodeURIComponent(base)}`);
    expect(offences).toEqual([]);
  });

  it('says the command that grants a directory, grants it, and takes that back', async () => {
    await using opened = await openConsole(browser, daemon, { directory: outside });
    const { page, offences } = opened;
    await page.getByText(`contextd roots grant '${outside.replace("'", String.raw`'\''`)}'`).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Grant it…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByText('No context file applies here').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('contextd may not read this directory').waitFor();
    expect(offences).toEqual([]);
  });

  it('shows what applies in its order, and how files, mentions, query, budget and scopes change it', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page, offences } = opened;
    await rowOf(page, 'style')
      .filter({ hasText: /Active.*always.*priority 100/u })
      .waitFor();
    await rowOf(page, 'typescript').filter({ hasText: 'Available' }).waitFor();

    await page.keyboard.press('/');
    // Answers to the beginning of the word make the list anew, which then has no choice.
    const isOfWord = (request: Request): boolean => request.postData()?.includes('"serstore"') === true;
    const answered = page.waitForResponse((response) => isOfWord(response.request()));
    await page.keyboard.type('serstore');
    await answered;
    await page.getByRole('option', { name: 'packages/server/src/store.ts' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'packages/server/src/store.ts', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await rowOf(page, 'typescript')
      .filter({ hasText: /Active.*matches \*\*\/\*\.ts/u })
      .waitFor();
    await rows(page).filter({ hasText: 'storage.md' }).filter({ hasText: 'Active' }).waitFor();

    await page.getByRole('combobox', { name: 'Mentions' }).fill('rel');
    await page.getByRole('option', { name: /^release/u }).click();
    await rowOf(page, 'release').filter({ hasText: 'mentioned' }).waitFor();

    await page.getByRole('textbox', { name: 'Query' }).fill('versions of endpoints');
    await rowOf(page, 'versions')
      .filter({ hasText: /fits the query \(\d\.\d\d\)/u })
      .waitFor();
    await page.getByText('Searched by words only').waitFor();

    await page.getByRole('spinbutton', { name: 'Token budget' }).fill('-5');
    await page.getByText('Not used: it must be a whole number from 0 to 100,000,000.').waitFor();
    await page.getByRole('spinbutton', { name: 'Token budget' }).fill('5');
    const budget = page.getByRole('region', { name: 'Budget' });
    await budget.getByText(/of 5 tokens$/u).waitFor();
    await budget.getByText(/^Did not fit:/u).waitFor();
    expect(page.url()).toContain('budget=5');

    await page.reload();
    await rowOf(page, 'style')
      .filter({ hasText: /does not fit: \d of 5 tokens were left/u })
      .waitFor();
    expect(await page.getByRole('textbox', { name: 'Query' }).inputValue()).toBe('versions of endpoints');
    await page.getByRole('button', { name: 'Remove packages/server/src/store.ts' }).click();
    await rowOf(page, 'typescript').filter({ hasText: 'Available' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove packages/server/src/store.ts' }).waitFor();

    await page.getByRole('button', { name: 'Dynamic', exact: true }).click();
    await rows(page).filter({ hasText: 'storage.md' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('scopes=global%2Cstatic');
    expect(offences).toEqual([]);
  });

  it('filters by state and path, and shows the text as the model gets it', async () => {
    await using opened = await openConsole(browser, daemon, {
      directory: workspace,
      params: { wd: 'packages/server', file: 'packages/server/src/store.ts' },
    });
    const { page, offences } = opened;
    await page.getByRole('radio', { name: 'As the model gets it' }).check();
    const text = page.getByRole('region', { name: 'The whole context' });
    await expect
      .poll(() => text.locator('pre').allTextContents(), { timeout: 10_000 })
      .toEqual(['Two spaces.', 'No enums.', 'One writer.']);
    await page.getByRole('radio', { name: 'Left out' }).check();
    await rows(page).filter({ hasText: 'old.md' }).filter({ hasText: 'disabled: true' }).waitFor();
    await rows(page).filter({ hasText: 'idea.md' }).filter({ hasText: 'excludeFiles' }).waitFor();
    await page.getByRole('radio', { name: 'All' }).check();
    await page.getByRole('searchbox', { name: 'Name or path' }).fill('STOR');
    await rowOf(page, 'style').waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'storage.md' }).waitFor();
    await page.getByRole('region', { name: 'Warnings' }).getByText('broken.md').waitFor();
    await page.getByRole('region', { name: 'Configuration' }).getByText('drafts/**').waitFor();
    expect(offences).toEqual([]);
  });

  it('explains files of the list, files left out, and any that is typed, and keeps that in the address', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page, offences } = opened;
    await page.getByRole('button', { name: 'style', exact: true }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('The model gets it: always').waitFor();
    await expect.poll(() => drawer.locator('pre').allTextContents(), { timeout: 10_000 }).toEqual(['Two spaces.']);
    await page.reload();
    await drawer.getByText('The model gets it: always').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('explain');

    await page.getByRole('button', { name: '.context/drafts/idea.md' }).click();
    await drawer.getByText(/^The model does not get it/u).waitFor();
    const steps = drawer.getByRole('region', { name: 'Steps' }).getByRole('listitem');
    await steps.filter({ hasText: 'excludeFiles' }).filter({ hasText: 'drafts/**' }).waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });

    await page.getByRole('combobox', { name: 'Explain a file' }).fill('/etc/passwd');
    await page.keyboard.press('Enter');
    await drawer.getByText('It lies outside the granted roots, so contextd does not read it.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'release', exact: true }).click();
    await drawer.getByRole('button', { name: 'Mention it' }).click();
    await drawer.getByText('The model gets it: mentioned').waitFor();
    await page.keyboard.press('Escape');

    write('.context/fees.md', rule('Secret.'));
    write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: [.context/fees.md]\n');
    await page.getByRole('button', { name: '.context/fees.md' }).click();
    await drawer.getByRole('link', { name: 'To the policy' }).click();
    const check = page.getByRole('region', { name: 'Check a path' });
    await check.getByRole('button', { name: '.ai-context-policy.yaml, line 2' }).waitFor();
    await page.goBack();
    const verdict = drawer.getByText(/^The model does not get it: blocked by policy/u);
    await verdict.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await verdict.evaluate((each) => each.clientWidth)).toBeGreaterThan(200);
    expect(offences).toEqual([]);
  });

  it('follows the files, and marks for a moment what became different', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page, offences } = opened;
    await rowOf(page, 'style').waitFor();
    // A mark goes after a moment: everything is waited for at once.
    const seen = Promise.all([
      rowOf(page, 'fresh').filter({ hasText: 'Active' }).waitFor(),
      rowOf(page, 'release').waitFor({ state: 'detached' }),
      rowOf(page, 'style').filter({ hasText: 'changed just now' }).waitFor(),
      page.getByRole('status').filter({ hasText: 'just now:' }).waitFor(),
    ]);
    write('.context/style.md', rule('Four spaces.'));
    write('.context/fresh.md', rule('New.'));
    unlinkSync(join(workspace, '.context/release.md'));
    await seen;
    write('.context/other.md', rule('Other.'));
    await rowOf(page, 'other').filter({ hasText: 'new just now' }).waitFor();
    expect(await rowOf(page, 'style').innerText()).toContain('changed just now');
    write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude:\n  - "**/fresh.md"\n');
    await rows(page).filter({ hasText: 'fresh.md' }).filter({ hasText: 'blocked by policy' }).waitFor();
    write('.context/context-config.json', '{"clientContext":{"excludeFiles":["style.md"]}}');
    await rows(page).filter({ hasText: 'style.md' }).filter({ hasText: 'Left out' }).waitFor();
    expect(offences).toEqual([]);
  });

  it('shows the same by its address after the daemon was started anew', async () => {
    const stateDirectory = join(temporaryDirectory(), 'state');
    await using first = await startDaemon({ grantRoots: [base], stateDirectory });
    await using opened = await openConsole(browser, first, {
      directory: workspace,
      params: { file: 'a.ts', explain: '.context/style.md' },
    });
    const { page } = opened;
    await page.getByText('The model gets it: always').waitFor();
    first.process.child.kill('SIGKILL');
    await first.process.exited;
    await page.getByRole('alert').filter({ hasText: 'last known state' }).waitFor();
    await using second = await startDaemon({
      grantRoots: [base],
      stateDirectory,
      args: ['--port', String(first.port)],
    });
    await sawRestart(page);
    await page.getByText('The model gets it: always').waitFor();
    write('.context/style.md', rule('Three spaces.'));
    await using again = await openConsole(browser, second, {
      directory: workspace,
      params: { file: 'a.ts', explain: '.context/style.md' },
    });
    await expect
      .poll(() => again.page.getByRole('dialog').locator('pre').allTextContents(), { timeout: 10_000 })
      .toEqual(['Three spaces.']);
    await again.page.getByRole('button', { name: 'Close' }).click();
    await rowOf(again.page, 'typescript').filter({ hasText: 'Active' }).waitFor();
    rmSync(dirname(stateDirectory), { recursive: true, force: true });
  });

  it('S-11 shows hostile names and texts as text', async () => {
    const names = ['<img src=x onerror=alert(1)>', 'javascript:alert(1)', 'a\u202Etxt.exe', 'b\u0007\u001B[31m'];
    for (const name of names) write(`.context/${name}.md`, rule(`<script>alert(1)</script>${'x'.repeat(1_000_000)}`));
    write(`${'long-folder-name/'.repeat(40)}.context/deep.md`, rule('Deep.'));
    await using opened = await openConsole(browser, daemon, {
      directory: workspace,
      params: { file: names[0] as string, mention: names[2] as string, wd: 'long-folder-name/'.repeat(40) },
      width: 320,
    });
    const { page, offences } = opened;
    await page.getByRole('button', { name: 'javascript:alert(1)', exact: true }).waitFor();
    await page.getByRole('button', { name: String.raw`b\u{7}\u{1b}[31m`, exact: true }).waitFor();
    await page.getByRole('button', { name: '<img src=x onerror=alert(1)>', exact: true }).click();
    await page.getByRole('dialog').locator('pre').first().getByText('<script>alert(1)</script>').waitFor();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    expect(await page.locator('main img, dialog img').count()).toBe(0);
    expect(offences).toEqual([]);
  });

  it('goes to the beginning of many warnings', async () => {
    for (let n = 0; n < 40; n += 1) write(`.context/broken-${n}.md`, '---\ntrigger: [\n---\nBroken.\n');
    await using opened = await openConsole(browser, daemon, { directory: workspace });
    const { page, offences } = opened;
    await page.getByRole('button', { name: '41 warnings' }).click();
    const top = () =>
      page.getByRole('heading', { name: 'Warnings' }).evaluate((each) => each.getBoundingClientRect().top);
    const bar = await page.getByRole('banner').evaluate((each) => each.getBoundingClientRect().bottom);
    await expect.poll(top).toBeGreaterThanOrEqual(bar);
    expect(await top()).toBeLessThan(bar + 100);
    expect(offences).toEqual([]);
  });

  it('holds two thousand files with few of them in the page', async () => {
    for (let n = 0; n < 2_000; n += 1)
      write(`.context/rule-${String(n).padStart(4, '0')}.md`, rule(`Rule ${n}.`), large);
    await using opened = await openConsole(browser, daemon, { directory: large });
    const { page, offences } = opened;
    await rowOf(page, 'rule-0000').waitFor();
    await page.getByText('All 2,000').waitFor();
    expect(await rows(page).count()).toBeLessThan(60);
    await page.getByRole('region', { name: 'Context files' }).focus();
    await page.keyboard.press('End');
    await rowOf(page, 'rule-1999').waitFor();
    await page.getByRole('radio', { name: 'As the model gets it' }).check();
    await page.getByRole('region', { name: 'The whole context' }).getByText('Rule 0.').waitFor();
    expect(await page.locator('.virtual-list-row').count()).toBeLessThan(60);
    expect(offences).toEqual([]);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`has no barriers with everything in it, ${theme}`, async () => {
      await using opened = await openConsole(browser, daemon, {
        directory: workspace,
        params: {
          file: 'packages/server/src/store.ts',
          mention: 'nobody',
          query: 'versions of endpoints',
          budget: '9',
        },
        theme,
        width: theme === 'light' ? 1500 : 320,
      });
      await rows(opened.page).first().waitFor();
      await settled(opened.page);
      await expectAccessible(opened.page);
      await expectNoSidewaysScroll(opened.page);
      expect(opened.offences).toEqual([]);
    });
});
