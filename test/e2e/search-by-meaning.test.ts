/** Search by meaning through a real daemon: its process, library, runtime and database, with a small model. */
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ItemSearchResult } from '../../src/agent/item-search.ts';
import { background } from '../../src/search/background.ts';
import type { SearchMode } from '../../src/search/search-options.ts';
import { startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { smallShape, writeSmallModel } from '../support/model/model-directory.ts';
import { embedderProcesses, isRunning } from '../support/processes.ts';
import { searchRules, searchStatusOf, writeSearchedRules } from '../support/searched-rules.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { isTorture, sized } from '../support/test-size.ts';

const kills = sized(3, 100, 1);

const rules: Record<string, string> = {
  errors: 'Every failure and exception must be logged.',
  layout: 'Use tabs for indent, and format every file.',
  secrets: 'No password and no token in the repository.',
  schema: 'Every migration changes one table.',
};

let workspace: string;
let model: string;

beforeAll(() => {
  workspace = temporaryDirectory();
  writeSearchedRules(workspace, rules);
  model = temporaryDirectory();
});
beforeEach(() => {
  rmSync(model, { recursive: true });
  writeSmallModel(model);
});

/** A chunk of each rule, and what they are compared with. */
const all = Object.keys(rules).length + background.length;
const start = (args = ['--model-dir', model], options = {}): Promise<TestDaemon> =>
  startDaemon({ grantRoots: [workspace], args, ...options });

const search = (daemon: TestDaemon, query: string, mode: SearchMode = 'semantic') =>
  searchRules(daemon, { mountedDirectory: workspace, query, mode, minScore: 0 });

/** Once the model answers: on a busy machine the first search may not wait for it. */
const searchByMeaning = (daemon: TestDaemon, query: string): Promise<ItemSearchResult> =>
  until(async () => {
    const found = await search(daemon, query);
    return found.semantic.status === 'ready' ? found : undefined;
  });

const embedders = (daemon: TestDaemon) => embedderProcesses(daemon.process.child.pid);

describe('search by meaning', () => {
  it('SS-03 finds what shares no word with the question', async () => {
    await using daemon = await start();
    for (const [query, name] of [
      ['bug', 'errors'],
      ['authentication', 'secrets'],
      ['sql', 'schema'],
    ] as const) {
      const { results, semantic } = await searchByMeaning(daemon, query);
      expect(semantic).toMatchObject({ status: 'ready', engine: 'semantic' });
      expect(results[0]).toMatchObject({ name, engine: 'semantic' });
      expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? 0);
    }
    expect(await searchStatusOf(daemon)).toMatchObject({
      state: 'ready',
      vectors: all,
      dimensions: 384,
      installed: true,
    });
  });

  it('SS-03 loads nothing and starts no process until something is searched by meaning', async () => {
    await using daemon = await start();
    await daemon.request('/v1/context/resolve', { body: { mountedDirectory: workspace } });
    expect(await searchStatusOf(daemon)).toMatchObject({ state: 'stopped', vectors: 0, installed: true });
    expect(embedders(daemon)).toEqual([]);
    await search(daemon, 'bug');
    expect(embedders(daemon)).toHaveLength(1);
    const { pid } = daemon.process.child;
    // Where the system tells: the daemon itself never maps the runtime.
    if (process.platform === 'linux') {
      expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).not.toContain('onnxruntime');
      const maps = readFileSync(`/proc/${embedders(daemon)[0]}/maps`, 'utf8');
      expect(maps).toContain('onnxruntime');
      // Text needs no library for images.
      expect(maps).not.toContain('vips');
    }
  });

  it('SS-04 embeds each chunk once, over a restart too', async () => {
    const stateDirectory = temporaryDirectory();
    const stored: string[][] = [[]];
    for (const query of ['bug', 'sql']) {
      const daemon = await start(undefined, { stateDirectory });
      await searchByMeaning(daemon, query);
      expect(await searchStatusOf(daemon)).toMatchObject({ vectors: all });
      await daemon.stop();
      stored.push(storedVectors(stateDirectory));
    }
    const embedded = stored.slice(1).map((now, before) => now.filter((each) => !stored[before]?.includes(each)));
    expect(embedded.map(({ length }) => length)).toEqual([all, 0]);
  });

  it('SS-10 embeds anew with another model, and compares no vectors of two', async () => {
    const stateDirectory = temporaryDirectory();
    const scores: (number | undefined)[] = [];
    for (const name of ['all-MiniLM-L6-v2', 'bge-small-en-v1.5', 'all-MiniLM-L6-v2']) {
      await using daemon = await start(['--model-dir', model], { stateDirectory, env: { CONTEXTD_MODEL: name } });
      const { results } = await searchByMeaning(daemon, 'bug');
      expect(results[0]?.engine).toBe('semantic');
      scores.push(results[0]?.score);
      const status = await searchStatusOf(daemon);
      expect(status).toMatchObject({ model: expect.stringMatching(new RegExp(`/${name}$`, 'u')), vectors: all });
    }
    expect(scores[2]).toBe(scores[0]);
    expect(scores[1]).not.toBe(scores[0]);
    expect(storedVectors(stateDirectory)).toHaveLength(2 * all);
  });

  it('SS-04 indexes a directory when it is granted, with the model that is there and no other', async () => {
    const granted = { path: workspace };
    await using daemon = await start(['--model-dir', model], { grantRoots: [] });
    await daemon.request('/v1/roots', { body: granted });
    await until(async () => (await searchStatusOf(daemon)).vectors >= Object.keys(rules).length);
    await expect.poll(async () => (await searchStatusOf(daemon)).jobs).toEqual([]);
    expect((await search(daemon, 'exceptions')).semantic).toMatchObject({ status: 'ready' });
    await using without = await start([], { grantRoots: [] });
    await without.request('/v1/roots', { body: granted });
    expect((await search(without, 'exceptions')).semantic.status).toBe('degraded');
    expect(await searchStatusOf(without)).toMatchObject({ installed: false, jobs: [], vectors: 0 });
    expect(embedders(without)).toEqual([]);
  });

  it('SS-03 warms by the command line, which shows how far it is', async () => {
    await using daemon = await start();
    const shown = await daemon.cli(['warm', workspace]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(`Indexing chunks: ${all} of ${all}\n`);
    expect(shown.stdout).toContain(`Xenova/all-MiniLM-L6-v2 is ready; ${all} chunks are in memory.\n`);
    const lines = (await daemon.cli(['warm', '--model-only', '--json'])).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ state: 'finished' }, { state: 'ready' }]);
    const refused = await daemon.cli(['warm', '/']);
    expect(refused.code).toBe(64);
  });

  it('S-78 downloads nothing when it is offline, and says what to do', async () => {
    await using daemon = await start(['--offline']);
    const { semantic } = await search(daemon, 'failure', 'hybrid');
    expect(semantic).toMatchObject({ status: 'degraded', detail: expect.stringContaining('The model is not in') });
    const failed = await daemon.cli(['warm', workspace]);
    expect(failed).toMatchObject({ code: 78, stderr: expect.stringContaining('it is not downloaded') });
    expect(await searchStatusOf(daemon)).toMatchObject({ state: 'failed', installed: false });
  });

  it('S-78 names of other models are refused', async () => {
    await using daemon = await start();
    for (const [body, status] of [
      [{ model: '../../x' }, 409],
      [{ model: 'Xenova/bge-small-en-v1.5' }, 409],
      [{ model: '' }, 400],
      [{ modelDirectory: '/tmp' }, 400],
    ] as const)
      expect((await daemon.request('/v1/search/warm', { body })).status).toBe(status);
    const none = await daemon.request('/v1/search/warm', { body: { agentId: 'nobody' } });
    expect(none).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  const file = () => join(model, 'onnx/model_quantized.onnx');
  it.each([
    { what: 'missing', spoil: () => rmSync(model, { recursive: true }) },
    { what: 'truncated', spoil: () => truncateSync(file(), 1_000) },
    { what: 'changed', spoil: () => writeFileSync(file(), readFileSync(file()).fill(1, 5_000, 5_001)) },
    {
      what: 'of another width',
      spoil: () => writeSmallModel(model, { shape: { ...smallShape, dimensions: 128 } }),
    },
    { what: 'answering no numbers', spoil: () => writeSmallModel(model, { bias: Number.NaN }) },
  ])('S-78 compares words while the model is $what, and meanings when it is mended', async ({ spoil }) => {
    spoil();
    await using daemon = await start();
    const degraded = await search(daemon, 'failure', 'hybrid');
    expect(degraded.semantic).toMatchObject({ status: 'degraded', engine: 'keyword' });
    expect(degraded.semantic.detail).not.toBe('');
    expect(degraded.results[0]).toMatchObject({ name: 'errors', engine: 'keyword' });
    // What is known to be broken costs a request nothing.
    const startedMs = performance.now();
    await search(daemon, 'exception', 'hybrid');
    expect(performance.now() - startedMs).toBeLessThan(isTorture ? 300 : 1_000);
    const whole = temporaryDirectory();
    writeSmallModel(whole);
    rmSync(model, { recursive: true, force: true });
    cpSync(whole, model, { recursive: true });
    expect((await searchByMeaning(daemon, 'bug')).results[0]).toMatchObject({ name: 'errors', engine: 'semantic' });
  });

  it(`S-79 goes on after each of ${kills} kills of the process, and mixes no models`, {
    timeout: 60_000 + kills * 10_000,
  }, async () => {
    await using daemon = await start();
    const first = await searchByMeaning(daemon, 'bug');
    const killed = new Set<number>();
    for (let round = 0; round < kills; round += 1) {
      // Each round has something to embed.
      writeFileSync(
        join(workspace, '.context/more.md'),
        `---\ntrigger: agent\n---\n${`cat weather ${round} `.repeat(400)}`,
      );
      const asked = search(daemon, `bug ${round}`, 'hybrid');
      // Before it is there, while it is answered, or after.
      await delay(5 * (round % 8));
      const pids = await until(() => {
        const found = embedders(daemon).filter((pid) => !killed.has(pid));
        return found.length > 0 ? found : undefined;
      });
      for (const pid of pids) if (process.kill(pid, 'SIGKILL')) killed.add(pid);
      const { results, semantic } = await asked;
      expect(['ready', 'degraded']).toContain(semantic.status);
      expect(results.length).toBeGreaterThan(0);
    }
    expect(killed.size).toBeGreaterThanOrEqual(kills);
    rmSync(join(workspace, '.context/more.md'));
    const again = await searchByMeaning(daemon, 'bug');
    expect(again.results[0]).toMatchObject({ name: 'errors', score: first.results[0]?.score });
    writeSmallModel(model, { seed: 2 });
    // The model is not changed while it works, and the last searches may have left work behind.
    const other = await until(async () => {
      const { results } = await searchByMeaning(daemon, 'bug');
      return results[0]?.score === first.results[0]?.score ? undefined : results;
    });
    expect(other[0]).toMatchObject({ name: 'errors' });
    expect(daemon.process.output.code).toBeNull();
  });

  it('S-79 the process ends with the daemon, however that ends', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const daemon = await start();
      await search(daemon, 'bug');
      const [pid = 0] = embedders(daemon);
      expect(isRunning(pid)).toBe(true);
      daemon.process.child.kill(signal);
      await daemon.process.exited;
      await until(() => !isRunning(pid));
      await daemon.stop();
    }
  });
});

/** One word for each stored vector: another one when its chunk is embedded again. */
function storedVectors(stateDirectory: string): string[] {
  const database = new DatabaseSync(join(stateDirectory, 'contextd.db'), { readOnly: true });
  try {
    return database
      .prepare('SELECT key, rowid, used_at FROM vectors')
      .all()
      .map(({ key, rowid, used_at }) => `${key} ${rowid} ${used_at}`);
  } finally {
    database.close();
  }
}
