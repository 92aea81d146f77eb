import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestReceipt } from '../../src/session/request.ts';
import type { Session } from '../../src/session/session.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
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
const workspace = temporaryDirectory();
const hostile = '<img src=x onerror=alert(1)> javascript:alert(1) \u202egnp.exe \u0000\u200b';

function writeContext(name: string, frontMatter: string, text: string): void {
  const path = join(workspace, '.context', name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `---\n${frontMatter}\n---\n${text}\n`);
}

async function ask<Answer>(path: string, body?: unknown, method?: string): Promise<Answer> {
  const answer = await daemon.request(path, { body, ...(method === undefined ? {} : { method }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body as Answer;
}

const newSession = (agentId = 'shop') => ask<Session>('/v1/sessions', { agentId });
const append = (id: string, appendMessages: unknown[]) => ask(`/v1/sessions/${id}`, { appendMessages }, 'PATCH');
const column = (page: Page, within: string, title: string) =>
  page.getByRole(within === 'dialog' ? 'dialog' : 'main').getByRole('region', { name: title, exact: true });

beforeAll(async () => {
  writeContext('style.md', 'trigger: always\npriority: 10\ndescription: How code is written', 'Two spaces.');
  writeContext('secrets.md', 'trigger: always\npriority: 1\ndescription: What is never committed', 'No keys.');
  writeContext('react.md', 'trigger: auto\nglobs: "**/*.tsx"', 'Function components.');
  writeContext('docs/refunds.md', 'trigger: agent\ndescription: How refunds of payments work', 'Refunds are payments.');
  writeContext('docs/glossary.md', 'trigger: manual\ndescription: Words of the shop', 'A cart is not paid.');
  [browser, daemon] = await Promise.all([launchBrowser(), startDaemon({ grantRoots: [workspace] })]);
});

afterAll(async () => {
  await browser?.close();
  await daemon?.stop();
});

describe('sessions in the console', () => {
  it('goes from no agent to an agent, a session, a request, and a reply in place of a model', async () => {
    await using opened = await openConsole(browser, daemon, { view: 'sessions', directory: workspace });
    const { page, offences } = opened;
    await page.getByText('There is no agent yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Create the agent/u }).click();
    await page.getByText('No sessions yet').waitFor();
    await page.getByRole('button', { name: 'New' }).click();
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('This session has no messages yet').waitFor();

    await page.getByLabel('Message of the user').fill('How do refunds of payments work?');
    await page.getByRole('combobox', { name: 'Files in play' }).fill('src/cart.tsx');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Mentions' }).fill('gloss');
    await page.getByRole('option', { name: /docs\/glossary/u }).click();
    await page.getByRole('button', { name: 'Remove docs/glossary' }).waitFor();
    await page.getByRole('button', { name: 'Build the request' }).click();
    const dialog = page.getByRole('dialog', { name: 'Request context' });
    await dialog.getByText('How do refunds of payments work?').first().waitFor();
    expect(await column(page, 'dialog', 'Rules').getByRole('listitem').allInnerTexts()).toMatchObject([
      expect.stringMatching(/^001\s+secrets[\s\S]*Always/u),
      expect.stringMatching(/^010\s+style[\s\S]*Always/u),
      expect.stringMatching(/^500\s+react[\s\S]*Auto/u),
    ]);
    expect(await column(page, 'dialog', 'References').getByRole('listitem').allInnerTexts()).toMatchObject([
      expect.stringMatching(/docs\/glossary[\s\S]*Manual[\s\S]*Words of the shop/u),
      expect.stringMatching(/docs\/refunds[\s\S]*Agent[\s\S]*\d\.\d\d[\s\S]*How refunds/u),
    ]);
    await expectAccessible(page);

    await page.reload();
    await dialog.getByLabel('Reply in place of the model').fill('By paying back.');
    await dialog.getByRole('button', { name: 'Report the reply' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('article', { name: /^Assistant/u })
      .getByText('By paying back.')
      .waitFor();
    await page.getByRole('button', { name: /^View context \(5\)/u }).click();
    await dialog.getByText('Messages as they were sent').click();
    await dialog.getByText('Rule: Two spaces.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(offences).toEqual([]);
  });

  it('SE-02 SE-04 follows the context of a session: added, removed, taken back, missing, and back again', async () => {
    await ask('/v1/agents/shop', { name: 'Shop', mountedDirectory: workspace }, 'PUT');
    const { id } = await newSession();
    await using opened = await openConsole(browser, daemon, { view: 'sessions', params: { session: id } });
    const { page, offences } = opened;
    const rules = column(page, 'main', 'Rules');
    const references = column(page, 'main', 'References');
    await rules.getByText('style', { exact: true }).waitFor();
    const field = page.getByRole('combobox', { name: 'Add a rule, reference or tool' });
    const suggestions = page.getByRole('listbox', { name: /^Add a rule/u }).getByRole('option');
    await field.focus();
    await suggestions.nth(1).waitFor();
    await field.fill('words of');
    await expect.poll(() => suggestions.count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => suggestions.first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await references.getByText('docs/glossary').waitFor();
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Added the reference' }).count()).toBe(1);

    await rules.getByRole('button', { name: 'Remove style' }).click();
    await rules.getByText('style', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await rules.getByRole('listitem').filter({ hasText: 'style' }).getByText('Manual').waitFor();

    rmSync(join(workspace, '.context', 'docs', 'glossary.md'));
    await references.getByText('Missing').waitFor();
    await page.getByText('One item is missing').waitFor();
    await references.getByRole('button', { name: 'Remove docs/glossary' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    writeContext('docs/glossary.md', 'trigger: manual\ndescription: Words', 'A cart is not paid.');
    await references.getByText('Missing').waitFor({ state: 'detached' });
    expect(offences).toEqual([]);
  });

  it('says that the items of the agent are still being read, rather than that there is none of the name', async () => {
    await ask('/v1/agents/shop', { name: 'Shop', mountedDirectory: workspace }, 'PUT');
    const { id } = await newSession();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using opened = await openConsole(browser, daemon);
    const { page, offences } = opened;
    await page.route('**/v1/agents/shop/items*', async (route) => {
      await released;
      await route.continue();
    });
    await goTo(page, 'sessions', { session: id });
    const field = page.getByRole('combobox', { name: 'Add a rule, reference or tool' });
    await field.fill('glossary');
    await page.keyboard.press('Enter');
    await page.getByText('The items of the agent are still being read.').waitFor();
    release();
    await page.getByText('The items of the agent are still being read.').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await column(page, 'main', 'References').getByText('docs/glossary').waitFor();
    expect(offences).toEqual([]);
  });

  it('offers nothing to add where the items of the agent cannot be read, until they can', async () => {
    await ask('/v1/agents/shop', { name: 'Shop', mountedDirectory: workspace }, 'PUT');
    const { id } = await newSession();
    await using opened = await openConsole(browser, daemon);
    const { page } = opened;
    await page.route('**/v1/agents/shop/items*', (route) => route.abort());
    await goTo(page, 'sessions', { session: id });
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    const field = page.getByRole('combobox', { name: 'Add a rule, reference or tool' });
    expect(await field.count()).toBe(0);
    await page.unroute('**/v1/agents/shop/items*');
    // The view may have asked again by itself, after an event.
    if (await retry.isVisible()) await retry.click();
    await field.waitFor();
    await retry.waitFor({ state: 'detached' });
  });

  it('AG-04 shows tools by server, then by name, in the session and in what was sent', async () => {
    const definitions = ['write', 'find'].map((name) => ({
      name,
      description: `Can ${name} tickets`,
      inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
    }));
    writeFileSync(join(workspace, 'tools.json'), JSON.stringify(definitions));
    const server = join(import.meta.dirname, '../support/mcp-servers/listed-server.ts');
    const mcpServers = { tickets: { command: process.execPath, args: [server, join(workspace, 'tools.json')] } };
    await ask('/v1/agents/tooled', { name: 'Tooled', mcpServers }, 'PUT');
    type Listed = { servers: { id: string; fingerprint: string }[] };
    const [listed] = (await ask<Listed>('/v1/mcp/servers?agentId=tooled')).servers;
    await ask('/v1/mcp/approvals', { fingerprint: listed?.fingerprint });
    await ask(`/v1/mcp/servers/${listed?.id}/start`, undefined, 'POST');
    const { id } = await newSession('tooled');
    await using opened = await openConsole(browser, daemon, { view: 'sessions', params: { session: id } });
    const { page, offences } = opened;
    await column(page, 'main', 'Tools').getByText('write', { exact: true }).waitFor();
    const rows = [expect.stringMatching(/^tickets\/find\s+●?\s*Always/u), expect.stringMatching(/^tickets\/write/u)];
    expect(await column(page, 'main', 'Tools').getByRole('listitem').allInnerTexts()).toMatchObject(rows);
    await page.getByLabel('Message of the user').fill('Any tickets?');
    await page.keyboard.press('Control+Enter');
    const tools = column(page, 'dialog', 'Tools');
    await tools.getByText('Can find tickets').waitFor();
    expect(await tools.getByRole('listitem').allInnerTexts()).toMatchObject(rows);
    await tools.getByText('What was sent').first().click();
    await tools.getByText('"title"').waitFor();
    await ask('/v1/agents/tooled', { name: 'Tooled' }, 'PUT');
    await tools.getByText('Gone since').first().waitFor();
    expect(offences).toEqual([]);
  });

  it('RQ-04 shows what was sent as it was, marks what has changed since, and what was left out and why', async () => {
    const { id } = await newSession();
    writeContext('passing.md', 'trigger: always\ndescription: As it was', 'Old text.');
    await ask(`/v1/sessions/${id}/context-items`, { type: 'rule', name: 'passing' });
    await ask(`/v1/sessions/${id}/context-items`, { type: 'reference', name: 'docs/glossary' });
    const asked = { message: 'What now?', budget: { maxTokens: 20 } };
    const { requestId } = await ask<RequestReceipt>(`/v1/sessions/${id}/requests`, asked);
    await ask(`/v1/sessions/${id}/requests/${requestId}/reply`, { modelReply: { content: 'This.' } });
    await using opened = await openConsole(browser, daemon, {
      view: 'sessions',
      params: { session: id, request: requestId },
    });
    const { page, offences } = opened;
    await page.getByRole('region', { name: 'Left out' }).getByText('of 20 tokens were left').first().waitFor();
    const { requestContext } = await ask<RequestReceipt>(`/v1/sessions/${id}/requests/${requestId}`);
    const [kept] = requestContext.items;
    const row = page
      .getByRole('dialog')
      .getByRole('listitem')
      .filter({ hasText: kept?.name ?? '' })
      .first();
    const file = `${kept?.name}.md`;
    const before = await row.innerText();
    writeContext(file, 'trigger: always\ndescription: Another', 'Another text.');
    await row.getByText('Changed since').waitFor();
    expect(await row.innerText()).toContain(before.split('\n').at(-2));
    rmSync(join(workspace, '.context', file));
    await row.getByText('Gone since').waitFor();
    await expectAccessible(page);
    expect(offences).toEqual([]);
    rmSync(join(workspace, '.context', 'passing.md'), { force: true });
    writeContext('style.md', 'trigger: always\npriority: 10\ndescription: How code is written', 'Two spaces.');
    writeContext('secrets.md', 'trigger: always\npriority: 1\ndescription: What is never committed', 'No keys.');
  });

  it('shows 10,000 messages from the end, asks for what is scrolled to, and only for what is new', async () => {
    const { id } = await newSession();
    for (let part = 0; part < 100; part += 1)
      await append(
        id,
        Array.from({ length: 100 }, (_, at) => ({ role: 'user', content: `Message ${part * 100 + at}` })),
      );
    await using opened = await openConsole(browser, daemon, { view: 'sessions', params: { session: id } });
    const { page, offences } = opened;
    const list = page.getByRole('region', { name: 'Messages and changes, oldest first' });
    await list.getByText('Message 9999', { exact: true }).waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(40);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await append(id, [{ role: 'error', content: 'It failed.' }]);
    await list.getByText('It failed.').waitFor();
    await page.getByText('10,001 messages', { exact: true }).first().waitFor();
    const own = asked.filter((url) => url.includes(`/v1/sessions/${id}`));
    expect(own.every((url) => url.includes('/changes?since=10001'))).toBe(true);
    await list.evaluate((element) => {
      element.scrollTop = 0;
    });
    await list.getByText('Message 0', { exact: true }).waitFor();
    await append(id, [{ role: 'user', content: 'Far below' }]);
    await page.getByText('10,002 messages', { exact: true }).first().waitFor();
    await list.getByText('Message 0', { exact: true }).waitFor();
    expect(offences).toEqual([]);
  });

  it('lists 500 sessions, filters them, follows them, and deletes only after a question', async () => {
    for (let part = 0; part < 10; part += 1) await Promise.all(Array.from({ length: 50 }, () => newSession()));
    const { id } = await newSession();
    await append(id, [{ role: 'user', content: 'A needle in the hay' }]);
    await using opened = await openConsole(browser, daemon, { view: 'sessions' });
    const { page, offences } = opened;
    const list = page.getByRole('region', { name: 'List of sessions', exact: true });
    await list.getByText('A needle in the hay').waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(40);
    await page.keyboard.press('/');
    await page.keyboard.type('needle');
    await expect.poll(() => list.getByRole('link').count()).toBe(1);
    const other = await newSession();
    await append(other.id, [{ role: 'user', content: 'Another needle' }]);
    await list.getByText('Another needle').click();
    await page.getByRole('heading', { name: 'Another needle' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Temperature').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByLabel('Temperature').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Temperature').fill('1.5');
    await page.keyboard.press('Enter');
    await page.getByText('Settings: temperature 1.5').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the session' }).click();
    await page.getByText('No session is chosen').waitFor();
    await list.getByText('Another needle').waitFor({ state: 'detached' });
    expect((await daemon.request(`/v1/sessions/${other.id}`)).status).toBe(404);
    await list.getByText('A needle in the hay').click();
    await page.getByRole('heading', { name: 'A needle in the hay' }).waitFor();
    await daemon.request(`/v1/sessions/${id}`, { method: 'DELETE' });
    await page.getByText('This session was deleted').waitFor();
    expect(offences).toEqual([]);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`S-11 shows what is hostile or huge as text, ${theme}, at every width`, async () => {
      const rules = [{ name: 'inline', description: hostile, text: hostile, include: 'always' }];
      await ask('/v1/agents/hostile', { name: hostile, rules }, 'PUT');
      const { id } = await newSession('hostile');
      const { requestId } = await ask<RequestReceipt>(`/v1/sessions/${id}/requests`, { message: hostile });
      await ask(`/v1/sessions/${id}/requests/${requestId}/reply`, { modelReply: { html: hostile } });
      await append(id, [
        { role: 'system', content: `${hostile}\n${'x'.repeat(200_000)}` },
        { role: 'approval', toolCallApprovals: [{ hostile }] },
        { role: 'error', content: hostile },
        { role: 'assistant', modelReply: 'Own', requestContext: { items: [reported(`${'long/'.repeat(800)}end`)] } },
      ]);
      await using opened = await openConsole(browser, daemon, { view: 'sessions', params: { session: id }, theme });
      const { page, offences } = opened;
      for (const width of [320, 1280, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        await page.getByText('Own', { exact: true }).waitFor();
        await settled(page);
        await expectNoSidewaysScroll(page);
        await expectAccessible(page);
        await page.getByRole('button', { name: 'View context (1)' }).last().click();
        await page.getByRole('dialog').getByText('A client reported').waitFor();
        await settled(page);
        await expectNoSidewaysScroll(page);
        await expectAccessible(page);
        await page.keyboard.press('Escape');
        await goTo(page, 'sessions', { session: id, request: requestId });
        await page.getByRole('dialog').getByText('<img src=x').first().waitFor();
        await settled(page);
        await expectNoSidewaysScroll(page);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      expect(await page.locator('#view img').count()).toBe(0);
      expect(offences).toEqual([]);
    });

  it('keeps what it showed and what was typed when the daemon was restarted', async () => {
    const { id } = await newSession();
    await append(id, [{ role: 'user', content: 'Before' }]);
    await using opened = await openConsole(browser, daemon, { view: 'sessions', params: { session: id } });
    const { page, offences } = opened;
    await page.getByRole('article').getByText('Before').waitFor();
    await page.getByLabel('Message of the user').fill('A draft');
    const { stateDirectory, port, home } = daemon;
    daemon.process.child.kill('SIGKILL');
    await daemon.process.exited;
    await page.getByRole('alert').filter({ hasText: 'last known state' }).waitFor();
    expect(await page.getByRole('article').getByText('Before').count()).toBe(1);
    const before = daemon;
    daemon = await startDaemon({ stateDirectory, args: ['--port', String(port)], env: { HOME: home } });
    await sawRestart(page);
    expect(await page.getByRole('article').getByText('Before').count()).toBe(1);
    await append(id, [{ role: 'error', content: 'After' }]);
    await using again = await openConsole(browser, daemon, { view: 'sessions', params: { session: id } });
    await again.page.getByRole('article').getByText('After').waitFor();
    expect(await page.getByLabel('Message of the user').inputValue()).toBe('A draft');
    expect(offences).toEqual([]);
    rmSync(before.home, { recursive: true, force: true });
  });
});

const reported = (name: string) => ({
  type: 'rule',
  name,
  includeMode: 'agent',
  similarityScore: 0.876,
  sha256: '0'.repeat(64),
  tokens: 3,
});
