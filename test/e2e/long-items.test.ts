/** Long items that search selects, as every client meets them: by their description, by a section, or whole (SS-13). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExplainResult } from '../../src/context/explain-result.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import type { ContextResult } from '../../src/prompt/context-result.ts';
import type { RebuiltRequest, RequestReceipt } from '../../src/session/request.ts';
import type { Session } from '../../src/session/session.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { httpTransport } from '../support/mcp-transports.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

/** Long, and without a word that is there twice. */
const filler = Array.from({ length: 700 }, (_, at) => `Further${at} word${at}.`).join('\n');
const query = 'database migrations';
const inSection = 'the names of columns in database migrations';

let project: string;
let daemon: TestDaemon;
let session: string;
const write = (name: string, description: string, text: string) =>
  writeFileSync(
    join(project, `.context/${name}.md`),
    `---\ntrigger: agent\ndescription: ${description}\n---\n# Guide\n\n${filler}\n${text}\n`,
  );

beforeAll(async () => {
  project = temporaryDirectory();
  mkdirSync(join(project, '.context'));
  write(
    'written',
    'How database migrations are written',
    'A database migration is written once. Names of columns stay.',
  );
  write('reviewed', 'How database migrations are reviewed', 'A database migration.\n\n## Names of columns\n\nNouns.');
  daemon = await startDaemon({ grantRoots: [project] });
  await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A', mountedDirectory: project } });
  session = ((await daemon.request('/v1/sessions', { body: { agentId: 'a' } })).body as Session).id;
});
afterAll(() => daemon.stop());

async function post<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await daemon.request(path, { body });
  expect(answer.status).toBeLessThan(300);
  return answer.body as Answer;
}
const offered = (number: number) =>
  `only its description is delivered, of ${number.toLocaleString('en-US')} tokens in all; ask for it by name`;

it('SS-13 CC-28 resolve and explain offer it in words, and `expand` or a mention brings all of it', async () => {
  const ask = (more: object) =>
    post<ResolveResult>('/v1/context/resolve', { mountedDirectory: project, query, ...more });
  const { files, usage } = await ask({ expand: null });
  const [first] = files;
  const whole = first?.wholeTokens ?? 0;
  expect(whole).toBeGreaterThan(2_000);
  expect(first).toMatchObject({ state: 'active', part: 'description', reason: { detail: offered(whole) } });
  expect(usage.tokens).toBeLessThan(300);
  for (const more of [{ expand: 'all' }, { expand: ['reviewed'] }, { mentions: ['reviewed'] }]) {
    const file = (await ask(more)).files.find(({ name }) => name === 'reviewed');
    expect(file?.content).toContain('Further699');
    expect(file?.tokens).toBe(file?.name === first?.name ? whole : file?.tokens);
  }
  const { candidates } = await post<ExplainResult>('/v1/context/explain', { mountedDirectory: project, query });
  expect(candidates[0]?.reason.detail).toBe(offered(whole));
  const refused = await daemon.request('/v1/context/resolve', {
    body: { mountedDirectory: project, query, expand: 'some' },
  });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/expand' }] } });
});

it('SS-13 the command line says it, and takes --expand', async () => {
  const { stdout } = await daemon.cli(['resolve', project, '--query', query]);
  expect(stdout.replaceAll(/\s+/gu, ' ')).toMatch(
    /fits the query \(0\.\d\d\); only its description is delivered, of [\d,]+ /u,
  );
  const expanded = await daemon.cli(['resolve', project, '--query', query, '--expand', 'written', '--json']);
  const { files } = JSON.parse(expanded.stdout) as ResolveResult;
  expect(files.map(({ part = 'whole' }) => part).sort()).toEqual(['description', 'whole']);
  const asked = await daemon.cli(['request', session, query, '--expand', 'all']);
  expect(asked.stdout).not.toContain('is delivered, of');
});

it('SS-13 RQ-01 RQ-04 a request of a session sends the part, and its receipt is rebuilt when all of it is gone', async () => {
  const made = await post<RequestReceipt>(`/v1/sessions/${session}/requests`, { message: inSection });
  const items = new Map(made.requestContext.items.map((item) => [item.name, item]));
  expect([items.get('written')?.part, items.get('reviewed')?.part]).toEqual(['description', 'section']);
  expect(items.get('written')?.tokens).toBeLessThan(200);
  expect(items.get('written')?.wholeTokens).toBeGreaterThan(2_000);
  expect(JSON.stringify(made.messages)).not.toContain('Further699');
  expect(JSON.stringify(made.messages)).toContain('Rule: ## Names of columns\\n\\nNouns.');
  const path = `/v1/sessions/${session}/requests/${made.requestId}`;
  const before = (await daemon.request(path)).body as RebuiltRequest;
  expect(before).toMatchObject({ messages: made.messages, changedItems: [] });
  write('reviewed', 'Something else', 'Other words.');
  const rebuilt = (await daemon.request(path)).body as RebuiltRequest;
  expect(rebuilt.messages).toEqual(made.messages);
  expect(rebuilt.requestContext.items).toMatchObject(made.requestContext.items);
  expect(rebuilt.changedItems).toMatchObject([{ name: 'reviewed', change: 'changed' }]);
  write('reviewed', 'How database migrations are reviewed', 'A database migration.\n\n## Names of columns\n\nNouns.');
  const whole = await post<RequestReceipt>(`/v1/sessions/${session}/requests`, {
    message: inSection,
    expand: ['reviewed'],
  });
  const kept = (await daemon.request(`/v1/sessions/${session}/requests/${whole.requestId}`)).body as RebuiltRequest;
  expect(kept.expand).toEqual(['reviewed']);
  expect(kept.messages).toEqual(whole.messages);
  expect(JSON.stringify(whole.messages)).toContain('Further699');
});

it('SS-13 goes along in `POST /v1/context`, of a directory, an agent and a session', async () => {
  for (const whose of [{}, { agentId: 'a' }, { sessionId: session }]) {
    const { items, usage, text } = await post<ContextResult>('/v1/context', {
      mountedDirectory: project,
      query,
      render: 'markdown',
      include: { search: false },
      ...whose,
    });
    expect(items.map(({ part }) => part)).toEqual(['description', 'description']);
    expect(items[0]?.wholeTokens).toBeGreaterThan(2_000);
    expect(usage.tokens).toBeLessThan(500);
    expect(text).toContain(`ask for it by name, or read ${project}/.context/`);
  }
});

it('SS-13 MC-05 a model learns how to get the rest: a mention by MCP, the path of the file by a hook', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(httpTransport(daemon));
  const call = async (args: object): Promise<string> => {
    const asked = { mountedDirectory: project, query, ...args };
    const { content } = await client.callTool({ name: 'resolve_context', arguments: asked });
    return (content as { text: string }[]).map(({ text }) => text).join('\n');
  };
  const answer = await call({});
  expect(answer).toContain('path=".context/written.md" part="description">\nHow database migrations are written\n');
  expect(answer).toMatch(/put a name into `mentions` to get all of it:\n(?:- \w+ \(\d{4,} tokens\)\n?){2}/u);
  expect(answer).not.toContain('Further699');
  for (const args of [{ mentions: ['written'] }, { expand: ['written'] }])
    expect(await call({ ...args, maxTokens: 20_000 })).toContain('Further699');
  await client.close();

  const event = { session_id: 's', cwd: project, hook_event_name: 'UserPromptSubmit', prompt: query };
  const { text } = await daemon.request('/v1/hooks/claude-code', { body: event });
  expect(text).toContain(`or read ${project}/.context/written.md`);
  expect(text).not.toContain('Further699');
});
