import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { enoughRequests } from '../../src/session/usage.ts';
import { createExample } from './support/sessions.ts';

describe('usage', () => {
  it('RQ-06 counts by item and mode, with the scores', async () => {
    const { sessions, session, scores, clock } = await createExample();
    scores.one = { C: 0.9 };
    scores.two = { C: 0.8 };
    await sessions.request(session.id, { message: 'one' });
    clock.advance(1_000);
    await sessions.request(session.id, { message: 'two' });
    await sessions.addItem(session.id, { type: 'rule', name: 'C' });
    clock.advance(1_000);
    await sessions.request(session.id, { message: 'one' });
    await sessions.delete(session.id);
    const { requests, items, suggestions } = await sessions.usage('example');
    expect(requests).toBe(3);
    expect(items.map(({ name, include, requests }) => `${name} ${include} ${requests}`)).toEqual([
      'X always 3',
      'A always 3',
      'C agent 3',
      'Y agent 0',
      'B manual 0',
    ]);
    const { scores: scored, ...used } = items[2] as (typeof items)[number];
    expect(used).toMatchObject({
      byMode: { always: 0, manual: 1, auto: 0, agent: 2 },
      tokens: 12,
      lastAt: '2026-01-01T00:00:02.000Z',
    });
    expect(scored).toMatchObject({ count: 2, min: 0.8, max: 0.9 });
    expect(scored?.mean).toBeCloseTo(0.85);
    expect(items[4]).not.toHaveProperty('lastAt');
    expect(suggestions).toEqual([]);
  });

  it('RQ-06 suggests to drop what was never used, once there were enough requests', async () => {
    const { agents, sessions, session } = await createExample();
    for (let count = 1; count < enoughRequests; count += 1) await sessions.request(session.id, { message: 'q' });
    expect((await sessions.usage('example')).suggestions).toEqual([]);
    await sessions.request(session.id, { message: 'q' });
    await agents.removeItem({ agentId: 'example', kind: 'rules', name: 'A' });
    const { suggestions } = await sessions.usage('example');
    expect(suggestions.map(({ name, code }) => `${name} ${code}`)).toEqual([
      'A no_longer_there',
      'Y never_used',
      'B never_used',
      'C never_used',
    ]);
  });

  it('RQ-06 S-16 knows no usage of an unknown agent', async () => {
    const { sessions } = await createExample();
    await expect(sessions.usage('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('export', () => {
  it('RQ-06 gives every request context in the order of their making, of one agent or all', async () => {
    const { agents, sessions, session } = await createExample();
    await agents.put('other', { name: 'Other' });
    const other = await sessions.create({ agentId: 'other' });
    for (let count = 0; count < 250; count += 1)
      await sessions.request(count % 2 === 0 ? session.id : other.id, { message: `${count}` });
    const all = await Readable.from(await sessions.exportRequests({})).toArray();
    expect(all.map(({ message }) => message)).toEqual(Array.from({ length: 250 }, (_, index) => `${index}`));
    const [first] = all;
    const { messages, tools, changedItems, ...stored } = await sessions.getRequest(session.id, first?.requestId ?? '');
    expect(stored).toMatchObject(first ?? {});
    expect([messages.length, tools.length, changedItems.length]).toEqual([4, 0, 0]);
    expect(await Readable.from(await sessions.exportRequests({ agentId: 'other' })).toArray()).toHaveLength(125);
    expect(await Readable.from(await sessions.exportRequests({ agentId: 'nobody' })).toArray()).toEqual([]);
  });

  it('RQ-06 reads no further than it is asked', async () => {
    const { sessions, session, store } = await createExample();
    for (let count = 0; count < 150; count += 1) await sessions.request(session.id, { message: `${count}` });
    const { requests } = store.sessions;
    let pages = 0;
    store.sessions.requests = (page) => {
      pages += 1;
      return requests(page);
    };
    for await (const { message } of await sessions.exportRequests({})) if (message === '5') break;
    expect(pages).toBe(1);
  });
});
