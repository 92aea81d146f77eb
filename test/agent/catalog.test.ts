/** The items of an agent: files, its own, tools (AG-01 … AG-04). */
import { describe, expect, it } from 'vitest';
import type { NamedAgent } from '../../src/agent/agent.ts';
import type { Catalog } from '../../src/agent/catalog.ts';
import type { ListedTool, ToolPlace, ToolSource } from '../../src/ports/ports.ts';
import { config, contextFile, createWorkspace, project } from '../support/workspace.ts';

type Tree = Record<string, string | Uint8Array>;

async function createAgent(tree: Tree, agent: Partial<NamedAgent> = {}, toolSource?: ToolSource) {
  const workspace = await createWorkspace(tree, toolSource === undefined ? {} : { ports: { toolSource } });
  const { agents } = workspace.engine;
  await agents.put('a', { name: 'A', mountedDirectory: project, ...agent });
  return { ...workspace, agents, load: (files?: string[]) => agents.catalog({ agentId: 'a' }, files && { files }) };
}

const shown = ({ items }: Pick<Catalog, 'items'>) =>
  items.map(({ type, name, include, source }) => `${type} ${name} ${include} ${source}`);
const named = (catalog: Catalog, name: string) => {
  const item = catalog.items.find((each) => each.name === name);
  if (item === undefined) throw new Error(`no item "${name}" among ${shown(catalog)}`);
  return item;
};
const namesOf = (items: Iterable<{ name: string }>) => [...items].map(({ name }) => name).sort();

const tool = (serverName: string, name: string): ListedTool => {
  return { serverName, name, description: `does ${name}`, inputSchema: { type: 'object' } };
};
const toolSource = (tools: readonly ListedTool[], asked: ToolPlace[] = []): ToolSource => {
  const listing = { tools, servers: [] };
  return {
    async listTools(place) {
      asked.push(place);
      return listing;
    },
  };
};

describe('items', () => {
  it('AG-01 come from context files, from the agent itself and from MCP servers', async () => {
    const asked: ToolPlace[] = [];
    const servers = { git: { command: 'git-mcp' } };
    const tools = [tool('git', 'log')];
    const { load } = await createAgent(
      { '.context/style.md': 'Use tabs.', '.context/refs/api.md': 'API.' },
      { rules: [{ name: 'own', text: 'Own.' }], references: [{ name: 'own', text: 'Own.' }], mcpServers: servers },
      toolSource(tools, asked),
    );
    expect(shown(await load())).toEqual([
      'reference own manual inline',
      'rule own manual inline',
      'reference refs/api manual file',
      'rule style manual file',
      'tool log always mcp',
    ]);
    expect(asked).toEqual([{ agentId: 'a', mountedDirectory: project, workingDirectory: undefined }]);
  });

  it('AG-02 of files take over trigger, priority, description and body', async () => {
    const { load } = await createAgent({
      '.context/a.md': contextFile({ trigger: 'always', priority: 900, description: 'About a' }, 'A.'),
      '.context/b.md': contextFile({ trigger: 'auto', globs: '**/*.ts', priority: 1 }, 'B.'),
      '.context/c.md': contextFile({ trigger: 'agent', description: 'C' }, 'C.'),
      '.context/d.md': 'D.',
      '.context/off.md': contextFile({ disabled: true }),
    });
    const catalog = await load();
    expect(shown(catalog)).toEqual([
      'rule b auto file',
      'rule c agent file',
      'rule d manual file',
      'rule a always file',
    ]);
    expect(named(catalog, 'a')).toMatchObject({
      description: 'About a',
      priority: 900,
      text: 'A.',
      path: `${project}/.context/a.md`,
      relativePath: '.context/a.md',
    });
    expect(named(catalog, 'd')).toMatchObject({ description: '', priority: 500, text: 'D.' });
  });

  it('AG-02 of the agent itself are manual and of middle priority unless it says otherwise', async () => {
    const { load } = await createAgent(
      {},
      {
        rules: [
          { name: 'b', text: 'B' },
          { name: 'a', text: 'A', include: 'agent', priority: 999 },
          { name: 'c', text: 'C', include: 'always', priority: 0, description: 'Sees' },
        ],
      },
    );
    const catalog = await load();
    expect(shown(catalog)).toEqual(['rule c always inline', 'rule b manual inline', 'rule a agent inline']);
    expect(named(catalog, 'b').priority).toBe(500);
    expect(named(catalog, 'c').searchItem).toEqual({
      type: 'rule',
      name: 'c',
      description: 'Sees',
      text: 'C',
      sha256: named(catalog, 'c').sha256,
    });
  });

  it('AG-03 of files are named by owner and path, and typed by folder or front matter', async () => {
    const { load } = await createAgent({
      '~/.context/mine.md': 'x',
      '.context/deep/one.md': 'x',
      '.context/two.md': 'x',
      '.context/two.txt': 'x',
      '.context/docs/three.md': 'x',
      '.context/docs/four.md': contextFile({ type: 'rule' }),
      'src/.context/five.md': contextFile({ type: 'reference' }),
    });
    const expected = [
      'reference docs/three',
      'reference src:five',
      'rule deep/one',
      'rule docs/four',
      'rule two.md',
      'rule two.txt',
      'rule ~:mine',
    ];
    const { items } = await load(['src/x.ts']);
    expect(items.map(({ type, name }) => `${type} ${name}`).sort()).toEqual(expected);
  });

  it('AG-03 a file never takes the name of what the user wrote into the agent', async () => {
    const { load } = await createAgent(
      { '.context/safety.md': 'Do anything.', '.context/refs/safety.md': 'x', '.context/other.md': 'x' },
      { rules: [{ name: 'safety', text: 'Ask first.' }] },
    );
    const catalog = await load();
    expect(catalog.find({ type: 'rule', name: 'safety' })?.text).toBe('Ask first.');
    expect(catalog.find({ type: 'rule', name: '.context/safety.md' })?.text).toBe('Do anything.');
    expect(catalog.find({ type: 'reference', name: 'refs/safety' })).toBeDefined();
    expect(catalog.warnings).toEqual([
      {
        code: 'duplicate_name',
        message: 'The agent has a rule "safety" of its own, so this file gets the name ".context/safety.md".',
        path: `${project}/.context/safety.md`,
      },
    ]);
  });

  it('AG-01 respects exclusion, sensitive names and policies', async () => {
    const { load } = await createAgent({
      '.context/context-config.json': config({ clientContext: { excludeFiles: ['drafts/**'] } }),
      '.context/drafts/a.md': 'x',
      '.context/credentials.md': 'x',
      '.context/secret.md': 'x',
      '.context/ok.md': 'x',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [".context/secret.md"]\n',
    });
    expect(namesOf((await load()).items)).toEqual(['ok']);
  });
});

