/** The status of the daemon in the console: figures, search, roots, tokens and events, live. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
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
const workspace = temporaryDirectory();
const other = temporaryDirectory();
const state = temporaryDirectory();
const args = ['--offline'];

const writeRule = (name: string, text: string) => writeFileSync(join(workspace, '.context', name), text);
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const open = (more: object = {}) => openConsole(browser, daemon, { view: 'status', directory: workspace, ...more });

beforeAll(async () => {
  mkdirSync(join(workspace, '.context'), { recursive: true });
  writeRule('style.rule.md', '---\ntrigger: always\n---\nTwo spaces.\n');
  [browser, daemon] = await Promise.all([
    launchBrowser(),
    startDaemon({ grantRoots: [workspace], stateDirectory: state, args }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});

async function watchedDirectories(): Promise<number> {
  const { body } = await daemon.request('/v1/status');
  return (body as { watching: { directories: number } }).watching.directories;
}

describe('the status in the console', () => {
  it('SY-01 shows figures that go on by themselves, and where the API is described', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    const figures = page.getByRole('region', { name: 'Figures' });
    const requests = figures.getByText('Requests', { exact: true }).locator('..').locator('.status-value');
    const before = Number((await requests.innerText()).replaceAll(',', ''));
    await expect
      .poll(async () => Number((await requests.innerText()).replaceAll(',', '')), { timeout: 10_000 })
      .toBeGreaterThan(before);
    await figures
      .getByRole('img', { name: 'Memory since the view was opened' })
      .locator('polyline')
      .waitFor({ state: 'attached' });
    await panel(page, 'Daemon').getByText(String(daemon.process.child.pid), { exact: false }).first().waitFor();
    const pages = panel(page, 'Daemon').getByRole('link');
    for (const path of ['/docs', '/openapi.json']) {
      expect(await pages.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toContain(path);
      expect((await daemon.request(path)).status).toBe(200);
    }
    expect(offences).toEqual([]);
  });

  it('SS-04 says what getting ready would do before it does, and why it failed', async () => {
    await using opened = await open();
    const { page } = opened;
    const search = panel(page, 'Search by meaning');
    await search.getByText('not installed', { exact: true }).waitFor();
    await search.getByText(/downloads 24 MB from huggingface\.co, once/u).waitFor();
    await search.getByRole('button', { name: 'Download and index' }).click();
    await search.getByText('it is not downloaded', { exact: false }).waitFor();
    await search.getByText('not installed', { exact: true }).waitFor();
  });

  it('CC-33 grants a directory, takes the grant back, and takes that back', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    const roots = panel(page, 'Granted roots');
    await roots.getByText('granted when the daemon started', { exact: false }).waitFor();
    const field = roots.getByRole('combobox', { name: 'Grant a directory' });
    await field.fill(join(other, 'missing'));
    await roots.getByRole('button', { name: 'Grant', exact: true }).click();
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill(other);
    await field.press('Enter');
    const revoke = roots.getByRole('button', { name: `Revoke ${other}` });
    await revoke.click();
    await revoke.waitFor({ state: 'detached' });
    expect((await daemon.request('/v1/roots')).text).not.toContain(other);
    await page.getByRole('button', { name: 'Undo' }).click();
    await revoke.waitFor();
    // The same from elsewhere is seen, too.
    const path = `/v1/roots?${new URLSearchParams({ path: other })}`;
    expect(await daemon.request(path, { method: 'DELETE' })).toMatchObject({ status: 204 });
    await revoke.waitFor({ state: 'detached' });
    expect(offences).toEqual([]);
  });

  it('S-15 mints a token that is shown once, and revokes it after asking', async () => {
    await using opened = await open();
    const { page } = opened;
    const tokens = panel(page, 'Tokens of agents');
    await tokens.getByLabel('What it is for').fill('editor <b>plugin</b>');
    await tokens.getByRole('button', { name: 'Mint a token' }).click();
    const token = await tokens.getByRole('status').locator('code').innerText();
    const ask = () => daemon.request('/v1/agents', { headers: { authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    await page.reload();
    await tokens.getByText('editor <b>plugin</b>').waitFor();
    expect(await page.content()).not.toContain(token);
    await tokens.getByRole('button', { name: /Revoke the token/u }).click();
    const question = page.getByRole('dialog', { name: 'Revoke this token?' });
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Revoke' }).click();
    await tokens.getByText('editor <b>plugin</b>').waitFor({ state: 'detached' });
    expect((await ask()).status).toBe(401);
  });

  it('SY-03 S-11 lists events as they happen, by type, with their data, and holds still when it is told to', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    const log = panel(page, 'Events');
    // Whoever resolves wants to hear of changes.
    await daemon.request('/v1/context/resolve', { body: { mountedDirectory: workspace } });
    await expect.poll(watchedDirectories).toBeGreaterThan(0);
    const event = log.getByRole('button', { name: /context-changed.*<img src=x onerror=alert\(1\)>\\u\{202e\}gnp/u });
    // What is watched may be so for a page that was closed just now: this one may begin to listen later.
    let times = 0;
    const change = async () => {
      times += 1;
      writeRule('<img src=x onerror=alert(1)>\u202egnp.rule.md', `Hostile, ${times}.`);
      return event.count();
    };
    await expect.poll(change, { timeout: 20_000, interval: 200 }).toBeGreaterThan(0);
    await event.first().click();
    await log.getByText('"mountedDirectories"', { exact: false }).waitFor();
    await daemon.request('/v1/agents', { body: { id: 'keeper', name: 'Keeper', mountedDirectory: workspace } });
    await log.getByLabel('Which events').selectOption('context-changed');
    expect(page.url()).toContain('type=context-changed');
    await log.getByRole('button', { name: 'Pause' }).click();
    writeRule('later.rule.md', 'Later.');
    await log.getByText(/paused, [1-9]\d* more since/u).waitFor();
    expect(await log.getByText('later.rule.md').count()).toBe(0);
    await log.getByRole('button', { name: 'Pause' }).click();
    await log.getByText('later.rule.md').first().waitFor();
    await page.reload();
    await log.waitFor();
    await expect.poll(() => log.getByLabel('Which events').inputValue()).toBe('context-changed');
    expect(offences).toEqual([]);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`has no barriers and no sideways scrolling, ${theme}`, async () => {
      const { body } = await daemon.request('/v1/tokens', {
        body: { scope: 'agent', label: `<script>${'y'.repeat(180)}` },
      });
      for (const width of [320, 2560]) {
        await using opened = await open({ theme, width });
        await settled(opened.page);
        await expectNoSidewaysScroll(opened.page);
        await expectAccessible(opened.page);
        expect(opened.offences).toEqual([]);
      }
      await daemon.request(`/v1/tokens/${(body as { id: string }).id}`, { method: 'DELETE' });
    });

  it('keeps what it showed while the daemon is away, and begins anew with the next run', async () => {
    await using opened = await open();
    const { page } = opened;
    const run = panel(page, 'Daemon').getByText('This run').locator('..').locator('dd');
    const before = await run.innerText();
    const { port } = daemon;
    daemon.process.child.kill('SIGKILL');
    await daemon.stop();
    await page.getByRole('alert').filter({ hasText: 'last known state' }).waitFor();
    expect(await run.innerText()).toBe(before);
    daemon = await startDaemon({
      grantRoots: [workspace],
      stateDirectory: state,
      args: [...args, '--port', String(port)],
    });
    await sawRestart(page);
    expect(await run.innerText()).toBe(before);
    await using again = await open();
    const newRun = panel(again.page, 'Daemon').getByText('This run').locator('..').locator('dd');
    await expect.poll(() => newRun.innerText()).not.toBe(before);
  });
});
