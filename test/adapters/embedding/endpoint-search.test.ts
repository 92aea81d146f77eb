/** Search by meaning with an embedding server, in this process: what leaves, and how long a search waits. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEndpointEmbedder, type EndpointOptions } from '../../../src/adapters/embedding/endpoint-embedder.ts';
import type { EngineCore } from '../../../src/engine-core.ts';
import type { Embedder } from '../../../src/ports/ports.ts';
import { createIndexGroup } from '../../../src/search/index-verbs.ts';
import type { SearchItem } from '../../../src/search/search-item.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../../support/embedding-server.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { silentLogger } from '../../support/workspace.ts';

let server: EmbeddingServer;
let made: Embedder[];

beforeEach(async () => {
  made = [];
  server = await startEmbeddingServer();
});
afterEach(async () => {
  for (const embedder of made) embedder.dispose();
  await server[Symbol.asyncDispose]();
});

function create({ waitMs, ...options }: Partial<EndpointOptions> & { waitMs?: number } = {}) {
  const url = new URL('/v1/embeddings', server.url);
  const embedder = createEndpointEmbedder({ url, model: 'm', retriesMs: [5], ...options });
  made.push(embedder);
  const core = { store: createMemoryStore(), clock: createFakeClock(), logger: silentLogger, publish() {} };
  return createIndexGroup(core as unknown as EngineCore, { embedder, itemsOf: async () => [], waitMs });
}

const rule = (name: string, text: string): SearchItem => ({
  type: 'rule',
  name,
  description: `About ${name}`,
  text,
  sha256: name,
});

describe('search with an embedding server', () => {
  it('S-88 sends no part of a key or of a long token that is cut into chunks', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const claims = Buffer.from(JSON.stringify({ a: 'x'.repeat(700) })).toString('base64url');
    const token = `eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.${claims}.${'Ab1_'.repeat(85)}`;
    const items = [rule('keys', `Use this key:\n\n${privateKey}\n`), rule('tokens', `token: ${token} is used.`)];
    expect(await create().index.match('keys', items)).toMatchObject({ ok: true });
    const texts = server.asked.flatMap(({ body }) => body.input);
    expect(texts.length).toBeGreaterThan(6);
    const sent = texts.join('\n');
    for (const part of `${privateKey}\n${token}`.match(/[\w+/=]{16,20}/gu) ?? []) expect(sent).not.toContain(part);
    expect(sent).toContain('is used.');
  });

  it('SS-09 leaves a server alone for a while that failed before its first answer', async () => {
    const { index, verbs } = create({ pauseMs: 60_000 });
    const { answer } = server;
    server.answer = (_asked, response) => response.writeHead(503).end();
    const detail = expect.stringContaining('answered 503');
    for (let times = 0; times < 3; times += 1)
      expect(await index.match('one', [rule('one', 'text')])).toEqual({ ok: false, detail });
    expect(server.asked).toHaveLength(2);
    server.answer = answer;
    await verbs.warm({});
    await expect.poll(async () => (await verbs.status()).state).toBe('ready');
    expect(await index.match('one', [rule('one', 'text')])).toMatchObject({ ok: true });
  });

  it('SS-09 waits once in a search, for the first answer and for all others together', async () => {
    const { answer } = server;
    server.answer = (asked, response) => {
      if (asked.body.input.length === 5) setTimeout(() => answer(asked, response), 300);
      else if (asked.body.input[0] === 'ready') answer(asked, response);
    };
    const { index } = create({ waitMs: 600 });
    const startMs = performance.now();
    expect(await index.match('one', [rule('one', 'text')])).toMatchObject({ ok: false });
    expect(performance.now() - startMs).toBeLessThan(4_000);
  });
});
