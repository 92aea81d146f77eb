/** A past request explains itself, whatever has become of the files and settings it was made of (RQ-04, RQ-06). */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rowHash } from '../../src/ports/store/row-hash.ts';
import type { RebuiltRequest, RequestReceipt, StoredReceipt } from '../../src/session/request.ts';
import type { Session } from '../../src/session/session.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let project: string;
let daemon: TestDaemon;
const stateDirectory = () => join(directory, 'state');
const start = () => startDaemon({ grantRoots: [project], stateDirectory: stateDirectory() });
const write = (path: string, content: string) => writeFileSync(join(project, '.context', path), content);

beforeAll(async () => {
  directory = temporaryDirectory();
  project = join(directory, 'project');
  mkdirSync(join(project, '.context'), { recursive: true });
  write('plain.md', '---\ntrigger: always\n---\nWrite plainly.\n');
  write('style.md', '---\ntrigger: auto\nglobs: "**/*.css, src/**/*.ts"\n---\nUse tabs.\n');
  write('errors.md', '---\ntrigger: agent\ndescription: How errors are wrapped and handled\n---\nWrap errors.\n');
  write('terms.md', 'A cart is what a customer has not paid yet.\n');
  write('added.md', 'Added by hand.\n');
  daemon = await start();
  const agent = { name: 'A', mountedDirectory: project, settings: { search: { minScore: 0.05 } } };
  await daemon.request('/v1/agents/a', { method: 'PUT', body: agent });
});
afterAll(() => daemon.stop());

it('RQ-04 keeps what was asked and why each item was in it, also when all of it is gone', async () => {
  const { id } = (await daemon.request('/v1/sessions', { body: { agentId: 'a' } })).body as Session;
  await daemon.request(`/v1/sessions/${id}/context-items`, { body: { type: 'rule', name: 'added' } });
  const asked = {
    message: 'How are errors handled?',
    files: ['README.md', 'src/cart.ts'],
    mentions: ['terms'],
    search: { mode: 'keyword', topN: 3 },
    budget: { maxTokens: 4_000 },
  };
  const made = await daemon.request(`/v1/sessions/${id}/requests`, { body: asked });
  expect(made.status).toBe(201);
  const { requestId, requestContext } = made.body as RequestReceipt;
  const reasons = Object.fromEntries(requestContext.items.map(({ name, reason }) => [name, reason]));
  expect(reasons).toEqual({
    plain: { code: 'trigger_always', detail: 'in the session since it began' },
    added: { code: 'added_to_session', detail: 'added to the session' },
    terms: { code: 'mentioned', detail: 'terms' },
    style: { code: 'glob_matched', detail: 'src/**/*.ts ↔ src/cart.ts' },
    errors: { code: 'semantic_match', detail: expect.stringMatching(/^0\.\d\d by keyword$/u) },
  });

  rmSync(join(project, '.context'), { recursive: true });
  await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A' } });
  await daemon.stop();
  daemon = await start();
  const kept = {
    files: asked.files,
    mentions: asked.mentions,
    search: { minScore: 0.05, mode: 'keyword', topN: 3 },
    budget: asked.budget,
  };
  const past = (await daemon.request(`/v1/sessions/${id}/requests/${requestId}`)).body as RebuiltRequest;
  expect(past).toMatchObject(kept);
  expect(Object.fromEntries(past.requestContext.items.map(({ name, reason }) => [name, reason]))).toEqual(reasons);
  const listed = (await daemon.request(`/v1/sessions/${id}/requests`)).body as { requests: StoredReceipt[] };
  expect(listed.requests[0]).toMatchObject({ ...kept, requestContext: { items: requestContext.items } });
  const exported = await daemon.request('/v1/request-contexts?format=jsonl');
  expect(JSON.parse(exported.text.trim())).toMatchObject({ ...kept, requestContext: { items: requestContext.items } });
  const shown = await daemon.cli(['sessions', 'context', id, requestId], { env: { COLUMNS: '120' } });
  expect([shown.code, shown.stderr]).toEqual([0, '']);
  expect(shown.stdout).toContain('src/**/*.ts ↔ src/cart.ts');
  expect(shown.stdout).toContain('files README.md, src/cart.ts');

  // As an older version stored it.
  await daemon.stop();
  const database = new DatabaseSync(join(stateDirectory(), 'contextd.db'));
  const row = database.prepare('SELECT * FROM session_requests').get() as Record<string, string | number | null>;
  const { asked: _asked, ...data } = JSON.parse(`${row.data}`) as { asked: unknown; items: { reason?: unknown }[] };
  for (const item of data.items) delete item.reason;
  const json = JSON.stringify(data);
  const columns = ['id', 'session_id', 'agent_id', 'sync_id', 'reply_sync_id', 'created_at'];
  const hash = rowHash(...columns.map((column) => row[column] ?? null), json);
  database.prepare('UPDATE session_requests SET data = ?, hash = ?').run(json, hash);
  database.close();
  daemon = await start();
  const old = await daemon.request(`/v1/sessions/${id}/requests/${requestId}`);
  expect(old.status).toBe(200);
  expect(old.body).not.toHaveProperty('files');
  expect((old.body as RebuiltRequest).messages).toEqual(past.messages);
  expect((await daemon.cli(['sessions', 'context', id, requestId])).code).toBe(0);
});

it('FT-04 makes a request that is sent again with its key once, also after a restart', async () => {
  const { id } = (await daemon.request('/v1/sessions', { body: { agentId: 'a' } })).body as Session;
  const say = (message: string, key: string) =>
    daemon.request(`/v1/sessions/${id}/requests`, { body: { message }, headers: { 'idempotency-key': key } });
  const [first, second] = await Promise.all([say('Hello?', 'one'), say('Hello?', 'one')]);
  expect(first.status).toBe(201);
  expect(second.body).toEqual(first.body);
  await daemon.stop();
  daemon = await start();
  expect((await say('Hello?', 'one')).body).toEqual(first.body);
  expect((await say('Something else', 'one')).body).toMatchObject({ code: 'conflict' });
  expect((await say('Hello?', '')).status).toBe(400);
  const other = (await say('Hello?', 'two')).body as RequestReceipt;
  expect(other.requestId).not.toBe((first.body as RequestReceipt).requestId);
  const { messages } = (await daemon.request(`/v1/sessions/${id}`)).body as Session;
  expect(messages).toHaveLength(2);
});
