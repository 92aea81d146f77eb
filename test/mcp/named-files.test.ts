import { describe, expect, it } from 'vitest';
import { project } from '../support/workspace.ts';
import { createServers, refusalOf } from './support/servers.ts';

const programs = { '/usr/bin/npx': 'ELF', '/usr/bin/npm': 'ELF', '/usr/bin/make': 'ELF', '/usr/bin/uvx': 'ELF' };

/** Each changes what runs, though no text of the definition changes. */
const changes: [what: string, server: { command: string; args: string[] }, path: string][] = [
  ['a script named without its ending, with a dot in its name', { command: 'node', args: ['./srv.v2'] }, 'srv.v2.js'],
  ['a script that TypeScript is written in', { command: 'node', args: ['./serve'] }, 'serve.ts'],
  ['a script whose name has a space', { command: 'bash', args: ['-c', `exec node 'a b.js'`] }, 'a b.js'],
  ['a package around a module of Python', { command: 'node', args: ['-m', 'a.b.c'] }, 'a/b/__init__.py'],
  [
    'a program that hides the one npx would fetch',
    { command: 'npx', args: ['-y', 'evil@1'] },
    'node_modules/.bin/evil',
  ],
  [
    'a package that hides the one npx would fetch',
    { command: 'npx', args: ['-y', '@scope/evil@latest'] },
    'node_modules/@scope/evil/package.json',
  ],
  ['where npx fetches from', { command: 'npx', args: ['-y', 'x'] }, '.npmrc'],
  ['the script npm runs', { command: 'npm', args: ['run', 'mcp'] }, 'package.json'],
  ['the script npm runs, from a shell', { command: 'bash', args: ['-c', 'cd . && npm run mcp'] }, 'package.json'],
  ['what make runs', { command: 'make', args: ['serve'] }, 'Makefile'],
  ['the project uvx runs', { command: 'uvx', args: ['--from', './tool', 'serve'] }, 'tool/pyproject.toml'],
];

describe('approvals', () => {
  it.each(changes)('S-18 cover %s', async (_what, server, path) => {
    const test = await createServers({ local: server }, { tree: { ...programs, [path]: 'good' } });
    const { id, files, unverifiable } = await test.approve();
    expect(files.some((file) => file.path === `${project}/${path}`) || unverifiable !== undefined).toBe(true);
    test.files.write(`${project}/${path}`, 'evil');
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
    expect(test.launcher.launches).toEqual([]);
  });

  it.each(changes)('S-18 end when there is anew %s', async (_what, server, path) => {
    const test = await createServers({ local: server }, { tree: { ...programs, 'tool/a.txt': '' } });
    const { id } = await test.approve();
    test.files.write(`${project}/${path}`, 'evil');
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
  });

  it.each([
    ['npx', ['-y', '@modelcontextprotocol/server-filesystem', './data']],
    ['npx', ['-y', 'x', '--root=./data']],
    ['docker', ['run', '-i', '-v', './data:/data', 'mcp/fs', '/data']],
    ['docker', ['run', '-i', '--mount', `type=bind,src=${project}/data,dst=/data`, 'mcp/fs', '/data']],
  ])('S-18 end when a directory that %s is given with %j leads elsewhere', async (command, args) => {
    const tree = { ...programs, '/usr/bin/docker': 'ELF', '/srv/data/a.txt': '', '/home/ada/secret/b.txt': '' };
    const test = await createServers({ local: { command, args } }, { tree });
    test.files.symlink(`${project}/data`, '/srv/data');
    const { id, unverifiable } = await test.approve();
    expect(unverifiable).toBeUndefined();
    test.files.remove(`${project}/data`);
    test.files.symlink(`${project}/data`, '/home/ada/secret');
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ code: 'approval_required' });
    expect((await test.server()).changes).toEqual([
      { field: `links.${project}/data`, before: '/srv/data', after: '/home/ada/secret' },
    ]);
  });

  it('S-19 are compared once more after all that a start has to wait for', async () => {
    const test = await createServers();
    const { id } = await test.approve();
    let open = () => {};
    test.launcher.gate = new Promise((resolve) => {
      open = () => resolve();
    });
    const refused = refusalOf(test.mcp.start(id));
    await expect.poll(() => test.launcher.maxStarting).toBe(1);
    test.files.write(`${project}/srv.js`, 'evil');
    open();
    expect(await refused).toMatchObject({ code: 'approval_required' });
    expect(test.launcher.launches).toEqual([]);
  });

  it('S-25 mark what runs a project of which only a part is compared', async () => {
    const test = await createServers({ local: { command: 'npm', args: ['run', 'mcp'] } }, { tree: programs });
    expect((await test.server()).danger).toEqual(['runs_project']);
  });
});
