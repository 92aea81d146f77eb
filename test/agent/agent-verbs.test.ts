/** Agents are created, read, updated, deleted, listed, exported and imported (AG-05). */

import { beforeEach, describe, expect, it } from 'vitest';
import { createAgentRecords } from '../../src/agent/agent-records.ts';
import type { AgentVerbs } from '../../src/agent/agent-verbs.ts';
import type { Engine } from '../../src/engine.ts';
import { anyVersion } from '../../src/ports/expected-version.ts';
import type { StoredAgent } from '../../src/ports/store/agent.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { atVersion, nothingYet } from '../support/versions.ts';
import { createWorkspace, project, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let engine: Engine;
let agents: AgentVerbs;
let events: string[];
beforeEach(async () => {
  workspace = await createWorkspace({});
  engine = workspace.engine;
  agents = engine.agents;
  events = [];
  engine.subscribe({
    deliver: ({ type, data }) => void events.push(`${type} ${JSON.stringify(data)}`),
    end() {},
  });
});

const changed = (agentId: string, change: string) => `agent-changed {"agentId":"${agentId}","change":"${change}"}`;
const code = (expected: string, pointer?: string) => ({
  code: expected,
  ...(pointer === undefined ? {} : { errors: [{ pointer }] }),
});
const refused = async (verb: Promise<unknown>, expected: string, pointer?: string) =>
  expect(verb).rejects.toMatchObject(code(expected, pointer));

describe('agents', () => {
  it('AG-05 are created, read, replaced, listed and deleted', async () => {
    const created = await agents.put('b', { name: 'B', rules: [{ name: 'r', text: 'x' }] });
    expect(created).toMatchObject({ created: true, agent: { id: 'b', name: 'B', rules: [{ name: 'r', text: 'x' }] } });
    await agents.put('a', { name: 'A', description: 'First', mountedDirectory: project });
    workspace.clock.advance(60_000);
    const replaced = await agents.put('b', { id: 'b', name: 'B2' });
    expect(replaced).toMatchObject({ created: false, agent: { id: 'b', name: 'B2' } });
    expect(await agents.get('b')).toEqual({ agent: { id: 'b', name: 'B2' }, etag: replaced.etag });
    const [first, second] = await agents.list();
    expect(first).toMatchObject({ id: 'a', name: 'A', description: 'First', mountedDirectory: project, rules: 0 });
    expect(second).toMatchObject({ id: 'b', name: 'B2', etag: replaced.etag });
    expect(Date.parse(second?.updatedAt ?? '') - Date.parse(second?.createdAt ?? '')).toBe(60_000);
    await agents.remove('b');
    await refused(agents.get('b'), 'not_found');
    await refused(agents.remove('b'), 'not_found');
    expect((await agents.list()).map(({ id }) => id)).toEqual(['a']);
  });

  it('AG-05 begin an item that was put alone with its name, as people look for it in an export', async () => {
    await agents.put('a', { name: 'A' });
    await agents.putItem({ agentId: 'a', kind: 'rules', name: 'r' }, { text: 'x' });
    expect(await agents.export('a', 'yaml')).toContain('rules:\n  - name: r\n    text: x\n');
  });

  it('SY-03 AG-05 tell listeners of each change, and of nothing else', async () => {
    await agents.put('a', { name: 'A' });
    await agents.put('a', { name: 'A' });
    await agents.put('a', { name: 'B' });
    await agents.putItem({ agentId: 'a', kind: 'references', name: 'r' }, { text: 'x' });
    await agents.get('a');
    await agents.items('a');
    await refused(agents.put('a', { name: 'C' }, atVersion('0')), 'version_mismatch');
    await agents.remove('a');
    await refused(agents.remove('a'), 'not_found');
    expect(events).toEqual([
      changed('a', 'created'),
      changed('a', 'updated'),
      changed('a', 'updated'),
      changed('a', 'deleted'),
    ]);
  });

  it('AG-05 are only changed by who knows the present version, where that is asked for', async () => {
    const { etag } = await agents.put('a', { name: 'A' }, nothingYet);
    await refused(agents.put('a', { name: 'B' }, nothingYet), 'version_mismatch');
    await refused(agents.put('b', { name: 'B' }, atVersion('0')), 'version_mismatch');
    const next = await agents.put('a', { name: 'B' }, atVersion(etag));
    expect(next.etag).not.toBe(etag);
    await refused(agents.put('a', { name: 'C' }, atVersion(etag)), 'version_mismatch');
    await refused(agents.remove('a', atVersion(etag)), 'version_mismatch');
    await refused(
      agents.putItem({ agentId: 'a', kind: 'rules', name: 'x' }, { text: '' }, atVersion(etag)),
      'version_mismatch',
    );
    expect((await agents.get('a')).agent).toEqual({ id: 'a', name: 'B' });
    await agents.remove('a', atVersion('0', next.etag));
  });

  it('AG-05 of two writers who know the same version, one wins', async () => {
    const { etag } = await agents.put('a', { name: 'A' });
    const writes = Array.from({ length: 8 }, (_, n) => agents.put('a', { name: `B${n}` }, atVersion(etag)));
    const results = await Promise.allSettled(writes);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    [{ name: 'A', id: 'b' }, 'invalid_request', '/id'],
    [{ name: 'A', mountedDirectory: 'relative' }, 'invalid_request', '/mountedDirectory'],
    [{ name: 'A', mountedDirectory: 'file:///p' }, 'invalid_request', '/mountedDirectory'],
    [{ name: 'A', workingDirectory: 'src' }, 'invalid_request', '/workingDirectory'],
    [{ name: 'A', mountedDirectory: '/p', workingDirectory: '../q' }, 'path_outside_roots', '/workingDirectory'],
  ])('S-34 AG-05 refuses %j', async (agent, expected, pointer) => {
    await refused(agents.put('a', agent), expected, pointer);
    expect(await agents.list()).toEqual([]);
  });

  it('AG-05 may name directories that do not exist or are not granted yet', async () => {
    await agents.put('a', { name: 'A', mountedDirectory: '~/later', workingDirectory: '~/later/src' });
    expect((await agents.items('a')).warnings).toMatchObject([{ code: 'path_outside_roots' }]);
  });

  it('S-16 an id that nobody has is refused alike by every verb', async () => {
    await agents.put('a', { name: 'A' });
    const place = { agentId: 'x', kind: 'rules', name: 'r' } as const;
    const asked = [
      agents.get('x'),
      agents.remove('x'),
      agents.items('x'),
      agents.export('x', 'yaml'),
      agents.putItem(place, { text: '' }),
      agents.removeItem(place),
      agents.search({ agentId: 'x', query: 'q' }),
    ];
    const answers = await Promise.all(asked.map((each) => each.catch(({ code, message }) => `${code} ${message}`)));
    expect(new Set(answers)).toEqual(new Set(['not_found There is no agent with this id.']));
  });
});

describe('rules and references', () => {
  const rule = { agentId: 'a', kind: 'rules', name: 'r' } as const;

  it('AG-05 are added, replaced in their place, and removed', async () => {
    const { etag } = await agents.put('a', { name: 'A', rules: [{ name: 'q', text: 'q' }] });
    const added = await agents.putItem(rule, { text: 'one', include: 'always' });
    expect(added).toMatchObject({ created: true, item: { name: 'r', text: 'one', include: 'always' } });
    expect(added.etag).not.toBe(etag);
    await agents.putItem({ ...rule, name: 's' }, { text: 's' });
    const replaced = await agents.putItem(rule, { name: 'r', text: 'two' });
    expect(replaced).toMatchObject({ created: false, item: { name: 'r', text: 'two' } });
    await agents.putItem({ ...rule, kind: 'references' }, { text: 'ref' });
    expect((await agents.get('a')).agent).toMatchObject({
      rules: [{ name: 'q' }, { name: 'r', text: 'two' }, { name: 's' }],
      references: [{ name: 'r', text: 'ref' }],
    });
    expect(await agents.removeItem(rule)).toBe((await agents.get('a')).etag);
    await refused(agents.removeItem(rule), 'not_found');
    expect((await agents.get('a')).agent.rules?.map(({ name }) => name)).toEqual(['q', 's']);
    await refused(agents.putItem(rule, { name: 'x', text: '' }), 'invalid_request', '/name');
  });

  it('AG-02 S-66 are at most 1,000 of a kind, and all together 8 MiB', async () => {
    const rules = Array.from({ length: 1_000 }, (_, n) => ({ name: `r${n}`, text: '' }));
    await agents.put('a', { name: 'A', rules });
    await refused(agents.putItem(rule, { text: '' }), 'limit_exceeded');
    await agents.putItem({ ...rule, name: 'r0' }, { text: 'x' });
    const text = 'x'.repeat(256 * 1024);
    const large = Array.from({ length: 31 }, (_, n) => ({ name: `r${n}`, text }));
    await agents.put('a', { name: 'A', references: large });
    await refused(agents.putItem({ ...rule, name: 'more' }, { text }), 'limit_exceeded');
    expect((await agents.get('a')).agent.references).toHaveLength(31);
  });

  it('S-66 there are at most 1,000 agents', async () => {
    const store = createMemoryStore();
    const records = createAgentRecords({
      store: store.agents,
      clock: createFakeClock(),
      keyed: (text) => text,
      onChange() {},
    });
    const write = (id: string) => records.write(id, anyVersion, () => ({ id, name: id }));
    await write('a0');
    const { version: _version, ...stored } = (await store.agents.get('a0')) as StoredAgent;
    await store.agents.write(async (writer) => {
      for (let n = 1; n < 999; n += 1) await writer.put({ ...stored, id: `a${n}` });
    });
    await write('a999');
    await expect(write('b')).rejects.toMatchObject({ code: 'limit_exceeded' });
    await write('a0');
    await store.close();
  });
});

describe('documents', () => {
  const local = { command: 'x', env: { TOKEN: 'canary-1' } };
  const agent = { name: 'A', rules: [{ name: 'r', text: 'x' }], mcpServers: { local } };

  it.each(['yaml', 'json'] as const)(
    'AG-05 S-26 an export as %s has no secret, and changes nothing when imported',
    async (format) => {
      const { etag } = await agents.put('a', agent);
      const content = await agents.export('a', format);
      expect(content).not.toContain('canary');
      await refused(agents.import({ content }), 'conflict');
      const imported = await agents.import({ content, replace: true });
      expect(imported).toMatchObject({ created: false, etag });
      expect(JSON.stringify(imported)).not.toContain('canary');
    },
  );

  it('AG-05 S-26 an import elsewhere asks for the values', async () => {
    await agents.put('a', agent);
    const content = await agents.export('a', 'yaml');
    await agents.remove('a');
    await expect(agents.import({ content })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/content', message: expect.stringContaining('/mcpServers/local/env/TOKEN') }],
    });
    const { created, agent: shown } = await agents.import({ content: content.replace('"***"', 'new') });
    expect(created).toBe(true);
    expect(shown.mcpServers).toEqual({ local: { command: 'x', env: { TOKEN: '***' } } });
  });

  it('S-26 no answer and no event carries a secret', async () => {
    const answers = [
      await agents.put('a', agent),
      await agents.get('a'),
      await agents.list(),
      await agents.items('a'),
      await agents.putItem({ agentId: 'a', kind: 'rules', name: 'z' }, { text: '' }),
      await agents.search({ agentId: 'a', query: 'canary' }),
      await agents.import({ content: await agents.export('a', 'json'), replace: true }),
    ];
    expect(JSON.stringify([answers, events])).not.toContain('canary-1');
  });
});
