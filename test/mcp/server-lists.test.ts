// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of other tools.
/** Servers of other tools' lists: under the approvals of ours, each once, with their variables (FM-11). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';
import { configPath, createServers, files } from './support/servers.ts';

const servers = (mcpServers: object, key = 'mcpServers') => JSON.stringify({ [key]: mcpServers });
const node = { command: 'node', args: ['./srv.js'] };
const here = (path: string) => `${project}/${path}`;

describe('servers of other tools', () => {
  it('FM-11 are listed from where they lie, and started only once they are approved', async () => {
    const tree = {
      '.mcp.json': servers({ a: node }),
      '.vscode/mcp.json': servers({ b: { command: 'bash' } }, 'servers'),
    };
    const { list, mcp, approve, launcher } = await createServers({}, { tree });
    expect(await list()).toMatchObject([
      { name: 'a', state: 'needs_approval', definedIn: here('.mcp.json'), scope: 'static', cwd: project },
      { name: 'b', state: 'needs_approval', definedIn: here('.vscode/mcp.json') },
    ]);
    const { id } = (await list())[0] as { id: string };
    await expect(mcp.start(id)).rejects.toMatchObject({ code: 'approval_required' });
    expect(launcher.launches).toEqual([]);
    await approve('a');
    expect(await mcp.start(id)).toMatchObject({ state: 'ready' });
    expect(launcher.launches).toMatchObject([{ command: '/usr/bin/node', args: ['./srv.js'], cwd: project }]);
  });

  it('FM-11 are one server where several lists have the same one, by whatever name and spelling', async () => {
    const tree = {
      '.mcp.json': servers({ docs: { ...node, env: { K: '${KEY}' } } }),
      '.cursor/mcp.json': servers({ Docs: { ...node, env: { K: '${env:KEY}' } } }),
      'opencode.json': servers(
        { docs: { type: 'local', command: ['node', './srv.js'], environment: { K: '{env:KEY}' } } },
        'mcp',
      ),
      '.roo/mcp.json': servers({ docs: { ...node, env: { K: '${env:KEY}' }, disabled: true } }),
      '.kiro/settings/mcp.json': servers({ docs: { ...node, env: { K: '${KEY}' } } }),
      '.kilocode/mcp.json': servers({ docs: { ...node, env: { K: '${env:KEY}' }, alwaysAllow: ['a'] } }),
      '.kilo/kilo.jsonc': servers(
        { docs: { type: 'local', command: ['node', './srv.js'], environment: { K: '{env:KEY}' } } },
        'mcp',
      ),
      '.junie/mcp/mcp.json': servers({ docs: { ...node, env: { K: '${env:KEY}' } } }),
      '.github/mcp.json': servers({ docs: { ...node, type: 'local', tools: ['*'], env: { K: '$KEY' } } }),
      '.qwen/settings.json': servers({ docs: { ...node, trust: true, env: { K: '$KEY' } } }),
      '.amazonq/mcp.json': servers({ docs: { ...node, env: { K: '${env:KEY}' } } }),
      '.crush.json': servers({ docs: { ...node, type: 'stdio', env: { K: '$KEY' } } }, 'mcp'),
      '.grok/config.toml': '[mcp_servers.docs]\ncommand = "node"\nargs = ["./srv.js"]\nenv = { K = "${KEY}" }',
    };
    const { list, mcp } = await createServers({}, { tree, environment: { KEY: 'canary' } });
    const [only, ...others] = await list();
    expect(others).toEqual([]);
    expect(only).toMatchObject({ name: 'docs', definedIn: here('.mcp.json'), state: 'needs_approval' });
    expect(only?.alsoDefinedIn?.toSorted()).toEqual([
      here('.amazonq/mcp.json'),
      here('.crush.json'),
      here('.cursor/mcp.json'),
      here('.github/mcp.json'),
      here('.grok/config.toml'),
      here('.junie/mcp/mcp.json'),
      here('.kilo/kilo.jsonc'),
      here('.kilocode/mcp.json'),
      here('.kiro/settings/mcp.json'),
      here('.qwen/settings.json'),
      here('.roo/mcp.json'),
      here('opencode.json'),
    ]);
    expect(only?.shadows).toBeUndefined();
    expect((await mcp.list({ mountedDirectory: project })).warnings).toEqual([]);
  });

  it('FM-11 a list that has the same server twice: the one that it does not disable, and no other place', async () => {
    const off = { ...node, disabled: true };
    for (const [name, both] of [
      ['second', { first: off, second: node }],
      ['first', { first: node, second: off }],
      ['first', { first: node, second: node }],
    ] as const) {
      const { list } = await createServers({}, { tree: { '.roo/mcp.json': servers(both) } });
      const [only, ...others] = await list();
      expect(only).toMatchObject({ name, state: 'needs_approval' });
      expect(only).not.toHaveProperty('alsoDefinedIn');
      expect(others).toEqual([]);
    }
  });

  it('FM-11 are one server where only the spelling of a variable in an argument differs', async () => {
    const tree = {
      '.mcp.json': servers({ docs: { command: 'node', args: ['./srv.js', '--key=${KEY}'] } }),
      '.cursor/mcp.json': servers({ other: { command: 'node', args: ['./srv.js', '--key=${env:KEY}'] } }),
      '.roo/mcp.json': servers({ literal: { command: 'node', args: ['./srv.js', '--key=KEY'] } }),
    };
    const { list } = await createServers({}, { tree, environment: { KEY: 'canary' } });
    expect((await list()).map(({ name, alsoDefinedIn }) => [name, alsoDefinedIn])).toEqual([
      ['docs', [here('.cursor/mcp.json')]],
      ['literal', undefined],
    ]);
  });

  it('FM-11 S-18 another directory needs another approval', async () => {
    const definedAt = (cwd: string) => servers({ a: { command: '/opt/vendor/server', cwd } });
    const tree = { '.mcp.json': definedAt('one'), '/opt/vendor/server': 'ELF' };
    const { approve, server, files: disk } = await createServers({}, { tree });
    await approve('a');
    expect(await server('a')).toMatchObject({ state: 'stopped', cwd: here('one') });
    disk.write(here('.mcp.json'), definedAt('two'));
    expect(await server('a')).toMatchObject({
      reason: { code: 'approval_stale' },
      changes: [{ field: 'cwd', before: here('one'), after: here('two') }],
    });
  });

  it('FM-11 leave a server of your own that they have too as you approved it', async () => {
    const remote = { type: 'http', url: 'https://example.com/mcp' };
    const tree = {
      '~/.context/context-config.json': servers({ mine: remote }),
      '.mcp.json': servers({ theirs: remote, mine: { ...remote, url: 'https://example.com/other' } }),
      '.cursor/mcp.json': servers({ theirs: remote }),
    };
    const {
      list,
      approve,
      files: disk,
    } = await createServers({}, { tree, ports: { grantedRoots: [project, '/home/ada/.context'] } });
    disk.write(here('.mcp.json'), servers({ theirs: remote }));
    await approve('mine');
    expect(await list()).toMatchObject([
      { name: 'mine', state: 'stopped', scope: 'global', alsoDefinedIn: [here('.mcp.json'), here('.cursor/mcp.json')] },
    ]);
    disk.write(here('.mcp.json'), tree['.mcp.json']);
    disk.remove(here('.cursor/mcp.json'));
    expect(await list()).toMatchObject([
      { name: 'mine', state: 'needs_approval', definedIn: here('.mcp.json') },
      { name: 'theirs' },
    ]);
  });

  it('FM-11 of one name that differ: the configuration of the directory wins, and the answer says what it hides', async () => {
    const tree = { '.mcp.json': servers({ a: node }), '.cursor/mcp.json': servers({ a: { command: 'bash' } }) };
    const { list, mcp, setServers } = await createServers({ a: { command: 'node' } }, { tree });
    const hidden = [{ path: here('.cursor/mcp.json') }, { path: here('.mcp.json') }];
    expect(await list()).toMatchObject([{ name: 'a', definedIn: configPath, shadows: hidden }]);
    expect((await mcp.list({ mountedDirectory: project })).warnings).toMatchObject([{ code: 'server_shadowed' }]);
    setServers({});
    expect(await list()).toMatchObject([{ definedIn: here('.mcp.json'), shadows: hidden.slice(0, 1) }]);
  });

  it('FM-11 of Codex get the variables that their list names, and are one with the same of another list', async () => {
    const codex = '[mcp_servers.docs]\ncommand = "node"\nargs = ["./srv.js"]\nenv_vars = ["KEY"]\n';
    const remote = '[mcp_servers.far]\nurl = "https://a/"\nbearer_token_env_var = "NONE"\n';
    const tree = {
      '.codex/config.toml': `${codex}${remote}`,
      '.zed/settings.json': servers({ a: { settings: {} } }, 'context_servers'),
      '.cursor/mcp.json': servers({ docs: { ...node, env: { KEY: '${env:KEY}' } } }),
    };
    const {
      run,
      server,
      list,
      launcher,
      files: disk,
    } = await createServers({}, { tree, environment: { KEY: 'canary' } });
    expect(await list()).toMatchObject([
      { name: 'docs', definedIn: here('.cursor/mcp.json'), alsoDefinedIn: [here('.codex/config.toml')] },
      { name: 'far', reason: { code: 'unresolved_variable' }, approvable: false },
    ]);
    disk.remove(here('.cursor/mcp.json'));
    expect(await server('docs')).toMatchObject({
      definedIn: here('.codex/config.toml'),
      env: { KEY: '${env_vars.KEY}' },
      danger: expect.arrayContaining(['reads_variable:KEY']),
    });
    await run('docs');
    expect(launcher.launches).toMatchObject([{ command: '/usr/bin/node', env: { KEY: 'canary' } }]);
    expect(JSON.stringify(await list())).not.toContain('canary');
  });

  it('FM-11 are taken on the way to the working directory where the tool does, and nowhere beside it', async () => {
    const tree = {
      'a/.mcp.json': servers({ near: node }),
      'a/.cursor/mcp.json': servers({ nowhere: node }),
      'a/.codex/config.toml': '[mcp_servers.codex]\ncommand = "node"',
      'a/.zed/settings.json': servers({ nowhere: node }, 'context_servers'),
      'b/.mcp.json': servers({ beside: node }),
      '.mcp.json': servers({ far: node }),
    };
    const { mcp } = await createServers({}, { tree });
    const { servers: found } = await mcp.list({ mountedDirectory: project, workingDirectory: 'a' });
    expect(found.map(({ name, cwd, scope }) => [name, cwd, scope])).toEqual([
      ['codex', here('a'), 'dynamic'],
      ['far', project, 'static'],
      ['near', here('a'), 'dynamic'],
    ]);
  });

  it('CC-03 FM-11 may begin a command and a directory with ~', async () => {
    const tree = {
      '.vscode/mcp.json': servers({ a: { command: '~/bin/srv', cwd: '~/data' } }, 'servers'),
      '/home/ada/bin/srv': 'ELF',
    };
    const { list } = await createServers({}, { tree });
    expect(await list()).toMatchObject([{ program: '/home/ada/bin/srv', cwd: '/home/ada/data' }]);
  });

  it('FM-03 FM-11 are not read where their formats are not', async () => {
    const tree = { '.mcp.json': servers({ a: node }), '.cursor/mcp.json': servers({ b: { command: 'bash' } }) };
    const namesWith = async (formats: 'none' | string[], clientContext = {}) => {
      const config = { [configPath]: JSON.stringify({ clientContext }) };
      const { engine } = await createWorkspace({ ...files, ...tree, ...config }, { settings: { formats } });
      const listed = await engine.mcp.list({ mountedDirectory: project });
      await engine.stopServers();
      return listed.servers.map(({ name }) => name);
    };
    expect(await namesWith('none')).toEqual([]);
    expect(await namesWith(['cursor'])).toEqual(['b']);
    expect(await namesWith(['cursor', 'claude-md'], { formats: ['claude-md'] })).toEqual(['a']);
  });

  it('FM-11 say what cannot be read, with its place', async () => {
    const tree = {
      '.mcp.json': '{\n "mcpServers": {"a": {"command": 5}}}',
      '.vscode/mcp.json': '{',
      '.roo/mcp.json': servers({ ok: node }),
      '.codex/config.toml': '[mcp_servers.a]\ncommand = "bash"\n[mcp_servers]\nb = 5',
      '.zed/settings.json': servers({ b: 5 }, 'context_servers'),
      '.grok/config.toml': '[mcp_servers',
    };
    const workspace = await createServers({}, { tree });
    workspace.files.symlink(here('.cursor/mcp.json'), '/etc/passwd');
    const { servers: found, warnings } = await workspace.mcp.list({ mountedDirectory: project });
    expect(found.map(({ name }) => name)).toEqual(['a', 'ok']);
    expect(warnings).toMatchObject([
      { code: 'invalid_config', path: here('.grok/config.toml'), line: 1 },
      { code: 'invalid_config_value', path: here('.zed/settings.json'), line: 1, pointer: '/context_servers/b' },
      { code: 'invalid_config_value', path: here('.codex/config.toml'), line: 4, pointer: '/mcp_servers/b' },
      { code: 'config_not_read', path: here('.cursor/mcp.json') },
      { code: 'invalid_config', path: here('.vscode/mcp.json'), line: 1 },
      { code: 'invalid_config_value', path: here('.mcp.json'), line: 2, pointer: '/mcpServers/a/command' },
    ]);
  });
});

describe('variables of other tools', () => {
  const secret = 'canary-4711-secret';
  const env = { TOKEN: '${TOKEN}', MODE: '${MODE:-fast}', AUTH: 'Bearer ${TOKEN}', OTHER: 'x${TOKEN}' };
  const args = ['./srv.js', '--at', '${CLAUDE_PROJECT_DIR}/data', '--key=${TOKEN}'];
  const tree = { '.mcp.json': servers({ a: { command: 'node', args, env } }) };

  it('FM-11 S-24 reach the approved server alone: answers have their names, never their values', async () => {
    const { server, run, launcher, engine, mcp } = await createServers({}, { tree, environment: { TOKEN: secret } });
    const before = await server('a');
    expect(before).toMatchObject({
      command: ['node', './srv.js', '--at', '${CLAUDE_PROJECT_DIR}/data', '--key=${TOKEN}'],
      env: { TOKEN: '${TOKEN}', AUTH: 'Bearer ${TOKEN}', MODE: '***', OTHER: '***' },
      danger: expect.arrayContaining(['reads_variable:TOKEN']),
    });
    await run('a');
    const { args: given, env: got } = launcher.launches[0] as unknown as {
      args: string[];
      env: Record<string, string>;
    };
    expect(given).toEqual(['./srv.js', '--at', `${project}/data`, `--key=${secret}`]);
    expect(got).toMatchObject({ TOKEN: secret, MODE: 'fast', AUTH: `Bearer ${secret}`, OTHER: `x${secret}` });
    const answers = [
      before,
      await mcp.list({ mountedDirectory: project }),
      await engine.resolve({ mountedDirectory: project }),
    ];
    expect(JSON.stringify(answers)).not.toContain(secret);
  });

  it('FM-11 S-18 another value needs another approval, and the answer says which variable changed', async () => {
    const environment: Record<string, string> = { TOKEN: secret };
    const { approve, server } = await createServers({}, { tree, environment });
    await approve('a');
    environment.TOKEN = 'other-4712';
    const changed = await server('a');
    expect(changed).toMatchObject({ state: 'needs_approval', reason: { code: 'approval_stale' } });
    expect(changed.changes?.map(({ field }) => field)).toEqual(['variables.TOKEN']);
    expect(JSON.stringify(changed)).not.toContain('other-4712');
    environment.TOKEN = secret;
    expect(await server('a')).toMatchObject({ state: 'stopped' });
  });

  it.each([
    ['.mcp.json', servers({ a: { ...node, env: { A: '${NONE}' } } }), 'NONE'],
    ['.mcp.json', servers({ a: { url: 'https://x/?k=${NONE}' } }), 'NONE'],
    ['.mcp.json', servers({ a: { ...node, env: { A: '${CONTEXTD_TOKEN}' } } }), 'CONTEXTD_TOKEN'],
    ['.vscode/mcp.json', servers({ a: { ...node, args: ['${input:key}'] } }, 'servers'), '${input:key}'],
    ['.vscode/mcp.json', servers({ a: { ...node, cwd: '${env:SET}' } }, 'servers'), 'SET'],
    ['opencode.json', servers({ a: { command: ['node', '{file:~/.ssh/id_rsa}'] } }, 'mcp'), '{file:~/.ssh/id_rsa}'],
    ['.gemini/settings.json', servers({ a: { ...node, env: { A: '$NONE' } } }), 'NONE'],
    ['.codex/config.toml', '[mcp_servers.a]\ncommand = "node"\nenv_vars = ["NONE"]', 'NONE'],
    ['.crush.json', servers({ a: { ...node, env: { A: '$(cat ~/.ssh/id_rsa)' } } }, 'mcp'), '$(…)'],
    ['.grok/config.toml', '[mcp_servers.a]\nurl = "https://x/"\nheaders = { A = "{{id}}" }', '{{id}}'],
    ['.agents/mcp_config.json', servers({ a: { ...node, env: { A: '${SET}' } } }), '${SET}'],
  ])('FM-11 in %s without a value are a state, and neither an approval nor a start: %s', async (path, text, name) => {
    const environment = { CONTEXTD_TOKEN: secret, SET: secret };
    const { server, mcp, launcher } = await createServers({}, { tree: { [path]: text }, environment });
    const shown = await server('a');
    expect(shown).toMatchObject({ state: 'needs_approval', approvable: false });
    expect(shown.reason.code).toBe('unresolved_variable');
    expect(shown.reason.detail).toContain(name);
    const sentence = 'Values come from the environment in which the daemon was started.';
    expect(shown.reason.detail?.includes(sentence)).toBe(name === 'NONE');
    expect(JSON.stringify(shown)).not.toContain(secret);
    await expect(mcp.approve({ fingerprint: shown.fingerprint })).rejects.toMatchObject({ code: 'conflict' });
    await expect(mcp.start(shown.id)).rejects.toMatchObject({ code: 'approval_required' });
    expect(launcher.launches).toEqual([]);
  });

  it('FM-11 S-26 are not told by a server that fails either', async () => {
    const remote = { '.mcp.json': servers({ a: { url: 'https://${TOKEN}.example.com/mcp' } }) };
    const { approve, mcp, server, launcher } = await createServers(
      {},
      { tree: remote, environment: { TOKEN: secret } },
    );
    launcher.failure = { code: 'unreachable', detail: `https://${secret}.example.com cannot be reached.` };
    const { id } = await approve('a');
    await expect(mcp.start(id)).rejects.toThrow('https://${TOKEN}.example.com cannot be reached.');
    expect(JSON.stringify(await server('a'))).not.toContain(secret);
  });

  it('S-25 FM-11 hide no shell: marks are about what is started', async () => {
    const hidden = { '.mcp.json': servers({ a: { command: '${NONE:-bash}', args: ['${NONE:--c}', 'id'] } }) };
    const { server } = await createServers({}, { tree: hidden });
    expect((await server('a')).danger).toContain('shell');
  });

  it('FM-11 stay as they are written in our own configurations', async () => {
    const { run, launcher } = await createServers(
      { a: { ...node, env: { A: '${TOKEN}' } } },
      { environment: { TOKEN: secret } },
    );
    await run('a');
    expect(launcher.launches[0]).toMatchObject({ env: { A: '${TOKEN}' } });
  });
});
