/** Long items that search selects: by their description, by a section, or whole (SS-13). */
import { describe, expect, it } from 'vitest';
import { offerItem } from '../../src/search/offer.ts';
import { contextFile, createWorkspace, fileNamed, project } from '../support/workspace.ts';

/** Long, and without a word that is there twice. */
const filler = Array.from({ length: 700 }, (_, at) => `Further${at} word${at}.`).join('\n');
const long = (description: string, body = '') =>
  contextFile({ trigger: 'agent', description }, `# Guide\n\n${filler}\n${body}`);

const tree = {
  '.context/first.md': long(
    'How database migrations are written',
    'A database migration is written once. Names of columns stay.',
  ),
  '.context/second.md': long(
    'How database migrations are reviewed',
    'A database migration is reviewed.\n\n## Names of the columns\n\nNouns.\n',
  ),
  '.context/short.md': contextFile({ trigger: 'agent', description: 'Which database migrations are allowed' }, 'All.'),
  '.context/other.md': long('Kangaroos and their pouches', 'A kangaroo has a pouch. Pouches keep kangaroos.'),
};
const query = 'database migrations';

describe('a long file that search selects', () => {
  it('SS-13 CC-28 is offered by its description, with its size and how to get it; a short one goes whole', async () => {
    const { resolve } = await createWorkspace(tree);
    const result = await resolve({ query });
    const first = fileNamed(result, 'first');
    const tokens = (await resolve()).files.find(({ name }) => name === 'first')?.tokens ?? 0;
    const number = tokens.toLocaleString('en-US');
    expect(first).toMatchObject({
      state: 'active',
      part: 'description',
      wholeTokens: tokens,
      reason: {
        code: 'semantic_match',
        detail: `only its description is delivered, of ${number} tokens in all; ask for it by name`,
      },
      content: `How database migrations are written

(This is only the description of “first”. All of it has ${number} tokens: ask for it by name, or read ${project}/.context/first.md.)
`,
    });
    expect(first?.tokens).toBe(Math.ceil((first?.content?.length ?? 0) / 4));
    expect(fileNamed(result, 'short')).toMatchObject({ state: 'active', content: 'All.' });
    expect(fileNamed(result, 'short')).not.toHaveProperty('part');
    expect(result.usage.tokens).toBe(
      result.files.filter(({ state }) => state === 'active').reduce((sum, file) => sum + file.tokens, 0),
    );
    expect(result.usage.tokens).toBeLessThan(tokens);
  });

  it('SS-13 goes whole where it is the best by far, where `expand` names it, and where it is mentioned', async () => {
    const { resolve } = await createWorkspace(tree);
    const partsOf = async (request: object) =>
      Object.fromEntries(
        (await resolve(request)).files
          .filter(({ state }) => state === 'active')
          .map(({ name, part, content = '' }) => [name, part ?? (content.includes('Further699') ? 'whole' : 'short')]),
      );
    expect(await partsOf({ query: 'the pouches of kangaroos' })).toEqual({ other: 'whole' });
    expect(await partsOf({ query })).toEqual({ first: 'description', second: 'description', short: 'short' });
    for (const expand of [['first'], ['.context/first.md'], [`${project}/.context/first.md`]])
      expect(await partsOf({ query, expand })).toEqual({ first: 'whole', second: 'description', short: 'short' });
    expect(await partsOf({ query, expand: 'all' })).toEqual({ first: 'whole', second: 'whole', short: 'short' });
    expect(await partsOf({ query, mentions: ['first'] })).toMatchObject({ first: 'whole', second: 'description' });
    // It selects nothing by itself.
    expect(await partsOf({ expand: ['first'] })).toEqual({});
  });

  it('SS-13 is offered by the section whose heading the question names', async () => {
    const { resolve } = await createWorkspace(tree);
    const file = fileNamed(await resolve({ query: 'names of columns in database migrations' }), 'second');
    expect(file).toMatchObject({
      part: 'section',
      reason: {
        detail: expect.stringMatching(
          /^only its section “Names of the columns” is delivered, of [\d,]+ tokens in all; /u,
        ),
      },
    });
    expect(file?.content).toMatch(
      /^## Names of the columns\n\nNouns\.\n\n\(This is only the section “Names of the columns” of/u,
    );
  });

  it('SS-13 a name in `expand` that no file has is a warning with its place', async () => {
    const { resolve } = await createWorkspace(tree);
    const { warnings } = await resolve({ query, expand: ['first', 'nobody'] });
    expect(warnings).toMatchObject([{ code: 'mention_not_found', pointer: '/expand/1' }]);
  });

  it('SS-13 has another digest than the whole, and stays the same object while nothing changes', async () => {
    const { resolve } = await createWorkspace(tree);
    const offered = await resolve({ query });
    const whole = await resolve({ query, expand: 'all' });
    expect(offered.digest).not.toBe(whole.digest);
    expect(await resolve({ query })).toBe(offered);
  });

  it('SS-13 FM-07 brings along what it imports only where it goes whole', async () => {
    const steering = (name: string) =>
      `---\ninclusion: auto\nname: ${name}\ndescription: How database migrations are ${name}\n---\nRead #[[file:docs/${name}.md]].\n${filler}`;
    const { engine, resolve } = await createWorkspace({
      '.kiro/steering/one.md': steering('one'),
      '.kiro/steering/two.md': steering('two'),
      'docs/one.md': 'The first.',
      'docs/two.md': 'The second.',
    });
    const states = (files: readonly { relativePath: string; state: string; part?: unknown }[]) =>
      files.map(({ relativePath, state, part = 'whole' }) => `${relativePath} ${state} ${part}`);
    const { files } = await resolve({ query, expand: ['.kiro/steering/two.md'] });
    expect(states(files)).toEqual([
      '.kiro/steering/one.md active description',
      'docs/one.md available whole',
      '.kiro/steering/two.md active whole',
      'docs/two.md active whole',
    ]);
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    const { id } = await engine.sessions.create({ agentId: 'a' });
    const asked = { message: query, expand: ['.kiro/steering/two.md'] };
    const { items } = (await engine.sessions.request(id, asked)).requestContext;
    expect(items.map(({ name, part = 'whole' }) => `${name} ${part}`).sort()).toHaveLength(3);
  });

  it('SS-13 explain says so in words, and the runner-up says by how much it missed what', async () => {
    const { engine, resolve } = await createWorkspace({
      ...tree,
      '.context/near.md': contextFile({ trigger: 'agent', description: 'Reviews of other things' }, 'Nothing.'),
    });
    const { candidates } = await engine.explain({ mountedDirectory: project, query });
    const first = candidates.find(({ path }) => path.endsWith('/first.md'));
    expect(first?.reason.detail).toMatch(
      /^only its description is delivered, of [\d,]{4,} tokens in all; ask for it by name$/u,
    );
    expect(first?.steps).toContainEqual({ rule: 'size', outcome: 'semantic_match', detail: first?.reason.detail });
    const result = await resolve({ query: 'reviews of the database migrations' });
    const near = result.files.flatMap(({ reason }) => (reason.code === 'not_relevant' ? (reason.detail ?? []) : []));
    expect(near).toHaveLength(1);
    expect(near[0]).toMatch(
      /^the score, 0(?:\.\d\d?)?, is 0\.\d\d? below 0\.\d\d?(?: \(minScore\)$|, which is 85 % of )/u,
    );
  });

  it('SS-13 goes whole where its description is as long as it, and where it has neither description nor section', async () => {
    const wordy = (text: string) => `How database migrations are written. ${text.repeat(1_000)}`;
    const { resolve } = await createWorkspace({
      '.context/wordy.md': long(wordy('Further. '), 'A database migration is written once.'),
      '.context/second.md': tree['.context/second.md'],
    });
    expect(fileNamed(await resolve({ query }), 'wordy')).not.toHaveProperty('part');
    expect(offerItem('an unknown thing', { type: 'rule', name: 'a', description: '', text: filler, sha256: '' })).toBe(
      undefined,
    );
  });

  it('SS-13 RT-05 a part that the budget cuts still says that it is one, and how to get the rest', async () => {
    const section = `## Database migrations\n\n${'Another sentence about them.\n\n'.repeat(200)}`;
    const { engine } = await createWorkspace({
      '.context/first.md': long('How database migrations are written', section),
      '.context/second.md': tree['.context/second.md'],
    });
    const asked = { mountedDirectory: project, query, include: { search: false } };
    const within = (maxTokens: number) => engine.gatherContext({ ...asked, render: 'xml', budget: { maxTokens } });
    const [all, cut] = [await within(16_000), await within(800)];
    expect(all.items[0]).toMatchObject({ part: 'section', truncated: false });
    expect(cut.items[0]).toMatchObject({ part: 'section', truncated: true });
    expect(cut.text).toContain('…\n(This is only the section “Database migrations” of “first”.');
    expect(cut.usage.tokens).toBeLessThanOrEqual(800);
  });

  it('SS-13 goes along in `POST /v1/context` too, of a directory and of an agent, within the budget', async () => {
    const { engine } = await createWorkspace(tree);
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    for (const whose of [{}, { agentId: 'a' }]) {
      const ask = (more: object) =>
        engine.gatherContext({ mountedDirectory: project, query, ...whose, include: { search: false }, ...more });
      const { items, usage } = await ask({});
      const first = items.find(({ name }) => name === 'first');
      expect(first).toMatchObject({ part: 'description', truncated: false });
      expect(first?.content).toContain(
        'How database migrations are written\n\n(This is only the description of “first”.',
      );
      expect(first?.wholeTokens).toBeGreaterThan(2_000);
      expect(usage.tokens).toBeLessThan(500);
      const whole = (await ask({ expand: ['first'] })).items.find(({ name }) => name === 'first');
      expect(whole).not.toHaveProperty('part');
      expect(whole?.content).toContain('Further699');
    }
  });
});
