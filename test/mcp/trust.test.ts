/** Nothing that a file names runs before the user approved exactly that (docs/threats.md, part B). */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../support/memory-store.ts';
import { seededRandom } from '../support/model/seeded-random.ts';
import { sized } from '../support/test-size.ts';
import { project } from '../support/workspace.ts';
import { configOf, configPath, createServers, globalConfigPath, local, refusalOf } from './support/servers.ts';
import { settle } from './support/settle.ts';

const mutated = sized(1_000, 10_000);

describe('servers that nobody approved', () => {
  it('S-17 are listed and never started by what only reads', async () => {
    const test = await createServers();
    const { engine, mcp, launcher } = test;
    await engine.agents.put('a', { name: 'A', mountedDirectory: project, mcpServers: { own: { command: 'node' } } });
    const [server] = await test.list();
    expect(server).toMatchObject({
      name: 'local',
      transport: 'stdio',
      state: 'needs_approval',
      reason: { code: 'approval_required' },
      command: ['node', './srv.js'],
      program: '/usr/bin/node',
      cwd: project,
      files: [{ path: `${project}/srv.js`, sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) }],
      definedIn: configPath,
      scope: 'static',
      tools: 0,
    });
    const { id } = server as { id: string };
    await engine.resolve({ mountedDirectory: project });
    await engine.explain({ mountedDirectory: project });
    await engine.validate({ mountedDirectory: project });
    await engine.agents.items('a');
    await engine.agents.search({ agentId: 'a', query: 'tool' });
    const session = await engine.sessions.create({ agentId: 'a' });
    await engine.sessions.request(session.id, { message: 'go' });
    await mcp.wake({ sessionId: session.id });
    await mcp.tools(id);
    for (const ask of [mcp.resources(id), mcp.prompts(id), mcp.start(id), mcp.restart(id)])
      expect(await refusalOf(ask)).toMatchObject({ code: 'approval_required' });
    const call = mcp.call(id, { tool: 'echo', arguments: { text: 'x' } }, { mayStart: true });
    expect(await refusalOf(call)).toMatchObject({ code: 'approval_required' });
    expect(launcher.launches).toEqual([]);
    expect((await mcp.list({ agentId: 'a' })).servers.map(({ name, scope }) => [name, scope])).toEqual([
      ['local', 'static'],
      ['own', 'agent'],
    ]);
  });

  it('names commands that work in every directory', async () => {
    const test = await createServers();
    const { engine, mcp } = test;
    await engine.agents.put('a', { name: 'A', mountedDirectory: project, mcpServers: { own: { command: 'node' } } });
    const said = async (promise: Promise<unknown>) => (await refusalOf(promise)).message.split(' with: ')[1];
    const { servers } = await mcp.list({ agentId: 'a' });
    const [local, own] = servers.map(({ id }) => id) as [string, string];
    expect(await said(mcp.start(local))).toBe(`contextd mcp list -d ${project}`);
    expect(await said(mcp.start(own))).toBe('contextd mcp list --agent a');
    await test.run();
    await mcp.stop(local);
    expect(await said(mcp.resources(local))).toBe(`contextd mcp start ${local}`);
    const call = mcp.call(local, { tool: 'echo', arguments: { text: 'x' } }, { mayStart: true });
    expect(await said(call)).toBe(`contextd mcp start ${local}`);
  });

  it('AN-03 S-19 are shown by the name of the request, and approved whatever name that is', async () => {
    const link = '/home/ada/link';
    const vscode = JSON.stringify({ servers: { there: { command: 'node', args: [`\${workspaceFolder}/srv.js`] } } });
    const tree = { '.vscode/mcp.json': vscode, 'packages/app/.context/context-config.json': configOf({ near: local }) };
    const { engine, files } = await createServers({ local }, { tree });
    files.symlink(link, project);
    const list = async (mountedDirectory: string) =>
      (await engine.mcp.list({ mountedDirectory, workingDirectory: `${project}/packages/app` })).servers;
    const [mine, its] = [await list(project), await list(link)];
    expect(its.map(({ name, definedIn, cwd }) => [name, definedIn, cwd])).toEqual([
      ['local', `${link}/.context/context-config.json`, link],
      ['near', `${link}/packages/app/.context/context-config.json`, `${link}/packages/app`],
      ['there', `${link}/.vscode/mcp.json`, link],
    ]);
    const resolved = await engine.resolve({ mountedDirectory: link, workingDirectory: 'packages/app' });
    for (const { name, definedIn } of its) expect(resolved.config.mcpServers[name]?.definedIn).toBe(definedIn);
    for (const [at, { id, fingerprint, approvable }] of mine.entries())
      expect(its[at]).toMatchObject({ id, fingerprint, approvable });
    await engine.mcp.approve({ fingerprint: its[0]?.fingerprint ?? '' });
    expect((await list(project))[0]).toMatchObject({ state: 'stopped', cwd: project });
    expect((await list(link))[0]).toMatchObject({ state: 'stopped', cwd: link });
    await engine.stopServers();
  });

  it('AN-03 S-18 show their program and what is compared by the name of the request', async () => {
    const link = '/home/ada/link';
    const tree = { 'tools/run.sh': 'node srv.js' };
    const { engine, files } = await createServers({ own: { command: './tools/run.sh' }, local }, { tree });
    files.symlink(link, project);
    for (const mountedDirectory of [project, link]) {
      const { servers } = await engine.mcp.list({ mountedDirectory });
      const [other, own] = servers.toSorted((a, b) => a.name.localeCompare(b.name));
      expect(own?.program).toBe(`${mountedDirectory}/tools/run.sh`);
      expect(other?.program).toBe('/usr/bin/node');
      for (const server of servers) {
        const paths = server.files.map(({ path }) => path).filter((path) => path !== '/usr/bin/node');
        expect(paths.length).toBeGreaterThan(0);
        expect(paths.filter((path) => !path.startsWith(`${mountedDirectory}/`))).toEqual([]);
      }
    }
  });

  it('MC-02 start exactly as approved, with nothing but what is meant for them', async () => {
    const test = await createServers();
    const started = await test.run();
    expect(started).toMatchObject({ state: 'ready', tools: 1 });
    expect(test.launcher.launches).toEqual([
      {
        transport: 'stdio',
        command: '/usr/bin/node',
        args: ['./srv.js'],
        env: { HOME: '/home/ada', PATH: '/usr/bin:/bin', TOKEN: 'canary-secret' },
        cwd: project,
      },
    ]);
  });

  it('MC-02 keeps an approval over restarts, and runs nothing by itself', async () => {
    const store = createMemoryStore();
    const first = await createServers({ local }, { ports: { ports: { store } } });
    const { id } = await first.run();
    const again = await createServers({ local }, { ports: { ports: { store } } });
    // Known before anything was listed.
    expect((await again.mcp.tools(id)).tools.map(({ name }) => name)).toEqual(['echo']);
    expect(await again.server()).toMatchObject({ state: 'stopped', reason: { code: 'not_started' }, tools: 1 });
    expect(again.launcher.launches).toEqual([]);
    await again.mcp.start(id);
    expect(again.launcher.launches).toHaveLength(1);
  });

  it('MC-01 honours "disabled"', async () => {
    const test = await createServers({ local: { ...local, disabled: true } });
    const { id } = await test.approve();
    expect(await test.server()).toMatchObject({ state: 'disabled', reason: { code: 'disabled' } });
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'conflict' });
    expect(test.launcher.launches).toEqual([]);
  });
});

