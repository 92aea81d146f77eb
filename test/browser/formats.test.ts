/** The workspace view by tool: a switch for each format, which says what would change before it changes. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatNames } from '../../src/context/formats/format-names.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';
import { expectAccessible, expectNoSidewaysScroll, launchBrowser, openConsole, settled } from './console-page.ts';

let browser: Browser;
let daemon: TestDaemon;
const base = temporaryDirectory();
const workspace = join(base, 'orchard');
const large = join(base, 'large');
const configuration = join(workspace, '.context/context-config.json');

const write = (path: string, content: string, root = workspace) => writeTree(root, { [path]: content });

beforeAll(async () => {
  const names = ['.cursor/rules/#.mdc', '.claude/rules/#.md', '.windsurf/rules/#.md', '.clinerules/#.md'];
  for (let each = 0; each < 400; each += 1)
    write((names[each % 4] ?? '').replace('#', `rule-${each}`), `Rule ${each} of many.`, large);
  [browser, daemon] = await Promise.all([launchBrowser(), startDaemon({ grantRoots: [base] })]);
});

beforeEach(() => {
  rmSync(workspace, { recursive: true, force: true });
  write('AGENTS.md', 'Use tabs.');
  write('CLAUDE.md', 'Use tabs.');
  write('.cursor/rules/ts.mdc', '---\nglobs: **/*.ts\nalwaysApply: false\n---\nNo any.');
  write('.cursor/mcp.json', '{"mcpServers":{"charts":{"command":"charts"}}}');
  write('.context/own.md', '---\ntrigger: always\n---\nOf this project.');
});

afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});

const allBut = (...names: string[]) => formatNames.filter((name) => !names.includes(name));
const open = (directory = workspace, params = {}, options = {}) =>
  openConsole(browser, daemon, { directory, params: { by: 'tool', file: 'x.ts', ...params }, ...options });
const rows = (page: Page) => page.getByRole('region', { name: 'Context files' }).getByRole('listitem');
const switchOf = (page: Page, format: string) => page.getByRole('switch', { name: `Read ${format}`, exact: true });

