/**
 * `npm run pictures`: the pictures of the console in the README, of a small project that is made for them. WebP, because a page
 * of text is a third of a PNG in it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { startDaemon, type TestDaemon, temporaryDirectory } from '../support/daemon.ts';
import { setup as buildConsole } from './build-console.ts';
import { goTo, launchBrowser, openConsole, settled } from './console-page.ts';

const folder = join(import.meta.dirname, '../../pictures');
const above = temporaryDirectory();
const project = join(above, 'harbour');

const files: Record<string, string> = {
  '.context/style.rule.md':
    '---\ntrigger: always\ndescription: "How code is written here"\npriority: 100\n---\n- Two spaces, single quotes, 120 columns.\n- A name says what a thing is, not how it is made.\n- One concept, one name, one schema.\n',
  '.context/errors.rule.md':
    '---\ntrigger: auto\nglobs: "src/**/*.ts"\ndescription: "How failures are handled"\npriority: 200\n---\n- Throw HarbourError with a code of the closed list.\n- What a person reads says what to do next.\n',
  '.context/tides.md':
    '---\ntrigger: agent\ndescription: "How tide tables are computed, with units and sources"\n---\nTide heights are metres above chart datum; times are UTC.\n',
  '.context/releasing.md':
    '---\ntrigger: manual\ndescription: "Steps of a release"\n---\n1. Write the notes.\n2. Tag.\n',
  '.context/config.json': '{ "clientContext": { "excludeFiles": ["drafts/**"] } }\n',
  '.context/drafts/berths.md': '---\ntrigger: always\n---\nBerths are numbered from the entrance.\n',
  'src/api/.context/api.rule.md':
    '---\ntrigger: always\ndescription: "Conventions of the API"\npriority: 150\n---\n- Problems are application/problem+json.\n- Lists are paged by cursor.\n',
  'src/api/arrivals.ts':
    "import { tideAt } from '../tides.ts';\n\nexport function listArrivals(day: Date) {\n  return tideAt(day);\n}\n",
  'src/tides.ts': 'export function tideAt(time: Date): number {\n  return Math.sin(time.getTime());\n}\n',
  'secrets/harbour.pem': 'not a key\n',
  'fixtures/captains.csv': 'name\nAda\n',
  'notes/plan.md': 'Plan\n',
  '.ai-context-policy.yaml':
    '# What may leave this machine.\nversion: 1\nai_context_policy: allow\nexclude:\n  - secrets/**\n  - fixtures/captains.csv\n',
  'research/.ai-context-policy.yaml': 'version: 1\nai_context_policy: block\nexclude:\n  - summaries/**\n',
  'research/summaries/tides.md': 'Summary\n',
};

async function startSession(daemon: TestDaemon): Promise<{ session: string; request: string }> {
  const rule = {
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
    rules: [rule],
  };
  const put = await daemon.request('/v1/agents/pilot', { method: 'PUT', body });
  if (put.status >= 300) throw new Error(put.text);
  const made = await daemon.request('/v1/sessions', { body: { agentId: 'pilot' } });
  const { id } = made.body as { id: string };
  await daemon.request(`/v1/sessions/${id}/context-items`, { body: { type: 'reference', name: 'releasing' } });
  let request = '';
  for (const [message, reply] of [
    ['Which tide holds at noon?', 'The height at noon is computed by `tideAt`, in metres above chart datum.'],
    [
      'List the arrivals of a day, paged.',
      'Done: `listArrivals` takes a cursor and answers a page and the next cursor.',
    ],
  ]) {
    const asked = await daemon.request(`/v1/sessions/${id}/requests`, {
      body: { message, files: ['src/api/arrivals.ts'] },
    });
    request = (asked.body as { requestId: string }).requestId;
    await daemon.request(`/v1/sessions/${id}/requests/${request}/reply`, { body: { modelReply: reply } });
  }
  return { session: id, request };
}

async function take(page: Page, name: string): Promise<void> {
  await settled(page);
  const protocol = await page.context().newCDPSession(page);
  const { data } = (await protocol.send('Page.captureScreenshot', { format: 'webp', quality: 82 })) as { data: string };
  writeFileSync(join(folder, `console-${name}.webp`), Buffer.from(data, 'base64'));
}

await buildConsole();
mkdirSync(folder, { recursive: true });
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}
const browser = await launchBrowser();
try {
  await using daemon = await startDaemon({ grantRoots: [project] });
  const { session } = await startSession(daemon);
  await using opened = await openConsole(browser, daemon, { directory: project, width: 1280, height: 800 });
  const { page } = opened;
  await goTo(page, 'workspace', { dir: project, file: 'src/api/arrivals.ts', budget: '400' });
  await take(page, 'workspace');
  await goTo(page, 'policy', { dir: project });
  await page.waitForTimeout(1_500);
  await take(page, 'policy');
  await goTo(page, 'sessions', { dir: project, session });
  await page
    .getByRole('button', { name: /view context/iu })
    .last()
    .click();
  await page.waitForTimeout(500);
  await take(page, 'sessions');
} finally {
  await browser.close();
  rmSync(above, { recursive: true, force: true });
}