describe('a changed definition', () => {
  type Mutation = [string, (test: Awaited<ReturnType<typeof createServers>>) => void, string];
  const set = (change: object) => (test: Awaited<ReturnType<typeof createServers>>) =>
    test.setServers({ local: { ...local, ...change } });
  const mutations: Mutation[] = [
    ['the command', set({ command: 'bash' }), 'command'],
    ['a trailing space of the command', set({ command: 'node ' }), 'command'],
    ['a homoglyph in the command', set({ command: 'nоde' }), 'command'],
    ['an argument', set({ args: ['./srv.js', '--yes'] }), 'args.1'],
    ['a trailing space of an argument', set({ args: ['./srv.js '] }), 'args.0'],
    ['an invisible character', set({ args: ['./srv\u200b.js'] }), 'args.0'],
    ['the value of a variable', set({ env: { TOKEN: 'other' } }), 'env.TOKEN'],
    ['a variable', set({ env: { ...local.env, LD_PRELOAD: '/x.so' } }), 'env.LD_PRELOAD'],
    ['no variables', set({ env: undefined }), 'env.TOKEN'],
    ['the transport', (test) => test.setServers({ local: { url: 'https://a.example/mcp' } }), 'transport'],
    ['the content of the script', ({ files }) => files.write(`${project}/srv.js`, 'evil()'), `files.${project}/srv.js`],
    ['no script', ({ files }) => files.remove(`${project}/srv.js`), `files.${project}/srv.js`],
    [
      'a link for the script',
      ({ files }) => {
        files.remove(`${project}/srv.js`);
        files.write(`${project}/other.js`, 'serve()');
        files.symlink(`${project}/srv.js`, 'other.js');
      },
      `files.${project}/srv.js`,
    ],
    [
      'a program that comes first in the path',
      ({ files }) => {
        files.remove('/usr/bin/node');
        files.symlink('/usr/bin/node', '/opt/bin/node');
      },
      'program',
    ],
  ];

  it.each(mutations)('S-18 S-22 needs another approval after %s', async (_what, mutate, field) => {
    const test = await createServers();
    const { id } = await test.run();
    await test.mcp.stop(id);
    test.clock.advance(60_000);
    mutate(test);
    const now = await test.server();
    expect(now).toMatchObject({ id, state: 'needs_approval', reason: { code: 'approval_stale' } });
    expect(now.changes?.map((change) => change.field)).toContain(field);
    expect(now).not.toHaveProperty('approvedAt');
    const refusal = await refusalOf(test.mcp.start(id));
    expect(refusal.code).toBe('approval_required');
    expect(refusal.message).toContain(field);
    expect(test.launcher.launches).toHaveLength(1);
    expect(await test.engine.agents.items(await agentOf(test))).toMatchObject({ items: [] });
  });

  it('S-18 of a remote server: each of address and headers', async () => {
    const remote = { url: 'https://a.example/mcp?key=canary-1', headers: { authorization: 'canary-2' } };
    for (const [change, field] of [
      [{ url: 'https://a.example/mcp?key=canary-3' }, 'url'],
      [{ headers: { authorization: 'canary-4' } }, 'headers.authorization'],
      [{ type: 'sse' }, 'transport'],
    ] as const) {
      const test = await createServers({ remote });
      await test.approve('remote');
      test.setServers({ remote: { ...remote, ...change } });
      const now = await test.server('remote');
      expect(now.changes?.map((each) => each.field)).toEqual([field]);
      expect(JSON.stringify(now)).not.toContain('canary');
    }
  });

  it('S-18 is none when only keys are ordered or spaced otherwise', async () => {
    const test = await createServers({ local: { ...local, env: { A: '1', B: '2' } } });
    const before = await test.approve();
    test.files.write(
      configPath,
      '{ "mcpServers":\n{ "local": {"env": {"B":"2", "A":"1"},\n "args": [ "./srv.js" ], "command": "node"} } }\n',
    );
    expect(await test.server()).toMatchObject({ state: 'stopped', fingerprint: before.fingerprint });
  });

  it('S-18 of a server that runs: it is not used any more, stopped, and not started again', async () => {
    const test = await createServers();
    const { id } = await test.run();
    test.clock.advance(60_000);
    test.files.write(`${project}/srv.js`, 'evil()');
    expect(await test.server()).toMatchObject({ state: 'needs_approval' });
    const call = test.mcp.call(id, { tool: 'echo', arguments: { text: 'x' } }, { mayStart: true });
    expect(await refusalOf(call)).toMatchObject({ code: 'approval_required' });
    expect(test.launcher).toMatchObject({ calls: [], open: [] });
    expect(test.launcher.launches).toHaveLength(1);
    const data = { serverId: id, state: 'needs_approval', reason: { code: 'approval_stale' } };
    expect(test.events.at(-1)).toMatchObject({ type: 'mcp-state-changed', data });
  });

  it('MC-03 of a server that runs and is disabled: it is stopped, and listeners are told what lists say', async () => {
    const test = await createServers();
    const { id } = await test.run();
    test.clock.advance(60_000);
    test.setServers({ local: { ...local, disabled: true } });
    const call = test.mcp.call(id, { tool: 'echo', arguments: { text: 'x' } }, { mayStart: true });
    expect(await refusalOf(call)).toMatchObject({ code: 'conflict' });
    expect(await test.server()).toMatchObject({ state: 'disabled' });
    const data = { serverId: id, state: 'disabled', reason: { code: 'disabled' } };
    expect(test.events.at(-1)).toMatchObject({ type: 'mcp-state-changed', data });
  });

  it('S-18 that crashes is not started again either', async () => {
    const test = await createServers();
    await test.run();
    test.clock.advance(60_000);
    test.files.write(`${project}/srv.js`, 'evil()');
    const [connection] = test.launcher.open;
    connection?.handlers.onEnd({ code: 'exited', detail: 'It ended.' });
    for (const { work } of test.delayed.splice(0)) work();
    await settle();
    expect(test.launcher.launches).toHaveLength(1);
    expect(test.events.at(-1)?.data).toMatchObject({ state: 'needs_approval', reason: { code: 'approval_stale' } });
  });

  it('MC-03 that is edited and disabled while it waits to be started again: events and lists say the same', async () => {
    const test = await createServers();
    const { id } = await test.run();
    test.clock.advance(60_000);
    test.setServers({ local: { ...local, args: ['./other.js'], disabled: true } });
    const [connection] = test.launcher.open;
    connection?.handlers.onEnd({ code: 'exited', detail: 'It ended.' });
    for (const { work } of test.delayed.splice(0)) work();
    await settle();
    const { state, reason } = await test.server();
    expect(state).toBe('disabled');
    expect(test.events.at(-1)?.data).toMatchObject({ serverId: id, state, reason });
  });

  it('MC-03 and is put back: nothing is said of why it was stopped', async () => {
    const test = await createServers();
    const { id } = await test.run();
    test.clock.advance(60_000);
    test.setServers({ local: { ...local, disabled: true } });
    await refusalOf(test.mcp.call(id, { tool: 'echo', arguments: { text: 'x' } }, { mayStart: true }));
    test.setServers({ local });
    expect(await test.server()).toMatchObject({ state: 'stopped', reason: { code: 'not_started' } });
  });
});

