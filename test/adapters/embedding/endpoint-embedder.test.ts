/** Against a real HTTP server, which is hostile in most of these tests. */
import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEndpointEmbedder, type EndpointOptions } from '../../../src/adapters/embedding/endpoint-embedder.ts';
import { type Embedder, EmbeddingFailure } from '../../../src/ports/ports.ts';
import {
  type Asked,
  type EmbeddingServer,
  listOf,
  sendJson,
  startEmbeddingServer,
} from '../../support/embedding-server.ts';
import { listenOnLoopback } from '../../support/loopback.ts';

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

const quick = { requestMs: 10_000, retriesMs: [5, 5], pauseMs: 0 };

function create(options: Partial<EndpointOptions> = {}): Embedder {
  const url = new URL('/v1/embeddings', server.url);
  const embedder = createEndpointEmbedder({ url, model: 'nomic-embed-text', ...quick, ...options });
  made.push(embedder);
  return embedder;
}

const failureOf = (embedder: Embedder, texts = ['cat']) =>
  embedder.embed(texts).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
/** Without those that tell one model from another. */
const sent = () => server.asked.map(({ body }) => body.input).filter((input) => input.length !== 5);

describe('embedding server', () => {
  it('SS-09 gets texts in batches, with the prefixes of the model, and gives vectors of length 1', async () => {
    const embedder = create({ key: 'sk-test-1234567890' });
    expect([embedder.dimensions, embedder.endpoint, embedder.isPresent()]).toEqual([undefined, server.url, true]);
    const states: string[] = [];
    embedder.onChange(({ state }) => states.push(state));
    const texts = Array.from({ length: 70 }, (_, at) => `text ${at}`);
    const { dimensions, vectors, identity } = await embedder.embed(texts);
    expect([dimensions, embedder.dimensions, vectors.length]).toEqual([384, 384, 70 * 384]);
    for (const row of [0, 31, 32, 69])
      expect(Math.hypot(...vectors.subarray(row * 384, (row + 1) * 384))).toBeCloseTo(1, 4);
    expect(sent().map(({ length }) => length)).toEqual([32, 32, 6]);
    expect(sent()[0]?.[0]).toBe('search_document: text 0');
    const question = await embedder.embed(['text 0'], 'question');
    expect(sent().at(-1)).toEqual(['search_query: text 0']);
    expect(question.identity).toBe(identity);
    for (const { url, headers, body } of server.asked) {
      expect(url).toBe('/v1/embeddings');
      expect(headers.authorization).toBe('Bearer sk-test-1234567890');
      expect(body).toMatchObject({ model: 'nomic-embed-text', encoding_format: 'float' });
    }
    expect(states).toEqual(['loading', 'ready']);
  });

  it('SS-09 keeps the places that the server names, and its order where it names none', async () => {
    const expected = await create().embed(['cat', 'database', 'weather']);
    server.answer = (asked, response) => sendJson(response, { data: listOf(asked).data.reverse() });
    expect((await create().embed(['cat', 'database', 'weather'])).vectors).toEqual(expected.vectors);
    server.answer = (asked, response) =>
      sendJson(response, { data: listOf(asked).data.map(({ embedding }) => ({ embedding })) });
    expect((await create().embed(['cat', 'database', 'weather'])).vectors).toEqual(expected.vectors);
  });

  it('S-88 sends no secret of a known form, and no more of a text than models read', async () => {
    await create().embed([`token = "ghp_${'a1B2'.repeat(9)}"`, 'word '.repeat(2_000)]);
    const [[first = '', second = ''] = []] = sent();
    expect(first).toContain('***');
    expect(first).not.toContain('ghp_');
    expect(second.length).toBeLessThanOrEqual(1_500);
  });

  it('SS-09 has another identity with another model, also behind the same name', async () => {
    const { identity } = await create().embed(['cat']);
    expect((await create().embed(['cat'])).identity).toBe(identity);
    expect((await create({ model: 'other' }).embed(['cat'])).identity).not.toBe(identity);
    server.modelBehind = 'second';
    expect((await create().embed(['cat'])).identity).not.toBe(identity);
  });

  it('SS-09 takes a model for the same when a machine rounds otherwise', async () => {
    const embedder = create();
    let more = 1e-3;
    const nearly = (text: string) =>
      Array.from({ length: 64 }, (_, at) => (at === text.length ? 1 : at === text.length + 1 ? 1 + more : 0.01));
    server.answer = (asked, response) =>
      sendJson(response, { data: asked.body.input.map((text) => ({ embedding: nearly(text) })) });
    const { identity } = await embedder.embed(['cat']);
    for (const next of [-1e-3, 1e-3]) {
      more = next;
      await embedder.prepare(() => {});
      expect((await embedder.embed(['cat'])).identity).toBe(identity);
    }
    more = -0.5;
    await embedder.prepare(() => {});
    expect((await embedder.embed(['cat'])).identity).not.toBe(identity);
  });

  it('SS-09 never mixes the vectors of a model with those of one that took its place meanwhile', async () => {
    const embedder = create({ retriesMs: [200, 200] });
    const { identity } = await embedder.embed(['cat']);
    const { answer } = server;
    server.answer = (asked, response) => {
      if (asked.body.input.length !== 8) return answer(asked, response);
      // It goes in the middle of the second batch.
      server.answer = answer;
      server.modelBehind = 'second';
      response.destroy();
    };
    const texts = Array.from({ length: 40 }, (_, at) => `text ${at}`);
    await expect(embedder.embed(texts)).rejects.toThrow('has another model now');
    expect((await embedder.embed(texts)).identity).not.toBe(identity);
  });

  it('SS-09 tries again what may pass, no sooner than the server says, and not for ever', async () => {
    const embedder = create();
    const { answer } = server;
    let refused = 0;
    server.answer = (asked, response) => {
      refused += 1;
      if (refused > 1) return answer(asked, response);
      response.writeHead(503, { 'retry-after': '1' }).end();
    };
    const startMs = performance.now();
    expect((await embedder.embed(['cat'])).dimensions).toBe(384);
    expect(performance.now() - startMs).toBeGreaterThan(900);
    server.answer = (_asked, response) => response.writeHead(429).end();
    server.asked.length = 0;
    expect((await failureOf(embedder))?.message).toMatch(/cannot be used: 127\.0\.0\.1:\d+ answered 429\.$/u);
    expect(server.asked).toHaveLength(3);
  });

  it('SS-09 asks nothing for a while after a failure, unless somebody wants it ready, and recovers', async () => {
    const embedder = create({ pauseMs: 60_000 });
    await server.pause();
    expect((await failureOf(embedder))?.message).toMatch(/cannot be asked \(ECONNREFUSED\)\.$/u);
    expect(embedder.status()).toMatchObject({ state: 'failed', detail: expect.stringContaining('ECONNREFUSED') });
    await server.resume();
    expect(await failureOf(embedder)).toBeInstanceOf(EmbeddingFailure);
    expect(server.asked).toEqual([]);
    await embedder.prepare(() => {});
    expect(embedder.status()).toEqual({ state: 'ready' });
    expect((await embedder.embed(['cat'])).dimensions).toBe(384);
  });

  it.each([400, 413, 422, 500])(
    'SS-09 cuts a text shorter that the server refuses with %i, and no other',
    async (status) => {
      const embedder = create({ pauseMs: 60_000, model: 'm' });
      const { answer } = server;
      server.answer = (asked, response) => {
        if (asked.body.input.every(({ length }) => length <= 400)) return answer(asked, response);
        response.writeHead(status).end('too long');
      };
      const long = 'word '.repeat(120);
      const { vectors } = await embedder.embed(['cat', 'dog', long, 'cow']);
      expect(vectors.subarray(0, 384)).toEqual((await embedder.embed(['cat'])).vectors);
      expect(vectors.subarray(3 * 384)).toEqual((await embedder.embed(['cow'])).vectors);
      expect(Math.hypot(...vectors.subarray(2 * 384, 3 * 384))).toBeCloseTo(1, 4);
      expect(server.asked.length).toBeLessThan(12);
    },
  );

  it('SS-09 answers others while it refuses a text however short, and is left alone when it refuses all', async () => {
    const embedder = create({ pauseMs: 60_000 });
    const { answer } = server;
    server.answer = (asked, response) => {
      if (asked.body.input.every((text) => !text.includes('bad'))) return answer(asked, response);
      response.writeHead(500).end();
    };
    const texts = Array.from({ length: 32 }, (_, at) => (at === 20 ? 'bad' : `text ${at}`));
    const detail = /answered 500/u;
    expect((await failureOf(embedder, texts))?.message).toMatch(detail);
    expect(embedder.status()).toEqual({ state: 'ready' });
    expect((await embedder.embed(['cat'])).dimensions).toBe(384);
    server.answer = (_asked, response) => response.writeHead(500).end();
    server.asked.length = 0;
    for (let times = 0; times < 4; times += 1) expect((await failureOf(embedder))?.message).toMatch(detail);
    expect(server.asked.length).toBeLessThan(4);
    expect(embedder.status().state).toBe('failed');
  });

  it('SS-09 gives up what is under way when it is disposed of', async () => {
    const embedder = create();
    server.answer = () => {};
    const under = failureOf(embedder);
    await expect.poll(() => server.asked.length).toBe(1);
    embedder.dispose();
    expect((await under)?.message).toBe('The daemon is ending.');
    expect(await failureOf(embedder)).toBeInstanceOf(EmbeddingFailure);
  });
});

