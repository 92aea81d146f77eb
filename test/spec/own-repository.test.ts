/** What a configuration includes from outside its repository is there, and active only where somebody asks for it. */
import { describe, expect, it } from 'vitest';
import { config, contextFile, createWorkspace, home, project, warningCodes } from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' }, 'Here.');
const foreign = contextFile({ trigger: 'always' }, 'From next door.');
const auto = contextFile({ trigger: 'auto', globs: ['**/*'] });
const agent = contextFile({ trigger: 'agent', description: 'everything about prices' });
const siblings = {
  '~/other/.context/always.md': foreign,
  '~/other/auto.md': auto,
  '~/other/agent.md': agent,
};
const climbing = { '.context/context-config.json': config({ clientContext: { includeFiles: ['../**'] } }) };
const place = { grantedRoots: [home] };
type Result = Awaited<ReturnType<Awaited<ReturnType<typeof createWorkspace>>['resolve']>>;
const statesOf = ({ files }: Result) =>
  Object.fromEntries(files.map(({ path, state, reason }) => [path.slice(home.length + 1), [state, reason.code]]));
const outside = ['available', 'outside_repository'];

describe.each([
  ['in its git repository', { '.git/HEAD': 'x' }],
  ['without one, in its mounted directory', {}],
])('a configuration %s', (_, git) => {
  it('CC-12 S-36 makes nothing of its siblings active, and one warning says so', async () => {
    const { resolve } = await createWorkspace({ ...siblings, ...climbing, ...git, 'docs/own.md': always }, place);
    const result = await resolve({ files: ['src/a.ts'], query: 'prices' });
    expect(statesOf(result)).toEqual({
      'other/.context/always.md': outside,
      'other/auto.md': outside,
      'other/agent.md': outside,
      'myproject/docs/own.md': ['active', 'trigger_always'],
    });
    expect(warningCodes(result).filter((code) => code === 'outside_repository')).toHaveLength(1);
    expect(JSON.stringify(result)).not.toContain('From next door');
  });

  it('CC-12 S-36 a mention makes one active, also by an absolute pattern', async () => {
    const absolute = { '.context/context-config.json': config({ clientContext: { includeFiles: ['~/other/**'] } }) };
    const { resolve } = await createWorkspace({ ...siblings, ...absolute, ...git }, place);
    const states = statesOf(await resolve({ mentions: [`${home}/other/.context/always.md`] }));
    expect(states).toMatchObject({
      'other/.context/always.md': ['active', 'mentioned'],
      'other/auto.md': outside,
    });
  });

  it('CC-12 AP-07 the steps of an explanation say which pattern it was', async () => {
    const { engine } = await createWorkspace({ ...siblings, ...climbing, ...git }, place);
    const { candidates } = await engine.explain({ mountedDirectory: project, path: `${home}/other/auto.md` });
    expect(candidates[0]?.verdict).toBe('available');
    expect(candidates[0]?.reason.detail).toContain(`"../**" in ${project}/.context/context-config.json:1`);
  });

  it('SE-01 no session begins with one, and no request takes one, but for a mention', async () => {
    const { engine } = await createWorkspace({ ...siblings, ...climbing, ...git, '.context/own.md': always }, place);
    await engine.agents.put('ada', { name: 'Ada', mountedDirectory: project });
    const session = await engine.sessions.create({ agentId: 'ada' });
    expect(session.contextItems.map(({ name }) => name)).toEqual(['own']);
    const ask = async (mentions: string[]) => {
      const request = { message: 'About prices: everything about prices', files: ['src/a.ts'], mentions };
      const { requestContext } = await engine.sessions.request(session.id, request);
      return requestContext.items.map(({ name }) => name);
    };
    expect(await ask([])).toEqual(['own']);
    expect(await ask([`${home}/other/agent.md`])).toHaveLength(2);
  });
});

describe('what may be active', () => {
  it('CC-12 what the user’s own global configuration includes', async () => {
    const tree = { '~/.context/context-config.json': config({ clientContext: { includeFiles: ['~/other/**'] } }) };
    const result = await (await createWorkspace({ ...siblings, ...tree }, place)).resolve();
    expect(statesOf(result)).toMatchObject({ 'other/.context/always.md': ['active', 'trigger_always'] });
    expect(warningCodes(result)).not.toContain('outside_repository');
  });

  it('CC-12 what lies in the repository around the mounted directory', async () => {
    const tree = { '~/.git/HEAD': 'x', ...siblings, ...climbing };
    const { files, resolve } = await createWorkspace(tree, place);
    expect(statesOf(await resolve())).toMatchObject({ 'other/.context/always.md': ['active', 'trigger_always'] });
    // CC-36: a repository of its own counts from the next request on.
    files.write(`${project}/.git`, 'gitdir: ../.git/worktrees/x\n');
    expect(statesOf(await resolve())).toMatchObject({ 'other/.context/always.md': outside });
  });

  it('CC-12 not what a repository below the mounted directory includes from beside it', async () => {
    const tree = {
      '~/other/rule.md': always,
      '.git/HEAD': 'x',
      ...climbing,
    };
    const { engine } = await createWorkspace(tree, place);
    const result = await engine.resolve({ mountedDirectory: home, workingDirectory: 'myproject' });
    expect(statesOf(result)).toMatchObject({ 'other/rule.md': outside });
  });

  it('CC-12 not what a link in the repository leads to, where links are followed', async () => {
    const tree = {
      '~/other/rule.md': always,
      '.git/HEAD': 'x',
      '.context/context-config.json': config({ clientContext: { includeFiles: ['docs/**'] } }),
      'docs/own.md': always,
    };
    const { files, resolve } = await createWorkspace(tree, { ...place, settings: { followSymlinks: true } });
    files.symlink(`${project}/docs/link.md`, `${home}/other/rule.md`);
    expect(statesOf(await resolve())).toEqual({
      'myproject/docs/own.md': ['active', 'trigger_always'],
      'myproject/docs/link.md': outside,
    });
  });
});
