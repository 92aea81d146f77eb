/** Rule files as items of an agent or a session, in the request for all context (CC-35, FM-02, RQ-01). */
import { expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';

const tree = {
  'AGENTS.md': 'Count in cents.',
  '.cursor/rules/a.mdc': '---\nalwaysApply: true\n---\nRound half up.',
  '.context/own.md': '---\ntrigger: always\n---\nBe brief.',
};

it('FM-02 an item says its format, whoever it is for', async () => {
  const { engine } = await createWorkspace(tree);
  await engine.agents.put('a', { name: 'A', mountedDirectory: project });
  const { id: sessionId } = await engine.sessions.create({ agentId: 'a' });
  for (const whose of [{}, { agentId: 'a' }, { sessionId }]) {
    const { items } = await engine.gatherContext({ mountedDirectory: project, ...whose });
    const formats = Object.fromEntries(items.map(({ name, format }) => [name, format]));
    expect(formats, JSON.stringify(whose)).toEqual({
      AGENTS: 'agents-md',
      '.cursor/rules/a': 'cursor',
      own: undefined,
    });
  }
});

it('RQ-01 an item of an agent alone is not said to be in a session', async () => {
  const { engine } = await createWorkspace(tree);
  const rules = [{ name: 'polite', text: 'Be polite.', include: 'always' as const }];
  await engine.agents.put('a', { name: 'A', mountedDirectory: project, rules });
  const { id: sessionId } = await engine.sessions.create({ agentId: 'a' });
  const reasonsOf = async (whose: object) =>
    new Set(
      (await engine.gatherContext({ mountedDirectory: project, ...whose })).items.map(({ reason }) => reason.detail),
    );
  expect(await reasonsOf({ agentId: 'a' })).toEqual(new Set([undefined]));
  expect(await reasonsOf({ sessionId })).toEqual(new Set(['in the session since it began']));
});

it('CC-35 what is mentioned goes last whatever applies it, whoever it is for', async () => {
  const { engine } = await createWorkspace({
    '.context/a.md': `---\ntrigger: always\n---\n${'a'.repeat(400)}`,
    '.context/b.md': `---\ntrigger: always\n---\n${'b'.repeat(400)}`,
    '.context/c.md': `---\ntrigger: manual\n---\n${'c'.repeat(400)}`,
  });
  await engine.agents.put('a', { name: 'A', mountedDirectory: project });
  const { id: sessionId } = await engine.sessions.create({ agentId: 'a' });
  for (const whose of [{}, { agentId: 'a' }, { sessionId }])
    for (const mention of ['a', 'b', 'c']) {
      const asked = { mountedDirectory: project, mentions: [mention], budget: { maxTokens: 100 } };
      const { items } = await engine.gatherContext({ ...asked, ...whose });
      expect(
        items.map(({ name }) => name),
        JSON.stringify(whose),
      ).toEqual([mention]);
    }
});