describe('a hostile embedding server', () => {
  const write = (text: string) => (_asked: Asked, response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  const spoil =
    (change: (data: ReturnType<typeof listOf>['data']) => unknown) => (asked: Asked, response: ServerResponse) =>
      sendJson(response, change(listOf(asked).data));
  const embeddingOf = (change: (embedding: number[]) => unknown) =>
    spoil((data) => ({ data: data.map(({ index, embedding }) => ({ index, embedding: change(embedding) })) }));
  const secret = 'what nobody shall read';
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  const cases: { what: string; answer: EmbeddingServer['answer']; says: RegExp; requestMs?: number }[] = [
    { what: 'hangs', answer: () => {}, says: /did not answer within 0\.7 s/u, requestMs: 700 },
    {
      what: 'drips',
      answer(_asked, response) {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
      says: /did not answer within 0\.7 s/u,
      requestMs: 700,
    },
    {
      what: 'never ends',
      answer(_asked, response) {
        const piece = '1,'.repeat(32_768);
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more);
        more();
      },
      says: /answers with more data than the vectors can have/u,
    },
    { what: 'nests deeply', answer: write('['.repeat(500_000)), says: /it is not JSON/u },
    { what: 'writes NaN', answer: write('{"data":[{"index":0,"embedding":[NaN]}]}'), says: /it is not JSON/u },
    { what: 'says something else', answer: write(`"${secret}"`), says: /no list of vectors/u },
    { what: 'says null', answer: write('null'), says: /no list of vectors/u },
    { what: 'has a list of nothing', answer: write('{"data":[null,1,"a",{},[]]}'), says: /no list of vectors/u },
    { what: 'has too few', answer: spoil((data) => ({ data: data.slice(1) })), says: /4 vectors for 5 texts/u },
    { what: 'has too many', answer: spoil((data) => ({ data: [...data, ...data] })), says: /10 vectors for 5 texts/u },
    {
      what: 'names one twice',
      answer: spoil((data) => ({ data: data.map((each) => ({ ...each, index: 0 })) })),
      says: /which vector belongs to which text/u,
    },
    {
      what: 'names places there are not',
      answer: spoil((data) => ({ data: data.map((each) => ({ ...each, index: each.index + 1e9 })) })),
      says: /which vector belongs to which text/u,
    },
    { what: 'has words', answer: embeddingOf((all) => [secret, ...all.slice(1)]), says: /is not a number/u },
    { what: 'has no vector', answer: embeddingOf(() => secret), says: /vectors have 0 numbers/u },
    {
      what: 'has infinities',
      answer: (asked, response) =>
        write(JSON.stringify(listOf(asked)).replaceAll(/\[-?[\d.]+/gu, '[1e999'))(asked, response),
      says: /is not a number/u,
    },
    { what: 'overflows', answer: embeddingOf((all) => all.map(() => 1e300)), says: /zero or too large/u },
    { what: 'has zeros', answer: embeddingOf((all) => all.map(() => 0)), says: /zero or too large/u },
    {
      what: 'has vectors of several lengths',
      answer: spoil((data) => ({
        data: data.map(({ index, embedding }) => ({ index, embedding: embedding.slice(index) })),
      })),
      says: /vectors have 383 numbers, not 384/u,
    },
    { what: 'has long vectors', answer: embeddingOf(() => Array(5_000).fill(1)), says: /have 5000 numbers/u },
    {
      what: 'refuses',
      answer: (_asked, response) => response.writeHead(401).end(secret),
      says: /refuses the key \(401\)/u,
    },
    {
      what: 'knows nothing',
      answer: (_asked, response) => response.writeHead(404).end(secret),
      says: /no such model/u,
    },
    { what: 'breaks off', answer: (_asked, response) => response.destroy(), says: /ECONNRESET/u },
    {
      what: 'breaks off in the middle',
      answer(_asked, response) {
        response.writeHead(200, { 'content-length': 1_000 }).write('{');
        setTimeout(() => response.destroy(), 20);
      },
      says: /ECONNRESET/u,
    },
    {
      what: 'switches protocols',
      answer: (_asked, { socket }) =>
        socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      says: /ECONNRESET/u,
    },
    {
      what: 'packs a bomb',
      answer: (_asked, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      says: /an encoding that contextd did not ask for/u,
    },
  ];

  it.each(cases)(
    'S-88 that $what costs an answer, and says nothing of its own',
    async ({ answer, says, requestMs = 10_000 }) => {
      const embedder = create({ requestMs, retriesMs: [5] });
      const good = server.answer;
      server.answer = answer;
      const failure = await failureOf(embedder);
      expect(failure).toBeInstanceOf(EmbeddingFailure);
      expect(failure?.message).toMatch(says);
      expect(failure?.message).not.toContain(secret);
      expect(embedder.status().state).toBe('failed');
      server.answer = good;
      expect((await embedder.embed(['cat'])).dimensions).toBe(384);
    },
  );

  it('S-88 that redirects gets nothing followed: no text and no key go to whom it names', async () => {
    const elsewhere: string[] = [];
    const other = createServer((request, response) => {
      elsewhere.push(request.url ?? '');
      response.end();
    });
    const port = await listenOnLoopback(other);
    try {
      const location = `http://127.0.0.1:${port}/v1/embeddings`;
      for (const status of [301, 302, 303, 307, 308]) {
        server.answer = (_asked, response) => response.writeHead(status, { location }).end();
        const failure = await failureOf(create({ key: 'sk-test-1234567890' }));
        expect(failure?.message).toMatch(/answers with a redirection \(30\d\), which is not followed/u);
        expect(failure?.message).not.toContain(location);
      }
      expect(elsewhere).toEqual([]);
    } finally {
      other.close();
    }
  });

  it('S-88 whose vectors change their length is refused from then on', async () => {
    const embedder = create();
    await embedder.embed(['cat']);
    server.answer = (asked, response) =>
      sendJson(response, {
        data: listOf(asked).data.map((each) => ({ ...each, embedding: each.embedding.slice(0, 128) })),
      });
    expect((await failureOf(embedder))?.message).toMatch(/vectors have 128 numbers, not 384 .*restart the daemon/u);
    expect(embedder.dimensions).toBe(384);
  });
});
