/** What of the files around a server asks for another approval: what runs, or all of it where that cannot be told. */
import { describe, expect, it } from 'vitest';
import { project } from '../support/workspace.ts';
import { createServers, refusalOf } from './support/servers.ts';

const names =
  'sh bash env git npx npm uvx uv make java flask pytest nodemon gradle dotnet nix python3 docker deno bun some-tool mcp-server-git';
const programs = Object.fromEntries(names.split(' ').map((name) => [`/usr/bin/${name}`, 'ELF']));
const tree = {
  ...programs,
  '/opt/vendor/server': 'ELF',
  'tools/run.sh': 'good',
  'pre.js': 'good',
  'pre.sh': 'good',
  'pkg/__main__.py': 'good',
  'data.db': 'SQLite format 3',
  'notes.md': 'notes',
};
type Server = { command: string; args?: string[]; env?: Record<string, string> };
type Case = [what: string, server: Server, path: string];

const unfollowed: Case[] = [
  ['env -C', { command: 'env', args: ['-C', 'tools', './run.sh'] }, 'tools/run.sh'],
  ['env with a path', { command: 'env', args: ['PATH=./tools:/usr/bin', 'run.sh'] }, 'tools/run.sh'],
  ['an alias of git', { command: 'git', args: ['-c', 'alias.x=!cd tools; ./run.sh', 'x'] }, 'tools/run.sh'],
  ['NODE_OPTIONS', { command: 'node', args: ['/x.js'], env: { NODE_OPTIONS: '--require ./pre.js' } }, 'pre.js'],
  ['BASH_ENV', { command: 'node', args: ['/x.js'], env: { BASH_ENV: './pre.sh' } }, 'pre.sh'],
  ['PYTHONPATH', { command: 'python3', args: ['/x.py'], env: { PYTHONPATH: '.' } }, 'pkg/__main__.py'],
  ['LD_PRELOAD', { command: '/opt/vendor/server', env: { LD_PRELOAD: './x.so' } }, 'x.so'],
  ['PATH of the definition', { command: '/opt/vendor/server', env: { PATH: 'tools:/usr/bin' } }, 'tools/node'],
  ['a shell that goes elsewhere', { command: 'sh', args: ['-c', 'cd tools && ./run.sh'] }, 'tools/run.sh'],
  ['a variable in a command', { command: 'bash', args: ['-c', '$PWD/pre.sh'] }, 'pre.sh'],
  ['a glob', { command: 'bash', args: ['-c', './t*/r?n.sh'] }, 'tools/run.sh'],
  ['java @file', { command: 'java', args: ['@options'] }, 'options'],
  ['flask', { command: 'flask', args: ['run'] }, 'app.py'],
  ['pytest', { command: 'pytest' }, 'conftest.py'],
  ['nodemon', { command: 'nodemon' }, 'nodemon.json'],
  ['gradle', { command: 'gradle', args: ['run'] }, 'build.gradle'],
  ['dotnet', { command: 'dotnet', args: ['run'] }, 'Program.cs'],
  ['nix', { command: 'nix', args: ['run'] }, 'flake.nix'],
  ['a module of Python', { command: 'python3', args: ['-m', 'pkg'] }, 'pkg/__main__.py'],
  ['what a module of Python imports', { command: 'python3', args: ['-u', '-m', 'json.tool'] }, 'json/tool.py'],
  ['uv --directory', { command: 'uv', args: ['--directory', 'tools', 'run', 'x'] }, 'tools/pyproject.toml'],
  ['uv run', { command: 'uv', args: ['run', 'x'] }, '.venv/bin/x'],
  ['make -C', { command: 'make', args: ['-C', 'tools', 'serve'] }, 'tools/Makefile'],
  ['npm --prefix', { command: 'npm', args: ['--prefix', 'tools', 'run', 'x'] }, 'tools/package.json'],
  ['a program of the workspace', { command: './tools/run.sh' }, 'tools/lib.sh'],
  ['npx -c', { command: 'npx', args: ['-c', 'cd tools && ./run.sh'] }, 'tools/run.sh'],
  ['npx of what is installed', { command: 'npx', args: ['-y', 'evil@1'] }, 'node_modules/x/package.json'],
  ['npx of the project itself', { command: 'npx', args: ['evil'] }, 'package.json'],
  ['npx with another shell', { command: 'npx', args: ['-y', 'x'] }, '.npmrc'],
  ['npx with another node', { command: 'npx', args: ['-y', 'x'] }, 'node_modules/.bin/node'],
  ['npx of a runner', { command: 'npx', args: ['-y', 'tsx', 'pre'] }, 'pre.ts'],
  ['a package that is given a command', { command: 'npx', args: ['-y', 'x', '--stdio', 'sh pre.sh'] }, 'pre.sh'],
  ['a package that is given code', { command: 'npx', args: ['-y', 'x', 'pre.js'] }, 'pre.js'],
  ['options of node', { command: 'node', args: ['--import', './pre.js', '/x.js'] }, 'pre.js'],
  ['a program of the system', { command: '/usr/bin/some-tool' }, '.toolrc'],
  ['an unknown program', { command: 'some-tool', args: ['serve'] }, 'some.config'],
  ['docker compose', { command: 'docker', args: ['compose', 'up'] }, 'compose.yaml'],
  ['a mount over a program', { command: 'docker', args: ['run', '-v', `${project}:/app`, 'x'] }, 'pre.js'],
  ['a mount that climbs', { command: 'docker', args: ['run', '-v', `${project}:/data/../app`, 'x'] }, 'pre.js'],
  ...['"source=SRC","target=/app"', 'Source=SRC,target=/app', 'source=v,src=SRC,target=/data,dst=/app'].map(
    (mount): Case => [
      `a mount written as ${mount}`,
      { command: 'docker', args: ['run', '--mount', `type=bind,${mount.replace('SRC', project)}`, 'x'] },
      'pre.js',
    ],
  ),
  ['hooks of git', { command: 'git', args: ['x'] }, '.git/hooks/post-checkout'],
  ['aliases of git', { command: 'git', args: ['x'] }, '.git/config'],
];