describe('the workspace view by tool', () => {
  it('FM-02 groups files by tool, with a switch for each format', async () => {
    await using opened = await openConsole(browser, daemon, { directory: workspace, params: { file: 'x.ts' } });
    const { page, offences } = opened;
    await page.getByRole('radio', { name: 'Tool' }).check({ force: true });
    await rows(page)
      .filter({ hasText: /AGENTS\.mdagents-md1 of 1 file active/u })
      .waitFor();
    const shown = (await rows(page).allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(shown).toEqual([
      ...['AGENTS.md', 'Active', 'Claude Code', 'Left out', 'Cursor', 'Active', 'Not from another tool', 'Active'],
    ]);
    expect(page.url()).toContain('by=tool');
    for (const format of ['agents-md', 'claude-md', 'cursor'])
      expect(await switchOf(page, format).getAttribute('aria-checked')).toBe('true');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Cursor', exact: true }).press('Enter');
    await rows(page).filter({ hasText: 'ts.mdc' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Cursor', expanded: false }).waitFor();
    expect(offences).toEqual([]);
  });

  it('FM-14 says what a switch would change before it changes, by the keyboard alone, and takes it back', async () => {
    await using opened = await open();
    const { page, offences } = opened;
    await switchOf(page, 'agents-md').focus();
    await page.keyboard.press('Space');
    const dialog = page.getByRole('dialog', { name: 'Stop reading agents-md?' });
    await dialog.getByText('Would no longer apply').waitFor();
    const changed = dialog.getByRole('region', { name: 'Files that would change' }).getByRole('listitem');
    expect(await changed.allInnerTexts()).toEqual([
      expect.stringMatching(/^Would no longer apply\s+1 file/u),
      expect.stringMatching(/^AGENTS\.md/u),
      expect.stringMatching(/^Would apply\s+1 file/u),
      expect.stringMatching(/^CLAUDE\.md\s+\d+\s+so far: it has the same text as AGENTS\.md/u),
    ]);
    await dialog.getByText('no tokens').waitFor();
    await expectAccessible(page);
    const written = { clientContext: { formats: allBut('agents-md', 'junie') } };
    expect(JSON.parse(await dialog.locator('pre').innerText())).toEqual(written);
    expect(existsSync(configuration)).toBe(false);
    expect(await switchOf(page, 'agents-md').getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const isFocused = () => switchOf(page, 'agents-md').evaluate((each) => each === document.activeElement);
    await expect.poll(isFocused).toBe(true);

    await page.keyboard.press('Space');
    await dialog.getByText('Would no longer apply').waitFor();
    await dialog.getByRole('button', { name: 'Stop reading it' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'left out by .context/context-config.json' }).waitFor();
    await expect.poll(() => switchOf(page, 'agents-md').getAttribute('aria-checked')).toBe('false');
    await rows(page)
      .filter({ hasText: /Not read.*AGENTS/su })
      .waitFor();
    expect(JSON.parse(readFileSync(configuration, 'utf8'))).toEqual(written);

    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => switchOf(page, 'agents-md').getAttribute('aria-checked')).toBe('true');
    expect(JSON.parse(readFileSync(configuration, 'utf8'))).toEqual({ clientContext: { formats: 'all' } });
    expect(offences).toEqual([]);
  });

  it('FM-14 changes nothing else in a configuration, and nothing that somebody else has written meanwhile', async () => {
    const before = '{ "mcpServers": {},  "clientContext": { "formats": ["cursor"] } }';
    write('.context/context-config.json', before);
    await using opened = await open(workspace, { with: 'claude-md' });
    const { page, offences } = opened;
    const dialog = page.getByRole('dialog', { name: 'Read claude-md?' });
    const button = dialog.getByRole('button', { name: 'Read it' });
    await expect.poll(() => button.isEnabled()).toBe(true);
    let isHeld = false;
    await page.route('**/v1/formats', async (route) => {
      if (!isHeld && route.request().method() === 'PUT') write('.context/context-config.json', `${before}\n`);
      isHeld = true;
      await route.fallback();
    });
    await button.click();
    await page.getByText('The configuration has changed since you read it').waitFor();
    expect(readFileSync(configuration, 'utf8')).toBe(`${before}\n`);
    // Until what has changed is shown, what is shown is refused.
    await expect
      .poll(async () => {
        if (await dialog.isVisible()) await button.click({ timeout: 2_000 }).catch(() => undefined);
        return dialog.isVisible();
      })
      .toBe(false);
    const after = readFileSync(configuration, 'utf8');
    expect(after).toMatch(/^\{ "mcpServers": \{\}, {2}"clientContext": \{ "formats": \[/u);
    expect(JSON.parse(after).clientContext.formats).toEqual(['claude-md', 'cursor']);
    expect(offences).toEqual([]);
  });

  it('SY-03 says when somebody else has switched it meanwhile', async () => {
    await using opened = await open(workspace, { without: 'cursor' });
    const { page, offences } = opened;
    await page.getByText('Would no longer apply').waitFor();
    write('.context/context-config.json', '{"clientContext":{"formats":["agents-md"]}}');
    await page.getByText('It is not read now').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    // The list below is asked for by itself.
    await switchOf(page, 'cursor').and(page.locator('[aria-checked="false"]')).waitFor();
    expect(offences).toEqual([]);
  });

  it('FM-11 names the servers that would go', async () => {
    const formats = allBut('cursorrules');
    write('.context/context-config.json', JSON.stringify({ clientContext: { formats } }));
    await using opened = await open(workspace, { without: 'cursor' });
    const servers = opened.page.getByRole('region', { name: 'Servers' });
    await servers.getByText('charts would no longer be there').waitFor();
    expect(opened.offences).toEqual([]);
  });

  it('FM-03 switches nothing that the user told the daemon not to read, and says what there is', async () => {
    await using narrowed = await startDaemon({ grantRoots: [base], args: ['--formats', 'none'] });
    rmSync(join(workspace, '.context'), { recursive: true });
    await using opened = await openConsole(browser, narrowed, { directory: workspace });
    const { page, offences } = opened;
    await page
      .getByText(/^There are 3 rule files of 3 tools; formats are off/u)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Group by tool' }).click();
    await rows(page).filter({ hasText: 'disabled in the settings of the daemon' }).first().waitFor();
    await expect.poll(() => switchOf(page, 'cursor').isDisabled()).toBe(true);
    await expectAccessible(page);
    expect(offences).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('is readable, %s, wide and narrow, with 400 files', async (theme) => {
    for (const width of [1280, 390]) {
      await using opened = await open(large, {}, { theme, width });
      const { page, offences } = opened;
      await page.getByRole('button', { name: 'Windsurf', expanded: false }).click();
      await rows(page).filter({ hasText: 'rule-10' }).first().waitFor();
      await settled(page);
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await switchOf(page, 'claude-rules').click();
      await page.getByRole('dialog').getByText('100 files', { exact: false }).first().waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      expect(offences).toEqual([]);
    }
  });
});