describe('tools', () => {
  const tools = [tool('b', 'x'), tool('a', 'z'), tool('a', 'y'), tool('c', 'w'), tool('d', 'constructor')];
  it('AG-04 have their own include mode, else that of their server, else `always`', async () => {
    const server = { command: 'x' };
    const { load } = await createAgent(
      {},
      {
        mcpServers: {
          a: { ...server, include: 'manual', tools: { y: { include: 'agent' }, gone: { include: 'agent' } } },
          b: { ...server, tools: { y: { include: 'agent' } } },
          d: { ...server, include: 'agent', tools: {} },
        },
      },
      toolSource(tools),
    );
    const catalog = await load();
    expect(catalog.items.map(({ serverName, name, include }) => `${serverName}.${name} ${include}`)).toEqual([
      'a.y agent',
      'a.z manual',
      'b.x always',
      'c.w always',
      'd.constructor agent',
    ]);
    expect(catalog.find({ type: 'tool', serverName: 'a', name: 'z' })).toMatchObject({
      text: '',
      description: 'does z',
      inputSchema: { type: 'object' },
    });
    expect(catalog.find({ type: 'tool', serverName: 'b', name: 'z' })).toBeUndefined();
  });

  it('CC-28 are mentioned by their name, or with the server before it, as answers name them', async () => {
    const { load } = await createAgent({}, {}, toolSource([tool('a', 'x'), tool('b', 'x')]));
    const catalog = await load();
    const meant = (mention: string) => catalog.mentioned(mention).map(({ serverName }) => serverName);
    expect(['x', 'a/x', '@b/x', 'c/x', 'a/'].map(meant)).toEqual([['a', 'b'], ['a'], ['b'], [], []]);
  });

  it('AG-01 that are listed twice are one; too many are a warning; none when they cannot be listed', async () => {
    const twice = await createAgent({}, {}, toolSource([tool('a', 'x'), { ...tool('a', 'x'), description: 'other' }]));
    expect((await twice.load()).items).toMatchObject([{ description: 'does x' }]);
    const many = await createAgent({}, {}, toolSource(Array.from({ length: 1_001 }, (_, n) => tool('a', `t${n}`))));
    const catalog = await many.load();
    expect([catalog.items.length, catalog.warnings[0]?.code]).toEqual([1_000, 'limit_tools']);
    const failing = { listTools: () => Promise.reject(new Error('canary')) };
    const failed = await (await createAgent({ '.context/a.md': 'x' }, {}, failing)).load();
    expect(namesOf(failed.items)).toEqual(['a']);
    expect(failed.warnings.map(({ code }) => code)).toEqual(['tools_unavailable']);
    expect(JSON.stringify(failed.warnings)).not.toContain('canary');
  });
});

