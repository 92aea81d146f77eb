/** Calls at the same time: what one checks still holds when it writes. */
import { expect, it } from 'vitest';
import { createApprovals } from '../../src/mcp/approvals.ts';
import type { Fingerprinted } from '../../src/mcp/fingerprint.ts';
import { fixedLimits } from '../../src/settings.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { atVersion, nothingYet } from '../support/versions.ts';
import { createWorkspace, project } from '../support/workspace.ts';

/** How many succeeded, and the codes of the others. */
async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<{ succeeded: number; refused: string[] }> {
  const outcomes = await Promise.allSettled(calls);
  const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code as string] : []));
  return { succeeded: outcomes.length - refused.length, refused };
}

it('AG-05 of two edits of one version one succeeds, and of two new items both stay', async () => {
  const { agents } = (await createWorkspace({})).engine;
  const { etag } = await agents.put('a', { name: 'A' });
  const edits = ['B', 'C'].map((name) => agents.put('a', { name }, atVersion(etag)));
  expect(await outcomesOf(edits)).toEqual({ succeeded: 1, refused: ['version_mismatch'] });
  const names = ['one', 'two', 'three'];
  await Promise.all(names.map((name) => agents.putItem({ agentId: 'a', kind: 'rules', name }, { text: name })));
  expect((await agents.get('a')).agent.rules?.map(({ name }) => name)).toEqual(names);
});

it('AG-05 of two agents made at once under one id one is', async () => {
  const { agents } = (await createWorkspace({})).engine;
  const content = JSON.stringify({ id: 'a', name: 'A' });
  const imports = [agents.import({ content }), agents.import({ content })];
  expect(await outcomesOf(imports)).toEqual({ succeeded: 1, refused: ['conflict'] });
  const made = ['B', 'C'].map((name) => agents.put('b', { name }, nothingYet));
  expect(await outcomesOf(made)).toEqual({ succeeded: 1, refused: ['version_mismatch'] });
});

it('AG-05 an item that is added to an agent while it is removed brings nothing back', async () => {
  const { agents } = (await createWorkspace({})).engine;
  await agents.put('a', { name: 'A' });
  const item = () => agents.putItem({ agentId: 'a', kind: 'rules', name: 'r' }, { text: 'R' });
  expect(await outcomesOf([agents.remove('a'), item(), item()])).toEqual({
    succeeded: 1,
    refused: ['not_found', 'not_found'],
  });
  expect(await agents.list()).toEqual([]);
});

it('CC-36 an agent that is read while it is written is seen as it is by whoever asks afterwards', async () => {
  const { agents } = (await createWorkspace({})).engine;
  await agents.put('a', { name: '0' });
  for (let n = 1; n <= 20; n += 1) {
    const reading = Array.from({ length: 3 }, () => agents.get('a'));
    const writing = agents.put('a', { name: `${n}` });
    reading.push(agents.get('a'));
    await writing;
    expect((await agents.get('a')).agent.name).toBe(`${n}`);
    for (const { agent } of await Promise.all(reading)) expect([`${n - 1}`, `${n}`]).toContain(agent.name);
    expect((await agents.get('a')).agent.name).toBe(`${n}`);
  }
});

it('SU-01 an item is added once, a list is replaced by one of two, and it never has too many', async () => {
  const { supplementary } = (await createWorkspace({ 'a.ts': '' })).engine;
  const add = (path: string) => supplementary.add({ mountedDirectory: project, kind: 'file', path });
  const added = await Promise.all([add('a.ts'), add('a.ts')]);
  expect(added.map(({ created }) => created).sort()).toEqual([false, true]);
  expect(added[0]?.item.id).toBe(added[1]?.item.id);
  const { etag } = await supplementary.list(project);
  const items = [{ kind: 'file' as const, path: 'b.ts' }];
  const replace = () => supplementary.replace({ mountedDirectory: project, items }, atVersion(etag));
  const clear = () => supplementary.clear(project, atVersion(etag));
  expect(await outcomesOf([replace(), replace(), clear()])).toMatchObject({ succeeded: 1 });
  const many = Array.from({ length: fixedLimits.supplementary.items - 2 }, (_, n) => ({
    kind: 'file' as const,
    path: `${project}/${n}`,
  }));
  await supplementary.replace({ mountedDirectory: project, items: many });
  const more = ['w', 'x', 'y', 'z'].map(add);
  expect(await outcomesOf(more)).toEqual({ succeeded: 2, refused: ['limit_exceeded', 'limit_exceeded'] });
});

