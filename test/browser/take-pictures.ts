/**
 * `npm run pictures`: the pictures of the console in README.md and docs/console.md, of a small project that is made for them. WebP, because a page
 * of text is a third of a PNG in it.
 */
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { McpServerList } from '../../src/mcp/server-requests.ts';
import { type RequestOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';
import { setup as buildConsole } from './build-console.ts';
import { goTo, launchBrowser, openConsole, settled } from './console-page.ts';

const folder = join(import.meta.dirname, '../../docs/pictures');
const above = temporaryDirectory();
/** A short path, which is read in the pictures; there must be nothing yet. */
const project = join(realpathSync(tmpdir()), 'harbour');

const files: Record<string, string> = {
  '.context/style.rule.md':
    '---\ntrigger: always\ndescription: "How code is written here"\npriority: 100\n---\n- Two spaces, single quotes, 120 columns.\n- A name says what a thing is, not how it is made.\n- One concept, one name, one schema.\n',
  '.context/errors.rule.md':
    '---\ntrigger: auto\nglobs: "src/**/*.ts"\ndescription: "How failures are handled"\npriority: 200\n---\n- Throw HarbourError with a code of the closed list.\n- What a person reads says what to do next.\n- A failure that is nobody\u2019s fault is a 503 with a time to try again.\n',
  '.context/docs/tides.md':
    '---\ntrigger: agent\ndescription: "How the height of a tide is computed, with units and sources"\n---\nTide heights are metres above chart datum; times are UTC. The height at a time is interpolated between the two nearest of the table.\n',
  '.context/docs/arrivals.md': `---\ntrigger: auto\nglobs: "src/api/arrivals.ts"\ndescription: "What an arrival is, and who reports it"\n---\n${'An arrival is reported by the pilot when the first line is ashore, and corrected by the harbour office.\n'.repeat(18)}`,
  '.context/docs/releasing.md':
    '---\ntrigger: manual\ndescription: "Steps of a release"\n---\n1. Write the notes.\n2. Tag.\n',
  '.context/context-config.json': '{\n  "clientContext": {\n    "excludeFiles": ["drafts/**"]\n  }\n}\n',
  '.context/drafts/berths.md': '---\ntrigger: always\n---\nBerths are numbered from the entrance.\n',
  '.context/fees.rule.md': '---\ntrigger: always\ndescription: "Fees of the harbour"\n---\nFees are not published.\n',
  'src/api/.context/api.rule.md':
    '---\ntrigger: always\ndescription: "Conventions of the API"\npriority: 150\n---\n- Problems are application/problem+json.\n- Lists are paged by cursor.\n',
  'src/api/arrivals.ts':
    "import { tideAt } from '../tides.ts';\n\nexport function listArrivals(day: Date) {\n  return tideAt(day);\n}\n",
  'src/tides.ts': 'export function tideAt(time: Date): number {\n  return Math.sin(time.getTime());\n}\n',
  'secrets/harbour.pem': 'not a key\n',
  'fixtures/captains.csv': 'name\nAda\n',
  'fixtures/crews.csv': 'name\nGrace\n',
  'notes/plan.md': 'Plan\n',
  '.ai-context-policy.yaml':
    '# What may leave this machine.\nversion: 1\nai_context_policy: allow\nexclude:\n  - secrets/**\n  - .context/fees.rule.md\n  - fixtures/captains.csv\n',
  'research/.ai-context-policy.yaml': 'version: 1\nai_context_policy: block\nexclude:\n  - summaries/**\n',
  'research/summaries/tides.md': 'Summary\n',
  'research/raw.md': 'Raw\n',
};

const toolsFile = join(above, 'tools.json');
const tools = [
  { name: 'read_gauge', description: 'The height of the water now, at a gauge of the harbour' },
  { name: 'tide_table', description: 'Times and heights of the tides of a day' },
  { name: 'book_berth', description: 'Books a berth for a ship' },
];
const chartServer = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../support/mcp-servers/listed-server.ts'), toolsFile],
};