/** By where `npx` looks: a name, a bin or a file is there anew. */
const evil: Record<string, string> = {
  'node_modules/x/package.json': '{"name":"evil","bin":{"run":"x"}}',
  'package.json': '{"name":"p","bin":{"evil":"./pre.js"}}',
};

describe('what cannot be followed', () => {
  it.each(unfollowed)('S-18 asks again when a file changes: %s', async (_what, server, path) => {
    const test = await createServers({ local: server }, { tree: { ...tree, [path]: 'good' } });
    const { id, state } = await test.approve();
    expect(state).toBe('stopped');
    test.clock.advance(60_000);
    test.files.write(`${project}/${path}`, evil[path] ?? 'evil');
    const now = await test.server();
    expect(now).toMatchObject({ state: 'needs_approval', reason: { code: 'approval_stale' } });
    expect(now.unverifiable).toMatch(
      /^contextd cannot follow what it runs \(.*\), so any change .* needs a new approval\.$/u,
    );
    expect(now.changes?.length).toBeGreaterThan(0);
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
    expect(test.launcher.launches).toEqual([]);
  });

  it.each(unfollowed)('S-18 asks again when a file is new: %s', async (_what, server, path) => {
    const { [path as never]: _gone, ...rest } = tree as Record<string, string>;
    const test = await createServers({ local: server }, { tree: { ...rest, 'tools/other': '' } });
    const { id } = await test.approve();
    test.clock.advance(60_000);
    test.files.write(`${project}/${path}`, evil[path] ?? 'evil');
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
    expect(test.launcher.launches).toEqual([]);
  });

  it('S-18 counts what links lead to, and not what git writes with every command', async () => {
    const test = await createServers(
      { local: { command: 'sh', args: ['-c', 'x'] } },
      { tree: { ...tree, '.git/HEAD': 'a', '/home/ada/other/run.sh': 'good' }, ports: { grantedRoots: ['/home/ada'] } },
    );
    test.files.symlink(`${project}/linked`, '../other');
    const { id } = await test.approve();
    test.clock.advance(60_000);
    test.files.write(`${project}/.git/HEAD`, 'b');
    test.setServers({ local: { command: 'sh', args: ['-c', 'x'] }, other: { command: 'node' } });
    expect(await test.server()).toMatchObject({ state: 'stopped' });
    test.files.write('/home/ada/other/run.sh', 'evil');
    test.clock.advance(60_000);
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
  });

  it('S-18 asks at each start when there is too much to compare', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`many/${at % 100}/${at}`, '']));
    const test = await createServers({ local: { command: 'sh', args: ['-c', 'x'] } }, { tree: { ...tree, ...many } });
    const { unverifiable, id } = await test.approve();
    expect(unverifiable).toContain('every start needs an approval.');
    expect(await test.mcp.start(id)).toMatchObject({ state: 'ready' });
    expect(await test.mcp.call(id, { tool: 'echo', arguments: { text: 'x' } })).toHaveProperty('content');
    await test.mcp.stop(id);
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
    expect(await test.server()).toMatchObject({ state: 'needs_approval', approvable: true });
    await test.approve();
    // Nor does an approval wait for ever.
    test.clock.advance(600_000);
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
    expect(test.launcher.launches).toHaveLength(1);
    await test.run();
    const [connection] = test.launcher.open;
    connection?.handlers.onEnd({ code: 'exited', detail: 'It ended.' });
    for (const { work } of test.delayed.splice(0)) work();
    await expect.poll(async () => (await test.server()).state).toBe('needs_approval');
    expect(test.launcher.launches).toHaveLength(2);
  });
});