async function agentOf({ engine }: Awaited<ReturnType<typeof createServers>>): Promise<string> {
  await engine.agents.put('a', { name: 'A', mountedDirectory: project });
  return 'a';
}

describe('approvals', () => {
  it('S-19 hold for what was shown only', async () => {
    const test = await createServers();
    const shown = await test.server();
    test.setServers({ local: { ...local, args: ['-e', 'evil()'] } });
    expect(await refusalOf(test.mcp.approve({ fingerprint: shown.fingerprint }))).toMatchObject({
      code: 'approval_stale',
    });
    expect(await refusalOf(test.mcp.approve({ fingerprint: 'f'.repeat(64) }))).toMatchObject({ code: 'not_found' });
    test.setServers({});
    expect(await refusalOf(test.mcp.approve({ fingerprint: shown.fingerprint }))).toMatchObject({
      code: 'approval_stale',
    });
    test.setServers({ local });
    const { id } = await test.mcp.approve({ fingerprint: shown.fingerprint });
    test.setServers({ local: { ...local, args: ['-e', 'evil()'] } });
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
    expect(test.launcher.launches).toEqual([]);
  });

  it(`S-19 S-18 start only what was approved, whenever the definition changes (${mutated} mutated configurations)`, {
    timeout: 30_000 + mutated * 20,
  }, async () => {
    const test = await createServers();
    const approved = await test.run();
    await test.mcp.stop(approved.id);
    const before = test.launcher.launches.length;
    const random = seededRandom(7).uniform;
    const oneOf = <Value>(...values: Value[]): Value => values[Math.floor(random() * values.length)] as Value;
    let started = 0;
    for (let at = 0; at < mutated; at += 1) {
      const args = oneOf(local.args, ['./srv.js'], ['./srv.js', ''], [], ['./srv.js\u200b'], ['-e', 'x()']);
      const env = oneOf<object>(
        local.env,
        { ...local.env },
        { TOKEN: 'other' },
        { ...local.env, PATH: '/opt/bin' },
        {},
      );
      const command = oneOf('node', 'node', 'bash', './srv.js', '/opt/bin/node', '/usr/bin/node', 'node ', 'missing');
      test.setServers({ local: { command, args, env } });
      const isApproved = command === 'node' && JSON.stringify([args, env]) === JSON.stringify([local.args, local.env]);
      const starting = refusalOf(test.mcp.start(approved.id));
      // In the middle of finding out, in some of the runs right between the two looks at the definition.
      for (let turns = oneOf(0, 10, 20, 30, 40, 60, 80); turns > 0; turns -= 1) await null;
      if (oneOf(true, false)) test.setServers({ local: { ...local, args: ['-e', 'late()'] } });
      await starting;
      started += Number(isApproved);
      test.clock.advance(200_000);
      if (test.launcher.open.length > 0) await test.mcp.stop(approved.id);
    }
    const launches = test.launcher.launches.slice(before);
    expect(launches.length).toBeGreaterThan(5);
    expect(launches.length).toBeLessThanOrEqual(started);
    for (const launch of launches) expect(launch).toEqual(test.launcher.launches[0]);
  });

  it('S-20 are not given by the workspace itself', async () => {
    const plain = await createServers();
    const boasting = await createServers(
      { local },
      {
        tree: {
          '.env': 'CLIENT_CONTEXT_PATH=.evil\nGLOBAL_CONTEXT_PATH=/tmp\nNODE_OPTIONS=--require ./x.js\nPATH=/evil\n',
          '.npmrc': 'node-options=--require ./x.js\n',
          '.node-version': '1\n',
          [configPath]: JSON.stringify({ trusted: true, approved: true, mcpServers: { local } }),
        },
      },
    );
    expect(await boasting.server()).toEqual(await plain.server());
    expect(await refusalOf(boasting.mcp.start((await boasting.server()).id))).toMatchObject({
      code: 'approval_required',
    });
  });

  it('S-20 are not given by a server that says it is trusted', async () => {
    const test = await createServers({ local: { ...local, trusted: true, disabled: false } });
    expect(await test.server()).toMatchObject({ state: 'needs_approval' });
  });

  it('S-21 of a global server do not hold for one of the same name; the global one keeps running', async () => {
    const test = await createServers(
      {},
      { tree: { [globalConfigPath]: configOf({ github: { command: 'node', args: ['/opt/bin/node'] } }) } },
    );
    const global = await test.run('github');
    expect(global).toMatchObject({ scope: 'global', cwd: '/home/ada', state: 'ready' });
    test.setServers({ github: { command: 'bash', args: ['-c', 'evil'] } });
    const { servers, warnings } = await test.mcp.list({ mountedDirectory: project });
    expect(servers).toMatchObject([
      { name: 'github', scope: 'static', state: 'needs_approval', reason: { code: 'approval_required' } },
    ]);
    expect(servers[0]?.id).not.toBe(global.id);
    expect(servers[0]?.shadows).toEqual([{ path: globalConfigPath, scope: 'global' }]);
    expect(warnings).toMatchObject([{ code: 'server_shadowed', path: configPath }]);
    expect(await refusalOf(test.mcp.start(servers[0]?.id ?? ''))).toMatchObject({ code: 'approval_required' });
    expect(test.launcher.open).toHaveLength(1);
    const answer = await test.mcp.call(global.id, { tool: 'echo', arguments: { text: 'x' } });
    expect(answer.content).toEqual([{ type: 'text', text: 'echo x' }]);
  });

  it('MC-02 can be taken back, which stops the server', async () => {
    const test = await createServers();
    const { id, fingerprint } = await test.run();
    await test.mcp.revoke(fingerprint);
    expect(test.launcher.open).toEqual([]);
    expect(await test.server()).toMatchObject({ id, state: 'needs_approval' });
    expect(await refusalOf(test.mcp.revoke(fingerprint))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
  });

  it('S-25 show dangerous variables, and what else to look at twice', async () => {
    const keys = [
      'LD_PRELOAD',
      'CORECLR_PROFILER_PATH',
      'LESSOPEN',
      'OPENSSL_MODULES',
      'SSL_CERT_FILE',
      'MALLOC_TRACE',
      'DYLD_INSERT_LIBRARIES',
      'NODE_OPTIONS',
      'PYTHONPATH',
      'GIT_SSH_COMMAND',
      'PATH',
      'BASH_ENV',
    ];
    for (const key of keys) {
      const test = await createServers({ local: { ...local, env: { [key]: '/usr/bin' } } });
      expect((await test.server()).danger).toContain(`dangerous_env:${key}`);
      expect(await refusalOf(test.mcp.start((await test.server()).id))).toMatchObject({ code: 'approval_required' });
    }
    const dangers = async (server: object) => (await (await createServers({ local: server })).server()).danger;
    expect(await dangers({ command: 'bash', args: ['-c', 'x'] })).toEqual(['shell']);
    expect(await dangers({ command: 'node', args: ['-e', 'x()'] })).toEqual(['inline_code']);
    expect(await dangers({ command: 'npx', args: ['-y', 'x'] })).toEqual(['downloads_code', 'program_not_found']);
    expect(await dangers({ command: './srv.js' })).toEqual(['program_in_workspace']);
    expect(await dangers({ url: 'http://a.example' })).toEqual(['url_not_https']);
    expect(await dangers({ url: 'http://127.0.0.1.a.example' })).toEqual(['url_not_https']);
    for (const host of ['127.0.0.1:3845', 'localhost', '[::1]:8080'])
      expect(await dangers({ url: `http://${host}/mcp` })).toEqual([]);
    expect(await dangers({ command: 'node', args: ['a\u202eb', '$' + '{HOME}'] })).toEqual([
      'variable_is_literal',
      'suspicious_unicode',
    ]);
    expect(await dangers(local)).toEqual(['script_in_workspace']);
    expect(await dangers({ command: 'node', args: ['/usr/lib/srv.js', '.'] })).toEqual([]);
  });

  it('S-26 tell no secret: values are masked, with the beginning of their hash where it helps nobody to guess', async () => {
    const token = 'canary0Qx9vT2mLr7Wd4Zk8Jp3Hs6Ny1Bg5Fc';
    const servers = {
      local: {
        ...local,
        env: { TOKEN: token, PIN: '4711canary', URL: 'postgres://ada:canary-pw@db.example/main?x=1' },
      },
      remote: { url: 'https://ada:canary-u@a.example/?k=canary-q', headers: { authorization: 'canary-h' } },
    };
    const store = createMemoryStore();
    const test = await createServers(servers, { ports: { ports: { store } } });
    await test.run();
    await test.approve('remote');
    const listed = await test.list();
    const masked = { TOKEN: expect.stringMatching(/^\*\*\* \(sha256:[0-9a-f]{8}\)$/u), PIN: '***', URL: '***' };
    expect(listed[0]?.env).toEqual(masked);
    // Nor is there a hash of a short one that could be found by trying: neither shown nor stored.
    const stored = JSON.stringify([store.approvals.list(), listed]);
    for (const value of ['4711canary', servers.local.env.URL, servers.remote.url])
      expect(stored).not.toContain(createHash('sha256').update(value).digest('hex').slice(0, 8));
    const everything = JSON.stringify([listed, store.approvals.list(), test.events]);
    expect(everything).not.toContain('canary');
  });

  it('S-18 are not possible for what cannot be vouched for', async () => {
    const many = Array.from({ length: 256 }, (_, at) => `a${at} b${at}`);
    const test = await createServers({ local: { command: 'node', args: many } });
    expect(await test.server()).toMatchObject({ approvable: false, reason: { code: 'not_approvable' } });
    expect(await refusalOf(test.approve())).toMatchObject({ code: 'conflict' });
  });

  it('S-18 show the files behind "=", in shell commands and addresses', async () => {
    const tree = { 'b.js': 'b', 'c.sh': 'c', 'lib.js': 'l' };
    const args = ['--import=./b.js', '-c', 'exec ./c.sh --fast', `file://${project}/lib.js`];
    const test = await createServers({ local: { command: 'bash', args } }, { tree });
    const { files: named } = await test.server();
    expect(named.map(({ path }) => path.slice(project.length + 1))).toEqual(['b.js', 'c.sh', 'lib.js']);
  });
});