async function ask<Answer>(daemon: TestDaemon, path: string, request: RequestOptions = {}): Promise<Answer> {
  const answer = await daemon.request(path, request);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body as Answer;
}

async function startSession(daemon: TestDaemon): Promise<{ session: string }> {
  const brevity = {
    name: 'brevity',
    description: 'Length and tone of answers',
    priority: 50,
    text: 'Be brief.',
    include: 'always',
  };
  const body = {
    name: 'Harbour pilot',
    description: 'Writes the code of the harbour',
    mountedDirectory: project,
    rules: [brevity],
    mcpServers: {
      charts: { ...chartServer, tools: { book_berth: { include: 'manual' }, tide_table: { include: 'agent' } } },
    },
    settings: { search: { mode: 'keyword' }, toolSearch: { mode: 'keyword' } },
  };
  await ask(daemon, '/v1/agents/pilot', { method: 'PUT', body });
  const { servers } = await ask<McpServerList>(daemon, '/v1/mcp/servers?agentId=pilot');
  for (const { id, fingerprint } of servers) {
    await ask(daemon, '/v1/mcp/approvals', { body: { fingerprint } });
    await ask(daemon, `/v1/mcp/servers/${id}/start`, { body: {} });
  }
  const { id } = await ask<{ id: string }>(daemon, '/v1/sessions', { body: { agentId: 'pilot' } });
  for (const item of [
    { type: 'reference', name: 'docs/releasing' },
    { type: 'tool', serverName: 'charts', name: 'book_berth' },
  ])
    await ask(daemon, `/v1/sessions/${id}/context-items`, { body: item });
  for (const [message, reply] of [
    ['Which tide holds at noon?', 'The height at noon is computed by `tideAt`, in metres above chart datum.'],
    [
      'List the arrivals of a day, each with the height of the tide.',
      'Done: `listArrivals` takes a cursor and answers a page, each arrival with the height of its tide.',
    ],
  ]) {
    const asked = await ask<{ requestId: string }>(daemon, `/v1/sessions/${id}/requests`, {
      body: { message, files: ['src/api/arrivals.ts'] },
    });
    await ask(daemon, `/v1/sessions/${id}/requests/${asked.requestId}/reply`, { body: { modelReply: reply } });
  }
  return { session: id };
}

async function take(page: Page, name: string, height: number): Promise<void> {
  await page.setViewportSize({ width: 1280, height });
  await settled(page);
  const protocol = await page.context().newCDPSession(page);
  const { data } = (await protocol.send('Page.captureScreenshot', { format: 'webp', quality: 64 })) as { data: string };
  writeFileSync(join(folder, `console-${name}.webp`), Buffer.from(data, 'base64'));
}

await buildConsole();
mkdirSync(folder, { recursive: true });
mkdirSync(project);
writeTree(project, files);
writeFileSync(
  toolsFile,
  JSON.stringify(tools.map((tool) => ({ ...tool, inputSchema: { type: 'object', properties: {} } }))),
);
const browser = await launchBrowser();
try {
  await using daemon = await startDaemon({ grantRoots: [project] });
  const { session } = await startSession(daemon);
  const params = { file: 'src/api/arrivals.ts', budget: '160' };
  await using opened = await openConsole(browser, daemon, { directory: project, params });
  const { page } = opened;
  await take(page, 'workspace', 1222);
  await goTo(page, 'policy', { dir: project });
  await page.getByRole('textbox', { name: /^Text of the policy/u }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  for (let each = 0; each < 'captains.csv'.length; each += 1) await page.keyboard.press('Backspace');
  await page.keyboard.type('*.csv\n- notes/**');
  await page.getByText('newly blocked').locator('..').getByText('2', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await take(page, 'policy', 820);
  await goTo(page, 'sessions', { dir: project, session });
  await page
    .getByRole('button', { name: /view context/iu })
    .last()
    .click();
  await page.getByRole('dialog', { name: 'Request context' }).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await take(page, 'sessions', 700);
} finally {
  await browser.close();
  for (const directory of [above, project]) rmSync(directory, { recursive: true, force: true });
}
