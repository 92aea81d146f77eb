/** What a model gets of the rules, whatever they cost (MC-05, CC-35). */
import { describe, expect, it } from 'vitest';
import { confineVerbs } from '../../src/mcp-server/confinement.ts';
import { callTool } from '../../src/mcp-server/tools.ts';
import { verbsOfEngine } from '../../src/mcp-server/verbs.ts';
import { workplaceAt } from '../../src/mcp-server/workplace.ts';
import { contextFile, createWorkspace, project } from '../support/workspace.ts';

type Workspace = Awaited<ReturnType<typeof createWorkspace>>;

async function ask({ engine }: Workspace, args: object = {}, served?: string): Promise<string> {
  const all = verbsOfEngine(engine, () => {});
  const verbs = served === undefined ? all : confineVerbs(all, async () => [served]);
  const given = { name: 'resolve_context', arguments: { mountedDirectory: served ?? project, ...args } };
  const caller = {
    workplaces: async () => [workplaceAt(project)],
    workplaceOf: async (directory: string) => workplaceAt(directory),
    grantable: async (directory: string) => directory,
    signal: new AbortController().signal,
  };
  return (await callTool(verbs, given, caller))?.content[0]?.text ?? '';
}
const tokensIn = (text: string): number => Number(/\((\d+) tokens\)/u.exec(text)?.[1]);
const sections = (count: number): string =>
  Array.from({ length: count }, (_, at) => `## Part ${at}\n\n${'Count all money in cents. '.repeat(20)}\n\n`).join('');

it('MC-05 what goes along is told in a sentence', async () => {
  const workspace = await createWorkspace({ 'a.ts': 'const price = 1;', 'b.ts': 'const price = 2;' });
  const along = (include: object) => ask(workspace, { query: 'price', include });
  expect(await along({ search: true })).toContain('\n2 pieces are found in the project (');
  expect(await along({ map: true })).toContain('\n1 piece is found in the project (');
});

describe('rules within a budget', () => {
  it('MC-05 CC-35 are never left out all together, whatever part of it they need', async () => {
    const listed = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `.context/m${at}.md`,
        contextFile({ trigger: 'manual', description: 'Something that is listed and needs a line of its own' }, 'm'),
      ]),
    );
    for (const tokens of [7_500, 7_580, 7_640, 7_680, 7_720, 8_000]) {
      const rule = (letter: string) => contextFile({ trigger: 'always' }, letter.repeat(tokens));
      const rules = Object.fromEntries([...'abcd'].map((letter) => [`.context/${letter}.md`, rule(letter)]));
      expect(tokensIn(await ask(await createWorkspace({ ...rules, ...listed }))), `${tokens}`).toBeGreaterThan(5_000);
    }
    const workspace = await createWorkspace({ 'AGENTS.md': sections(90) });
    for (const maxTokens of [500, 1_000, 4_000, 8_000]) {
      const answer = await ask(workspace, { maxTokens });
      expect(tokensIn(answer), `${maxTokens}`).toBeGreaterThan(maxTokens / 2);
      expect(answer).toContain(', 1 cut.');
    }
  });

  it('CC-35 say that they are cut also where the file was cut before', async () => {
    const limits = { fileBytes: 40_000 };
    const workspace = await createWorkspace({ 'AGENTS.md': sections(90) }, { limits });
    expect(await ask(workspace, { maxTokens: 4_000 })).toContain(', 1 cut.');
  });

  it('CC-35 go before a reference that was mentioned, and give no advice about budgets', async () => {
    const rule = (letter: string) => contextFile({ trigger: 'always' }, letter.repeat(4 * 2_600));
    const workspace = await createWorkspace({
      ...Object.fromEntries([...'abc'].map((letter) => [`.context/${letter}.md`, rule(letter)])),
      '.context/api.md': contextFile({ trigger: 'manual', type: 'reference' }, 'z'.repeat(4_000)),
    });
    const answer = await ask(workspace, { mentions: ['api'] });
    expect(answer).toContain('z'.repeat(4_000));
    expect(answer).not.toContain('ask with a budget');
  });

  it('S-36 MC-05 of a server for one directory take no room for what lies elsewhere, and name nothing of it', async () => {
    const served = `${project}/packages/a`;
    const large = (letter: string) => contextFile({ trigger: 'always', priority: 99 }, letter.repeat(10_400));
    const workspace = await createWorkspace({
      '.git/HEAD': 'ref: x',
      'shared/big1.md': large('o'),
      'shared/big2.md': large('p'),
      'shared/big3.md': large('q'),
      'packages/a/.context/context-config.json': JSON.stringify({
        clientContext: { includeFiles: ['../../shared/*.md'] },
      }),
      'packages/a/.context/own.md': contextFile({ trigger: 'always', type: 'reference' }, 'z '.repeat(1_500)),
    });
    const answer = await ask(workspace, {}, served);
    expect(answer).toContain('1 context file is active');
    expect(answer).toContain('z '.repeat(1_499));
    expect(answer).not.toMatch(/big\d|ooo|ppp|qqq/u);
  });

  it('MC-05 S-36 of a server for one directory stay within the budget, however large what lies elsewhere is', async () => {
    const served = `${project}/packages/a`;
    const own = Object.fromEntries(
      Array.from({ length: 24 }, (_, at) => [
        `packages/a/.context/own${at}.md`,
        contextFile({ trigger: 'always' }, `own${at} ${'Count all money in cents. '.repeat(80)}`),
      ]),
    );
    const workspace = await createWorkspace({
      '.git/HEAD': 'ref: x',
      'shared/big.md': contextFile({ trigger: 'always', priority: 1 }, 'Other words of the neighbour. '.repeat(1_600)),
      'packages/a/.context/context-config.json': JSON.stringify({
        clientContext: { includeFiles: ['../../shared/*.md'] },
      }),
      ...own,
    });
    for (const maxTokens of [2_000, 8_000]) {
      const answer = await ask(workspace, { maxTokens }, served);
      expect((await workspace.engine.countTokens([answer]))[0]).toBeLessThanOrEqual(maxTokens);
      expect(tokensIn(answer)).toBeGreaterThan(maxTokens / 3);
    }
  });
});
