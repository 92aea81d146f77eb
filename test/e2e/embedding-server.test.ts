/** Search by meaning with a server that embeds: a real daemon, a real server on another port, and what goes between them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ItemSearchResult } from '../../src/agent/item-search.ts';
import { background } from '../../src/search/background.ts';
import type { SearchMode } from '../../src/search/search-options.ts';
import { runContextd, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import { searchRules, searchStatusOf, writeSearchedRules } from '../support/searched-rules.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const key = 'sk-test-0123456789abcdef';
let workspace: string;
let server: EmbeddingServer;
let answerWell: EmbeddingServer['answer'];
/** It waits while the other tests run. */
let hanging: ReturnType<typeof searchWhatHangs>;

beforeAll(async () => {
  workspace = temporaryDirectory();
  const rules = { errors: 'failures are logged', layout: 'tabs and blanks', schema: 'one table for each migration' };
  writeSearchedRules(workspace, rules);
  // A repository says nothing about where texts are sent.
  writeFileSync(join(workspace, '.env'), 'CONTEXTD_EMBEDDER=http://127.0.0.1:9\nCONTEXTD_MODEL=evil\n');
  server = await startEmbeddingServer();
  answerWell = server.answer;
  hanging = searchWhatHangs();
  hanging.catch(() => {});
});
beforeEach(() => {
  server.answer = answerWell;
  server.asked.length = 0;
});
afterAll(() => server[Symbol.asyncDispose]());

const start = (args: string[] = [], options = {}): Promise<TestDaemon> =>
  startDaemon({
    grantRoots: [workspace],
    args: ['--embedder', server.url, '--model', 'all-minilm', '--log-level', 'trace', ...args],
    cwd: workspace,
    env: { CONTEXTD_EMBEDDER_KEY: key },
    ...options,
  });

const search = (daemon: TestDaemon, query: string, mode: SearchMode = 'semantic') =>
  searchRules(daemon, { mountedDirectory: workspace, query, mode, minScore: 0 });
/** A chunk of each of three rules, and what they are compared with. */
const all = 3 + background.length;
const texts = () => server.asked.flatMap(({ body }) => body.input);