it('SU-01 of two lists that replace one at once, each is answered as it was written', async () => {
  const { supplementary } = (await createWorkspace({ 'a.ts': '', 'b.ts': '' })).engine;
  const replace = (path: string) =>
    supplementary.replace({ mountedDirectory: project, items: [{ kind: 'file', path }] });
  const answers = await Promise.all(['a.ts', 'b.ts'].map(replace));
  expect(answers.map(({ items }) => items.map(({ relativePath }) => relativePath))).toEqual([['a.ts'], ['b.ts']]);
  expect(answers[0]?.etag).not.toBe(answers[1]?.etag);
  expect(await supplementary.list(project)).toEqual(answers[1]);
});

it('S-15 no more tokens are minted at once than may be, and one that is revoked twice opens nothing', async () => {
  const { tokens } = (await createWorkspace({})).engine;
  const minted = Array.from({ length: fixedLimits.tokens.count + 2 }, () => tokens.mint(''));
  expect(await outcomesOf(minted)).toEqual({
    succeeded: fixedLimits.tokens.count,
    refused: ['limit_exceeded', 'limit_exceeded'],
  });
  const { id } = await (minted[0] as (typeof minted)[number]);
  expect(await outcomesOf([tokens.revoke(id), tokens.revoke(id)])).toEqual({ succeeded: 1, refused: ['not_found'] });
  expect(await tokens.list()).toHaveLength(fixedLimits.tokens.count - 1);
});

it('CC-33 a root that is granted twice at once is made once, and told as it was made', async () => {
  const clock = createFakeClock();
  const now = () => {
    clock.advance(1_000);
    return clock.now();
  };
  const { engine } = await createWorkspace({ 'a/b.ts': '' }, { ports: { clock: { ...clock, now } } });
  const grants = await Promise.all([1, 2, 3].map(() => engine.grantRoot(`${project}/a`)));
  expect(grants.filter(({ created }) => created)).toHaveLength(1);
  const stored = (await engine.listRoots()).find(({ path }) => path === `${project}/a`);
  for (const { root } of grants) expect(root.grantedAt).toBe(stored?.grantedAt);
});

it('S-18 nothing that is noted of an approval brings it back after it was revoked, or goes over to another', async () => {
  const store = createMemoryStore();
  const approvals = await createApprovals({ store: store.approvals, clock: createFakeClock() });
  const definition = { id: 's', name: 'S', source: { scope: 'agent', agentId: 'a' } } as never;
  const fingerprinted = (fingerprint: string) => ({ fingerprint, parts: {} }) as unknown as Fingerprinted;
  const { approval: first } = await approvals.approve(definition, fingerprinted('1'));
  const noted = await Promise.all([approvals.remove('1'), approvals.pin(first, []), approvals.use(first)]);
  expect(noted).toEqual([true, undefined, false]);
  expect([approvals.get('s'), await store.approvals.list()]).toEqual([undefined, []]);
  const { approval: again } = await approvals.approve(definition, fingerprinted('1'));
  const approving = approvals.approve(definition, fingerprinted('2'));
  await Promise.all([approving, approvals.pin(again, []), approvals.use(again)]);
  expect(approvals.get('s')).toMatchObject({ fingerprint: '2' });
  expect(approvals.get('s')).not.toHaveProperty('tools');
  expect(approvals.get('s')).not.toHaveProperty('used');
  const kept = await createApprovals({ store: store.approvals, clock: createFakeClock() });
  expect(kept.get('s')).toEqual(approvals.get('s'));
});
