/** All context of a prompt, in process: its budget, its receipt, and its digest. */
import { describe, expect, it } from 'vitest';
import { type Caller, theUser } from '../../src/ports/caller.ts';
import type { ContextRequest } from '../../src/prompt/context-request.ts';
import { createInProcessParser } from '../support/in-process-parser.ts';
import { contextFile, createWorkspace, project } from '../support/workspace.ts';

const rule = (body: string): string => contextFile({ trigger: 'always' }, body);
const gatherIn = async (tree: Record<string, string>) => {
  const ports = { sourceParser: createInProcessParser() };
  const { engine, files, clock } = await createWorkspace(tree, { ports });
  const gather = (request: Partial<ContextRequest> = {}, caller: Caller = theUser) =>
    engine.gatherContext({ mountedDirectory: project, include: { search: false }, ...request }, { caller });
  return { gather, files, clock };
};

describe('all context of a prompt', () => {
  it('RT-05 fits 16,000 tokens where nobody says how many', async () => {
    const { gather } = await gatherIn({
      '.context/a.md': rule('Short.'),
      '.context/b.md': rule('word '.repeat(16_000)),
    });
    const { usage, items, omitted } = await gather();
    expect(usage).toMatchObject({ maxTokens: 16_000 });
    expect(usage.tokens).toBeLessThanOrEqual(16_000);
    expect([...items, ...omitted].map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('RT-05 lists what the budget leaves out beside what is not there', async () => {
    const { gather } = await gatherIn({ '.context/a.md': rule('word '.repeat(40)), 'docs/x.md': 'x' });
    const { items, omitted } = await gather({
      documents: [{ path: 'docs/x.md' }, { path: 'docs/gone.md' }],
      budget: { maxTokens: 10 },
    });
    expect(items).toEqual([]);
    expect(omitted.map(({ name, path, reason }) => [name ?? path, reason.code])).toEqual([
      [`${project}/docs/gone.md`, 'not_found'],
      ['a', 'over_budget'],
    ]);
    expect(omitted[1]?.tokens).toBeGreaterThan(10);
  });

  it('CC-35 RT-05 cuts a document before a heading, and code before a definition', async () => {
    const lines = (at: number) => `Text ${at} about prices.\n\n`.repeat(8);
    const sections = Array.from({ length: 6 }, (_, at) => `# Part ${at}\n\n${lines(at)}`);
    const functions = Array.from({ length: 6 }, (_, at) => `const part${at} = \`\n\n${lines(at)}\`;\n`);
    const { gather } = await gatherIn({ 'a.md': sections.join(''), 'a.ts': functions.join('') });
    const cutOf = async (path: string) =>
      (await gather({ documents: [{ path: 'x' }, { path }], budget: { maxTokens: 200 } })).items[0]?.content;
    expect(await cutOf('a.md')).toBe(`${sections.slice(0, 4).join('')}…\n`);
    expect(await cutOf('a.ts')).toBe(`${functions.slice(0, 4).join('')}…\n`);
  });

  it('RT-02 follows the imports of the active document, which is the first one if none says that it is', async () => {
    const { gather } = await gatherIn({
      'a.ts': "import { ofA } from './of-a.ts';\nofA();\n",
      'b.ts': "import { ofB } from './of-b.ts';\nofB();\n",
      'of-a.ts': 'export function ofA() {}\n',
      'of-b.ts': 'export function ofB() {}\n',
    });
    const sent = async (...documents: { path: string; isActive?: boolean }[]) =>
      (await gather({ documents })).items.map(({ kind, name }) => `${kind} ${name}`);
    const ofA = ['tab b.ts', 'definition of-a.ts'];
    const ofB = ['tab a.ts', 'definition of-b.ts'];
    expect(await sent({ path: 'a.ts' }, { path: 'b.ts' })).toEqual(ofA);
    expect(await sent({ path: 'a.ts' }, { path: 'b.ts', isActive: false })).toEqual(ofA);
    expect(await sent({ path: 'a.ts' }, { path: 'b.ts', isActive: true })).toEqual(ofB);
  });

  it('S-15 tells an agent that its unsaved text of a policy or an ignore file is not used', async () => {
    const { gather } = await gatherIn({
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [b.md]\n',
      'b.md': 'b\n',
    });
    const policy = { path: '.ai-context-policy.yaml', content: 'ai_context_policy: allow\n' };
    const documents = [{ path: 'x.md' }, { path: 'b.md' }, policy, { ...policy, content: 'other' }];
    const others = [{ path: '.aiignore', content: '' }, { path: 'c.md', content: 'c\n' }, { path: '.cursorignore' }];
    const asked = { documents: [...documents, ...others] };
    const told = async (caller: Caller) => {
      const { items, warnings } = await gather(asked, caller);
      const unused = warnings.filter(({ code }) => code === 'unsaved_policy').map(({ path }) => path);
      return { names: items.map(({ name }) => name), unused };
    };
    expect(await told({ scope: 'agent', tokenId: 't' })).toEqual({
      names: expect.not.arrayContaining(['b.md']),
      unused: [`${project}/.ai-context-policy.yaml`, `${project}/.aiignore`],
    });
    expect(await told(theUser)).toEqual({ names: expect.arrayContaining(['b.md']), unused: [] });
  });

  it('has the digest of what is sent, and of nothing else', async () => {
    const { gather, files, clock } = await gatherIn({ '.context/a.md': rule('One.'), 'b.md': 'b' });
    const documents = [{ path: 'x.ts' }];
    const { digest } = await gather({ documents });
    expect((await gather({ documents, budget: { maxTokens: 15_000 } })).digest).toBe(digest);
    expect((await gather({ documents: [...documents, { path: 'gone.md' }] })).digest).toBe(digest);
    expect((await gather({ documents: [...documents, { path: 'b.md' }] })).digest).not.toBe(digest);
    const unsaved = [{ path: '.context/a.md', content: rule('Two.') }];
    expect((await gather({ documents: [...documents, ...unsaved] })).digest).not.toBe(digest);
    clock.advance(10_000);
    files.write(`${project}/.context/a.md`, rule('Two.'));
    expect((await gather({ documents })).digest).not.toBe(digest);
  });
});