describe('an embedding server that the user named', () => {
  it('SS-09 gets what is searched and each question once, keeps vectors over a restart, and is named everywhere', async () => {
    const stateDirectory = temporaryDirectory();
    const daemon = await start([], { stateDirectory });
    expect(JSON.parse(daemon.process.output.stdout)).toMatchObject({ embedder: server.url });
    expect(await searchStatusOf(daemon)).toMatchObject({ state: 'stopped', model: 'all-minilm', endpoint: server.url });
    expect((await searchStatusOf(daemon)).dimensions).toBeUndefined();
    const says = `Embedding: ${server.url}: gets all searched text and each question`;
    expect((await daemon.cli(['start'])).stdout).toContain(says);
    const alone = await runContextd([], { cwd: workspace, env: { CONTEXTD_STATE_DIR: stateDirectory } });
    expect(alone.stdout).toContain(says);
    expect(server.asked).toEqual([]);
    const { results, semantic } = await search(daemon, 'are failures logged');
    expect(semantic).toEqual({ status: 'ready', engine: 'semantic' });
    expect(results[0]).toMatchObject({ name: 'errors', engine: 'semantic' });
    expect(texts().filter((text) => text.includes('failures are logged'))).toHaveLength(1);
    expect(await searchStatusOf(daemon)).toMatchObject({
      state: 'ready',
      vectors: all,
      dimensions: 384,
      endpoint: server.url,
    });
    expect((await daemon.cli(['status'])).stdout).toContain(
      `all-minilm of ${server.url}, which gets all searched text`,
    );
    expect((await daemon.cli(['doctor'])).stdout).toContain(server.url);
    expect((await daemon.cli(['warm', workspace, '--model', 'all-minilm'])).stdout).toContain(
      `${all} chunks are in memory`,
    );
    expect(await daemon.cli(['warm', '--model', 'bge-small-en-v1.5'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('started with the model all-minilm'),
    });
    await daemon.stop();
    server.asked.length = 0;
    const again = await start([], { stateDirectory });
    expect((await search(again, 'one more question')).semantic.status).toBe('ready');
    expect(texts().filter((text) => text.includes('About'))).toEqual([]);
    await again.stop();
    expect(vectorsByIdentity(stateDirectory)).toEqual([all]);
    // Another model's vectors are others, and those of the first are not compared with them.
    const other = await start(['--model', 'other'], { stateDirectory });
    expect((await search(other, 'are failures logged')).results[0]).toMatchObject({ name: 'errors' });
    await other.stop();
    expect(vectorsByIdentity(stateDirectory)).toEqual([all, all]);
    for (const { headers } of server.asked) expect(headers.authorization).toBe(`Bearer ${key}`);
    const place = ['--state-dir', stateDirectory];
    const begun = await runContextd(['start', '--port', '0', '--embedder', server.url, '--model', 'm', ...place]);
    await runContextd(['stop', ...place]);
    expect(begun.stdout).toContain(says);
  });

  it('S-88 that fails costs the meaning, says why, and recovers; the key is in no answer and no line of the log', async () => {
    await using daemon = await start();
    const failures: [EmbeddingServer['answer'], string][] = [
      [(_asked, response) => response.writeHead(401).end(`no ${key}`), 'refuses the key (401)'],
      [(_asked, response) => response.end('{"data":[{"embedding":[NaN]}]}'), 'it is not JSON'],
      [(_asked, response) => response.writeHead(307, { location: `http://127.0.0.1:9/${key}` }).end(), 'not followed'],
    ];
    const answers: string[] = [];
    for (const [answer, says] of failures) {
      server.answer = answer;
      // Getting it ready asks anew, whatever failed before.
      await daemon.request('/v1/search/warm', { body: {} });
      await until(async () => (await searchStatusOf(daemon)).reason?.includes(says));
      for (const mode of ['hybrid', 'semantic'] as const) {
        const found = await search(daemon, 'failures', mode);
        expect(found.semantic).toMatchObject({ status: 'degraded', engine: 'keyword' });
        expect(found.semantic.detail).toContain(says);
        expect(found.results[0]).toMatchObject({ name: 'errors', engine: 'keyword' });
        answers.push(JSON.stringify(found));
      }
      answers.push(JSON.stringify(await searchStatusOf(daemon)));
    }
    server.answer = answerWell;
    await daemon.cli(['warm', workspace]);
    expect((await search(daemon, 'failures')).semantic.status).toBe('ready');
    expect(daemon.process.output.stderr).toContain('the embedding model cannot be used');
    for (const text of [...answers, daemon.process.output.stderr, daemon.process.output.stdout])
      expect(text).not.toContain(key);
  });

  it('S-88 a hanging one holds a search no longer than it may, and nothing else', async () => {
    const { otherAnswers, found, tookMs } = await hanging;
    expect(otherAnswers).toBe(true);
    expect(tookMs).toBeLessThan(12_000);
    expect(found.semantic).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('has not answered yet'),
    });
    expect(found.results[0]).toMatchObject({ name: 'errors' });
  });

  it('S-88 beyond this machine it is warned of, and no repository names one', async () => {
    const args = ['--embedder', 'https://embeddings.invalid/v1', '--model', 'm'];
    await using daemon = await start(args);
    const says = 'questions, and the names, descriptions and texts of what is searched, are sent to embeddings.invalid';
    await until(() => daemon.process.output.stderr.includes(says));
    await daemon.stop();
    await using own = await start([], { args: [] });
    expect((await searchStatusOf(own)).endpoint).toBeUndefined();
    const message = await runContextd([
      'serve',
      ...args,
      '--port',
      '0',
      '--state-dir',
      daemon.stateDirectory,
      '--offline',
    ]);
    expect(message).toMatchObject({ code: 64, stderr: expect.stringContaining('--offline forbids') });
  });
});

async function searchWhatHangs(): Promise<{ otherAnswers: boolean; found: ItemSearchResult; tookMs: number }> {
  await using hangs = await startEmbeddingServer();
  const { answer } = hangs;
  // The second answer never comes, and the first one late.
  hangs.answer = (asked, response) => {
    if (asked.body.input.length === 5) setTimeout(() => answer(asked, response), 5_000);
  };
  await using daemon = await start(['--embedder', hangs.url]);
  const startMs = performance.now();
  const searching = search(daemon, 'failures', 'hybrid');
  const body = { mountedDirectory: workspace };
  const other = daemon.request('/v1/context/resolve', { body }).then(({ status }) => status === 200);
  const otherAnswers = await Promise.race([other, searching.then(() => false)]);
  return { otherAnswers, found: await searching, tookMs: performance.now() - startMs };
}

/** How many vectors there are of each model. */
function vectorsByIdentity(stateDirectory: string): number[] {
  const database = new DatabaseSync(join(stateDirectory, 'contextd.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT count(*) AS count FROM vectors GROUP BY identity').all();
    return rows.map(({ count }) => Number(count));
  } finally {
    database.close();
  }
}
