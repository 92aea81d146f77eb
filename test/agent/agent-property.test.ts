/** No sequence of edits of agents gives a 5xx, and every answer fits what was sent before. */
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { AgentItems } from '../../routes/agents.ts';
import { Problem } from '../../routes/http/problem.ts';
import { Agent } from '../../src/agent/agent.ts';
import { createTestApp } from '../routes/support/listening-app.ts';
import { sized } from '../support/test-size.ts';
import { contextFile, createWorkspace } from '../support/workspace.ts';

const id = fc.constantFrom('a', 'a', 'a', 'b', 'b', '__proto__', 'a b', '');
const name = fc.constantFrom('r', 's', 'r', 's', 'style', 'constructor', 'a/b');
const text = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 8 }));
const odd = fc.constantFrom<unknown>(null, 0, [], {}, 'x', true, { name: 1 });
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: odd });
const include = fc.constantFrom('always', 'manual', 'agent');
const item = mostly(
  fc.record(
    {
      name: mostly(name),
      text: mostly(text),
      include: mostly(include),
      priority: mostly(fc.integer({ min: 0, max: 999 })),
    },
    { requiredKeys: ['text'] },
  ),
);
const values = fc.dictionary(fc.constantFrom('A', 'B', 'toString'), fc.constantFrom('', 'v', 'w', '***'), {
  maxKeys: 2,
});
const server = fc.oneof(
  fc.record(
    { command: fc.constantFrom('x', 'y'), args: fc.array(fc.constantFrom('', 'a'), { maxLength: 2 }), env: values },
    { requiredKeys: ['command'] },
  ),
  fc.record(
    {
      url: fc.constantFrom('https://u:p@e.org/?k=v', 'https://***:***@e.org/?k=***', 'x'),
      headers: values,
      include,
    },
    { requiredKeys: ['url'] },
  ),
);
const agent = mostly(
  fc.record(
    {
      id: fc.constantFrom('a', 'b'),
      name: mostly(fc.constantFrom('A', 'B', '***')),
      mountedDirectory: mostly(fc.constantFrom('/p', '/p', '/q', '~/x', 'relative', '/p/.context/a.md')),
      workingDirectory: mostly(fc.constantFrom('src', 'src', '../q')),
      rules: mostly(fc.array(item, { maxLength: 2 })),
      references: mostly(fc.array(item, { maxLength: 2 })),
      mcpServers: mostly(fc.dictionary(fc.constantFrom('s', 'toString'), mostly(server), { maxKeys: 2 })),
      settings: mostly(fc.constantFrom({}, { search: { preset: 'normal' } }, { topP: 1 })),
    },
    { requiredKeys: ['name'] },
  ),
);
const place = fc.tuple(id, fc.constantFrom('rules', 'references'), name);
const request = (method: InjectOptions['method'], url: string, payload?: unknown): InjectOptions => ({
  method,
  url,
  ...(payload === undefined
    ? {}
    : { payload: JSON.stringify(payload), headers: { 'content-type': 'application/json' } }),
});
const urlOf = ([agentId, kind, item]: [string, string, string]) =>
  `/v1/agents/${encodeURIComponent(agentId)}/${kind}/${encodeURIComponent(item)}`;
const agentUrl = (agentId: string) => `/v1/agents/${encodeURIComponent(agentId)}`;

const edits = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(id, agent).map(([agentId, body]) => request('PUT', agentUrl(agentId), body)) },
    { weight: 2, arbitrary: fc.tuple(place, item).map(([at, body]) => request('PUT', urlOf(at), body)) },
    { weight: 1, arbitrary: place.map((at) => request('DELETE', urlOf(at))) },
    { weight: 1, arbitrary: id.map((agentId) => request('DELETE', agentUrl(agentId))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.oneof(
            agent.map((each) => JSON.stringify(each)),
            text,
          ),
          fc.boolean(),
        )
        .map(([content, replace]) => request('POST', '/v1/agents/import', { content, replace })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(id, fc.constantFrom('', '/items', '/export', '/export?format=json'))
        .map(([agentId, path]) => request('GET', agentUrl(agentId) + path)),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(id, text).map(([agentId, query]) => request('POST', '/v1/search', { agentId, query })),
    },
  ),
  { minLength: 5, maxLength: 25 },
);

// Made once: making a schema takes longer than parsing by it.
const wholeItems = AgentItems.strict();

it('S-66 AG-05 no sequence of edits gives a 5xx, and what is read is what was written', {
  timeout: 120_000,
}, async () => {
  const { engine } = await createWorkspace(
    { '/p/.context/a.md': contextFile({ trigger: 'always' }), '/p/.context/style.md': 'x' },
    { grantedRoots: ['/p'] },
  );
  const { app } = await createTestApp({ engine });
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(edits, async (sequence) => {
      for (const { id } of await engine.agents.list()) await engine.agents.remove(id);
      await engine.agents.put('a', { name: 'A', mountedDirectory: '/p' });
      for (const each of sequence) {
        const answer = await app.inject(each);
        seen.set(answer.statusCode, (seen.get(answer.statusCode) ?? 0) + 1);
        if (answer.statusCode >= 500) expect.fail(answer.body);
        if (answer.statusCode >= 400) Problem.parse(answer.json());
        else if (`${each.url}`.endsWith('/items')) wholeItems.parse(answer.json());
        if (each.method === 'PUT' && answer.statusCode < 300 && !/rules|references/u.test(`${each.url}`)) {
          const read = await app.inject({ method: 'GET', url: `${each.url}` });
          expect(read.json()).toEqual(answer.json());
          expect(Agent.parse(read.json()).name).toBe(JSON.parse(`${each.payload}`).name);
        }
      }
    }),
    { numRuns: sized(250, 250, 100), seed: 20_260_105 },
  );
  for (const status of [200, 201, 204, 400, 404, 409]) expect(seen.get(status) ?? 0, `${status}`).toBeGreaterThan(2);
  await app.close();
});