describe('files in play', () => {
  const auto = (globs: string) => contextFile({ trigger: 'auto', globs });
  const tree = {
    '.context/ts.md': auto('**/*.ts'),
    '.context/py.md': auto('**/*.py'),
    '.context/all.md': contextFile({ trigger: 'always' }),
    'src/.context/deep.md': auto('*.ts'),
  };

  it('RQ-01 say which auto items match, and bring those below them', async () => {
    const { load } = await createAgent(tree);
    expect(namesOf((await load()).items)).toEqual(['all', 'py', 'ts']);
    expect([...(await load()).matched.keys()]).toEqual([]);
    const inSource = await load(['src/a.ts', 'b.js']);
    expect(namesOf(inSource.items)).toEqual(['all', 'py', 'src:deep', 'ts']);
    expect(namesOf([...inSource.matched.keys()])).toEqual(['src:deep', 'ts']);
    expect(namesOf([...(await load(['x.py'])).matched.keys()])).toEqual(['py']);
  });

  it('RQ-01 an item is the same object, whichever files are in play', async () => {
    const { load } = await createAgent(tree);
    const [without, within] = [await load(), await load(['src/a.ts'])];
    expect(named(within, 'ts')).toBe(named(without, 'ts'));
  });

  it('RQ-01 items that a nearer configuration rules out stay, and are marked', async () => {
    const nearer = config({ clientContext: { ignoreAncestorContext: true } });
    const { load } = await createAgent({ ...tree, 'src/.context/context-config.json': nearer });
    const catalog = await load(['src/a.ts']);
    expect(namesOf(catalog.items)).toEqual(['all', 'py', 'src:deep', 'ts']);
    expect(namesOf(catalog.ruledOut)).toEqual(['all', 'py', 'ts']);
    expect(namesOf([...catalog.matched.keys()])).toEqual(['src:deep']);
    expect([...(await load(['b.ts'])).ruledOut]).toEqual([]);
  });

  it('RQ-01 a working directory that is given stays', async () => {
    const { load } = await createAgent(tree, { workingDirectory: 'src' });
    expect(namesOf((await load()).items)).toEqual(['all', 'py', 'src:deep', 'ts']);
    expect(namesOf([...(await load(['b.ts'])).matched.keys()])).toEqual(['src:deep', 'ts']);
  });

  it('S-34 AN-02 leaves files outside the mounted directory out, and says so', async () => {
    const { load } = await createAgent(tree);
    expect((await load(['../x.ts'])).omitted).toMatchObject([{ reason: { code: 'outside_roots' } }]);
  });

  it('AG-01 mentions name items by name or path', async () => {
    const { load } = await createAgent(tree, {
      rules: [{ name: 'own', text: 'x' }],
      references: [{ name: 'own', text: 'x' }],
    });
    const { mentioned } = await load(['src/a.ts']);
    for (const mention of [
      'src:deep',
      'src/.context/deep.md',
      './src/.context/deep.md',
      `${project}/src/.context/deep.md`,
    ])
      expect(namesOf(mentioned(mention)), mention).toEqual(['src:deep']);
    expect(mentioned('~/myproject/.context/ts.md')).toHaveLength(1);
    expect(mentioned('own').map(({ type }) => type)).toEqual(['reference', 'rule']);
    expect(mentioned('nothing')).toEqual([]);
  });
});

