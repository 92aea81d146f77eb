/** `/metrics` is text that Prometheus understands, named as it advises, and says nothing of what clients send. */
import parse from 'parse-prometheus-text-format';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bucketSeconds, createRequestMetrics, quantile } from '../../routes/http/request-metrics.ts';
import { formatMetrics, histogramSamples } from '../../routes/metrics-text.ts';
import { createListeningApp, type ListeningApp, operationsOf, token } from './support/listening-app.ts';
import { openRawConnection, requestText } from './support/raw-http.ts';

type Family = ReturnType<typeof parse>[number];

let test: ListeningApp;
beforeEach(async () => {
  test = await createListeningApp({ countDescriptors: () => 31 });
});
afterEach(() => test.app.close());

const authorization = `Bearer ${token}`;
async function scrape(): Promise<{ text: string; families: Map<string, Family> }> {
  const response = await fetch(`${test.url}/metrics`, { headers: { authorization } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  return { text, families: new Map(parse(text).map((family) => [family.name, family])) };
}
const labelsOf = ({ metrics }: Family): Record<string, string>[] => metrics.map(({ labels = {} }) => labels);

describe('GET /metrics', () => {
  it('SY-05 is understood by a parser, each family with its help and type, and no family twice', async () => {
    await fetch(`${test.url}/v1/roots`, { headers: { authorization } });
    const { text, families } = await scrape();
    expect(families.size).toBeGreaterThan(40);
    expect(families.size).toBe([...text.matchAll(/^# TYPE /gmu)].length);
    for (const { name, help, type, metrics } of families.values()) {
      expect(help, name).toMatch(/^[A-Z0-9].*\.$/u);
      expect(type, name).not.toBe('UNTYPED');
      expect(metrics.length, name).toBeGreaterThan(0);
    }
    // What the parser would overlook: each line is a comment or a sample, and the text ends with a line break.
    for (const line of text.slice(0, -1).split('\n'))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) contextd_|contextd_[a-z0-9_]+(?:\{[^}]*\})? (?:\d|\+Inf))/u);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('SY-05 follows the conventions for names: prefix, base units, counters in total', async () => {
    await fetch(`${test.url}/v1/roots`, { headers: { authorization } });
    const { families } = await scrape();
    for (const { name, type } of families.values()) {
      expect(name).toMatch(/^contextd_[a-z][a-z0-9_]*[a-z0-9]$/u);
      expect(name.endsWith('_total'), name).toBe(type === 'COUNTER');
      expect(name).not.toMatch(
        /_(?:ms|milliseconds|minutes|kb|mb|megabytes|percent|gauge|counter|count|sum|bucket)(?:_|$)/u,
      );
    }
    expect(families.get('contextd_http_request_duration_seconds')?.type).toBe('HISTOGRAM');
    expect(families.get('contextd_open_descriptors')?.metrics).toEqual([{ value: '31' }]);
  });

  it('SY-05 counts requests by method, registered path and outcome, and refusals by code', async () => {
    for (let count = 0; count < 3; count += 1) await fetch(`${test.url}/v1/roots`, { headers: { authorization } });
    await fetch(`${test.url}/v1/roots`);
    await fetch(`${test.url}/v1/nothing`, { headers: { authorization } });
    await fetch(`${test.url}/v1/agents/some-agent`, { headers: { authorization } });
    await expect
      .poll(async () => (await scrape()).text)
      .toContain('contextd_http_requests_refused_total{code="not_found"} 2');
    const { text } = await scrape();
    expect(text).toContain('contextd_http_requests_total{method="GET",route="/v1/roots",status="2xx"} 3\n');
    // An increase can be seen only from a value that was there before.
    expect(text).toContain('contextd_http_requests_total{method="GET",route="/v1/roots",status="5xx"} 0\n');
    expect(text).toContain('contextd_http_requests_total{method="GET",route="/v1/agents/:agentId",status="4xx"} 1\n');
    expect(text).toContain('contextd_http_requests_total{method="GET",route="",status="4xx"} 2\n');
    expect(text).toContain('contextd_http_requests_refused_total{code="unauthorized"} 1\n');
    expect(text).toContain('contextd_http_request_duration_seconds_count{method="GET",route="/v1/roots"} 3\n');
    // Itself.
    expect(text).toContain('contextd_http_requests_in_flight 1\n');
  });

  it('S-09 S-84 has no more series than operations, and nothing of what clients sent, whatever they send', async () => {
    const connection = await openRawConnection(test.port);
    const headers = [
      ['Host', `127.0.0.1:${test.port}`],
      ['Authorization', authorization],
      ['User-Agent', 'canary-agent'],
    ] as const;
    const methods = ['GET', 'PROPFIND', 'M-SEARCH', 'SOURCE', 'OPTIONS', 'DELETE'];
    for (let count = 0; count < 300; count += 1) {
      const method = methods[count % methods.length] as string;
      const target = `/${['v1/agents', 'console', 'docs', 'v1/sessions'][count % 4]}/canary${count}%0a%22%7D?canary=${count}`;
      await connection.exchange(requestText({ method, target, headers }));
    }
    for (const { method, path } of operationsOf(test.app).filter(({ operationId }) => operationId !== 'shutDown'))
      await connection.exchange(requestText({ method, target: `${path}/canary`, headers }));
    connection.destroy();
    const { text, families } = await scrape();
    expect(text).not.toContain('canary');
    const routes = new Set(operationsOf(test.app).map(({ path }) => path.replaceAll(/\{(\w+)\}/gu, ':$1')));
    for (const { method, route } of labelsOf(families.get('contextd_http_requests_total') as Family)) {
      if (route !== '') expect([...routes, '/console/:file', '/docs/:file']).toContain(route);
      expect(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other']).toContain(method);
    }
  });

  it('S-02 needs a token', async () => {
    expect((await fetch(`${test.url}/metrics`)).status).toBe(401);
  });

  it('SY-05 tells of a client that went away before it had an answer', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: answer } = Promise.withResolvers<void>();
    const rest = [
      async () => {
        ask();
        await goOn;
      },
    ];
    Object.assign(test.engine, {
      listRoots: async () => {
        await rest.shift()?.();
        return [];
      },
    });
    const connection = await openRawConnection(test.port);
    const headers = [
      ['Host', `127.0.0.1:${test.port}`],
      ['Authorization', authorization],
    ] as const;
    connection.write(requestText({ method: 'GET', target: '/v1/roots', headers }));
    await asked;
    connection.destroy();
    await expect
      .poll(async () => (await scrape()).text)
      .toContain('contextd_http_requests_total{method="GET",route="/v1/roots",status="aborted"} 1\n');
    answer();
  });
});

describe('formatMetrics', () => {
  it('S-84 escapes what would end a line or a label', () => {
    const labels = { path: 'a"b\\c\nd' };
    const text = formatMetrics([
      { name: 'x', help: 'One\ntwo \\ three.', type: 'gauge', samples: [{ value: 1, labels }] },
    ]);
    expect(text).toBe('# HELP x One\\ntwo \\\\ three.\n# TYPE x gauge\nx{path="a\\"b\\\\c\\nd"} 1\n');
    expect(parse(text)).toMatchObject([{ metrics: [{ labels, value: '1' }] }]);
  });

  it('SY-05 adds buckets up and leaves out families without samples', () => {
    const samples = histogramSamples({}, { bounds: [1, 2], buckets: [3, 0, 4], sum: 12.5 });
    const text = formatMetrics([
      { name: 'd', help: 'D.', type: 'histogram', samples },
      { name: 'e', help: 'E.', type: 'gauge', samples: [] },
    ]);
    expect(parse(text)).toMatchObject([
      { name: 'd', metrics: [{ buckets: { 1: '3', 2: '3', '+Inf': '7' }, count: '7', sum: '12.5' }] },
    ]);
  });
});

describe('createRequestMetrics', () => {
  const line = { requestId: 'id', method: 'GET', route: '/r', status: 200, durationMs: 0, peer: undefined };

  it('SY-05 estimates quantiles between the bounds of a bucket', () => {
    const metrics = createRequestMetrics();
    expect(quantile(0.5, metrics.series)).toBe(0);
    for (let count = 0; count < 98; count += 1) metrics.count({ ...line, durationMs: 7 });
    for (let count = 0; count < 2; count += 1) metrics.count({ ...line, route: '/slow', durationMs: 60_000 });
    expect(quantile(0.5, metrics.series)).toBeCloseTo(0.005 + (0.005 * 50) / 98, 9);
    expect(quantile(0.99, metrics.series)).toBe(10);
    expect(quantile(0, metrics.series)).toBeCloseTo(0.005, 9);
  });

  it.each(bucketSeconds)('SY-05 counts %d s in the bucket that ends there', (seconds) => {
    const metrics = createRequestMetrics();
    metrics.count({ ...line, durationMs: seconds * 1_000 });
    expect(quantile(1, metrics.series)).toBeCloseTo(seconds, 9);
  });

  it('SY-05 measures no streams, and takes no end of theirs for an interruption', () => {
    const metrics = createRequestMetrics();
    metrics.count({ ...line, durationMs: 60_000, stream: true, aborted: true });
    expect(metrics.series).toMatchObject([{ outcomes: { '2xx': 1, aborted: 0 }, sumSeconds: 0 }]);
  });
});