describe('what is followed', () => {
  const followed: [what: string, server: Server, files: string[]][] = [
    ['a script', { command: 'node', args: ['--no-warnings', './pre.js', 'notes.md', '.'] }, ['pre.js']],
    ['a script outside', { command: 'node', args: ['/opt/srv/index.js', '.', './data.db'] }, []],
    ['a script of Python', { command: 'python3', args: ['-u', 'srv.py'] }, ['srv.py']],
    ['a package', { command: 'npx', args: ['-y', '@scope/server-sqlite@1.2.3', './data.db', '.'] }, []],
    ['a package of Python', { command: 'uvx', args: ['--from', 'a==1.0', 'mcp-server-a', '--db', './data.db'] }, []],
    ['an image', { command: 'docker', args: ['run', '-i', '--rm', '-e', 'TOKEN', 'ghcr.io/a/b:1', 'stdio'] }, []],
    ['an image with data', { command: 'docker', args: ['run', `--mount=type=bind,src=${project},dst=/data`, 'a'] }, []],
    ['a program elsewhere', { command: '/opt/vendor/server', args: ['--db', 'data.db', 'stdio'] }, []],
    ['a program made for this', { command: 'mcp-server-git', args: ['--repository', '.'] }, []],
    ['settings', { command: '/opt/vendor/server', args: ['--config=srv.json'] }, ['srv.json']],
    ['a module outside', { command: 'python3', args: ['-I', '-m', 'mcp_server'] }, []],
    ['plain variables', { command: '/opt/vendor/server', env: { TOKEN: 'x', NODE_OPTIONS: '--no-warnings' } }, []],
  ];

  it.each(followed)('S-18 asks again for its own files only: %s', async (_what, server, files) => {
    const all = { ...tree, 'srv.py': 'good', 'srv.json': '{}', 'package.json': '{"name":"p"}', 'src/a.ts': '' };
    const test = await createServers({ local: server }, { tree: all });
    const before = await test.approve();
    expect(before).not.toHaveProperty('unverifiable');
    const own = before.files
      .map(({ path }) => path.slice(project.length + 1))
      .filter((path) => path !== 'package.json');
    expect(own).toEqual(files);
    const dependency = '{"name":"p","dependencies":{"left-pad":"1.0.0"}}';
    test.clock.advance(60_000);
    for (const path of ['data.db', 'notes.md', 'src/a.ts', 'tools/run.sh', 'node_modules/left-pad/package.json'])
      test.files.write(`${project}/${path}`, 'other');
    test.files.write(`${project}/package.json`, dependency);
    expect(await test.mcp.start(before.id)).toMatchObject({ state: 'ready', fingerprint: before.fingerprint });
    for (const path of files) {
      test.files.write(`${project}/${path}`, 'evil');
      test.clock.advance(60_000);
      expect(await test.server()).toMatchObject({ state: 'needs_approval' });
    }
  });

  it('S-18 of package.json what Node decides by', async () => {
    const manifest = { name: 'p', type: 'commonjs', main: 'a.js', scripts: { test: 'x' } };
    const all = { ...tree, 'package.json': JSON.stringify(manifest), 'a.js': 'a', 'b.js': 'b' };
    const test = await createServers({ local: { command: 'node', args: ['.'] } }, { tree: all });
    expect((await test.approve()).files.map(({ path }) => path)).toEqual([
      `${project}/a.js`,
      `${project}/package.json`,
    ]);
    const becomes = async (change: object) => {
      test.files.write(`${project}/package.json`, JSON.stringify({ ...manifest, ...change }));
      test.clock.advance(60_000);
      return (await test.server()).state;
    };
    expect(await becomes({ scripts: { test: 'y' }, dependencies: { x: '1' } })).toBe('stopped');
    for (const change of [{ type: 'module' }, { main: 'b.js' }, { exports: './b.js' }, { imports: { '#a': './b.js' } }])
      expect(await becomes(change)).toBe('needs_approval');
  });

  it('S-18 S-19 is compared again when it has started: one that changed meanwhile is stopped', async () => {
    for (const content of ['evil', 'serve()']) {
      const test = await createServers();
      const { id } = await test.approve();
      test.launcher.onConnect = () => test.files.write(`${project}/srv.js`, content);
      expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
      expect(test.launcher).toMatchObject({ open: [], launches: { length: 1 } });
      expect(test.events.at(-1)?.data).toMatchObject({ state: 'needs_approval', reason: { code: 'approval_stale' } });
      expect(await test.mcp.tools(id)).toMatchObject({ tools: [] });
    }
  });
});

it('S-25 values of variables that load code are shown, all others are masked', async () => {
  const env = {
    NODE_OPTIONS: '--require ./pre.js',
    PATH: '/opt/bin',
    NPM_CONFIG_REGISTRY: 'https://u:p@a.example/',
    TOKEN: 'secret',
  };
  const test = await createServers(
    { local: { command: '/opt/vendor/server', env: { ...env, NPM_CONFIG__AUTH: 'pw' } } },
    { tree },
  );
  expect((await test.server()).env).toEqual({
    ...env,
    NPM_CONFIG_REGISTRY: 'https://***@a.example/',
    TOKEN: '***',
    NPM_CONFIG__AUTH: '***',
  });
});