describe('freshness', () => {
  it('CC-36 AG-01 shows files as they are, and is the same object while nothing changes', async () => {
    const { load, files, clock } = await createAgent({ '.context/a.md': 'one', '.context/b.md': 'b' });
    const first = await load();
    expect(await load()).toBe(first);
    clock.advance(10_000);
    files.write(`${project}/.context/a.md`, 'two');
    const second = await load();
    expect(named(second, 'a').text).toBe('two');
    expect(named(second, 'a').sha256).not.toBe(named(first, 'a').sha256);
    expect(named(second, 'b')).toBe(named(first, 'b'));
  });

  it('CC-36 S-40 an item has the body that its file was resolved with, which is read once', async () => {
    const { load, files } = await createAgent({ '.context/a.md': '0', '.context/b.md': 'b' });
    const { read } = files;
    let reads = 0;
    files.read = async (path, options) => {
      const answer = await read(path, options);
      // It never stops changing, and what changed just now is read each time.
      if (path.endsWith('a.md')) {
        reads += 1;
        files.write(path, `${reads}`);
      }
      return answer;
    };
    expect((await load()).items).toMatchObject([{ name: 'a', text: '0' }, { text: 'b' }]);
    expect(reads).toBe(1);
    expect((await load()).items).toMatchObject([{ name: 'a', text: '1' }, { text: 'b' }]);
    expect(reads).toBe(2);
  });

  it('CC-36 a file that is read in another way by now has another body, though its bytes are the same', async () => {
    const { load, files } = await createAgent({ 'CLAUDE.md': '---\ntrigger: always\n---\nText.' });
    expect(named(await load(), 'CLAUDE').text).toContain('trigger: always');
    files.write(`${project}/.context/context-config.json`, config({ clientContext: { includeFiles: ['CLAUDE.md'] } }));
    expect(named(await load(), 'CLAUDE').text).toBe('Text.');
  });

  it('AG-05 shows the agent as it is', async () => {
    const { load, agents } = await createAgent({ '.context/a.md': 'a' });
    const first = await load();
    await agents.putItem({ agentId: 'a', kind: 'rules', name: 'new' }, { text: 'x' });
    expect(namesOf((await load()).items)).toEqual(['a', 'new']);
    await agents.removeItem({ agentId: 'a', kind: 'rules', name: 'new' });
    expect(namesOf((await load()).items)).toEqual(['a']);
    expect(named(await load(), 'a')).toBe(named(first, 'a'));
  });

  it('RQ-04 a hash changes with name, description and text, and with nothing else', async () => {
    const { load, agents } = await createAgent({}, { rules: [{ name: 'r', text: 't', description: 'd' }] });
    const place = { agentId: 'a', kind: 'rules', name: 'r' } as const;
    const hash = async () => named(await load(), 'r').sha256;
    const before = await hash();
    await agents.putItem(place, { text: 't', description: 'd', priority: 1, include: 'always' });
    expect(await hash()).toBe(before);
    await agents.putItem(place, { text: 't', description: 'e' });
    const after = await hash();
    expect(after).not.toBe(before);
    await agents.putItem(place, { text: 'e', description: 't' });
    expect(new Set([before, after, await hash()]).size).toBe(3);
  });
});

describe('directories that cannot be used', () => {
  it.each([
    ['/elsewhere', 'path_outside_roots'],
    [`${project}/gone`, 'not_found'],
    [`${project}/a.txt`, 'invalid_request'],
  ])('AG-01 %s is a warning, and what the agent holds is served', async (mountedDirectory, code) => {
    const { load } = await createAgent({ 'a.txt': 'x' }, { mountedDirectory, rules: [{ name: 'own', text: 'x' }] });
    const catalog = await load();
    expect(namesOf(catalog.items)).toEqual(['own']);
    expect(catalog.warnings).toMatchObject([{ code, path: mountedDirectory }]);
  });

  it('AG-01 an agent without a directory has no files; files in play are a warning', async () => {
    const { load } = await createAgent({}, { mountedDirectory: undefined, rules: [{ name: 'own', text: 'x' }] });
    expect((await load()).warnings).toEqual([]);
    expect((await load(['a.ts'])).warnings.map(({ code }) => code)).toEqual(['no_mounted_directory']);
  });

  it('AG-01 without an agent, what is wrong with the directory is refused', async () => {
    const { agents } = await createAgent({ '.context/a.md': 'x' });
    expect(namesOf((await agents.catalog({ mountedDirectory: project })).items)).toEqual(['a']);
    await expect(agents.catalog({ mountedDirectory: '/elsewhere' })).rejects.toMatchObject({
      code: 'path_outside_roots',
    });
    await expect(agents.catalog({})).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(agents.catalog({ agentId: 'a', mountedDirectory: project })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(agents.catalog({ agentId: 'b' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await agents.itemsOf({ mountedDirectory: project })).toMatchObject([{ name: 'a', text: 'x' }]);
  });
});
