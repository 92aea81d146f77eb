/** Paths outside the project, and links on the way to it, asked of the real daemon. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

let directory: string;
let home: string;
let shop: string;
beforeEach(() => {
  directory = temporaryDirectory();
  home = join(directory, 'home');
  shop = join(home, 'projects/shop');
  write('home/projects/shop/.context/always.md', '---\ntrigger: always\n---\nalways');
  write('home/projects/shop/.context/ts.md', '---\ntrigger: auto\nglobs: "**/*.ts"\n---\ntypescript');
  write('home/projects/shop/src/a.ts', "import { b } from './b';\nimport { up } from '../../../../up';\nb(); up();");
  write('home/projects/shop/src/b.ts', 'export function b() {}');
  write('home/projects/shop/blocked/secret.ts', 'export const secret = 1;');
  write('home/projects/.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude:\n  - shop/blocked/**\n');
  write('outside/there.ts', 'export const canary = 1;');
});

const write = (path: string, text: string) => writeTree(directory, { [path]: text });

async function post<Body>(daemon: TestDaemon, path: string, body: object): Promise<Body> {
  const answer = await daemon.request(path, { body });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
  return answer.body as Body;
}

type Omitted = { path: string; reason: { code: string; detail?: string } };
type Resolved = {
  mountedDirectory: string;
  files: { path: string; relativePath: string; state: string }[];
  omitted: Omitted[];
};
type Retrieved = {
  items: { path: string; relativePath: string }[];
  omitted: Omitted[];
  activeDocument?: { allowed: boolean; reason?: { code: string } };
};

const active = ({ files }: Resolved) =>
  files.filter(({ state }) => state === 'active').map(({ relativePath }) => relativePath);

describe('paths outside', () => {
  it('AN-02 are omitted by resolve, existing and absent ones alike, and the rest is answered', async () => {
    const daemon = await daemonFor(home);
    const there = join(directory, 'outside/there.ts');
    const absent = join(directory, 'outside/absent.ts');
    const files = ['src/a.ts', there, absent, '../other/x.ts', 'new.ts'];
    const resolved = await post<Resolved>(daemon, '/v1/context/resolve', { mountedDirectory: shop, files });
    expect(active(resolved)).toEqual(['.context/always.md', '.context/ts.md']);
    const reason = { code: 'outside_roots', detail: 'it lies outside the mounted directory' };
    const other = join(home, 'projects/other/x.ts');
    const notThere = { code: 'not_found', detail: 'it does not exist, but counts as a file in play' };
    expect(resolved.omitted).toEqual([
      ...[there, absent, other].map((path) => ({ path, reason })),
      { path: join(shop, 'new.ts'), reason: notThere },
    ]);
    for (const [request, status] of [
      [{ mountedDirectory: join(directory, 'outside') }, 403],
      [{ mountedDirectory: shop, workingDirectory: directory }, 403],
      [{ mountedDirectory: shop, files: ['a\0b'] }, 400],
      [{ mountedDirectory: shop, files: ['%2e%2e/x'] }, 400],
    ] as const)
      expect((await daemon.request('/v1/context/resolve', { body: request })).status).toBe(status);
  });

  it('AN-02 are omitted by retrieve: tabs, the active document, and what its imports mean above the mount', async () => {
    const daemon = await daemonFor(home);
    for (const name of ['there', 'absent']) {
      const path = join(directory, `outside/${name}.ts`);
      const body = {
        mountedDirectory: shop,
        openTabs: [path, 'src/b.ts', 'gone.ts'],
        activeDocument: { path, content: 'x' },
      };
      const retrieved = await post<Retrieved>(daemon, '/v1/retrieve', body);
      expect(retrieved.items.map(({ relativePath }) => relativePath)).toEqual(['src/b.ts']);
      expect(retrieved.activeDocument).toMatchObject({ allowed: false, reason: { code: 'outside_roots' } });
      expect(retrieved.omitted.map(({ path: each, reason }) => [each, reason.code])).toEqual([
        [path, 'outside_roots'],
        [join(shop, 'gone.ts'), 'not_found'],
      ]);
    }
  });

  it('AN-02 are omitted by requests of sessions', async () => {
    const daemon = await daemonFor(home);
    const agent = { name: 'A', mountedDirectory: shop };
    await daemon.request('/v1/agents/a', { method: 'PUT', body: agent });
    const session = (await daemon.request('/v1/sessions', { body: { agentId: 'a' } })).body as { id: string };
    const path = join(directory, 'outside/there.ts');
    const body = { message: 'hi', files: ['src/a.ts', path] };
    const answer = await daemon.request(`/v1/sessions/${session.id}/requests`, { body });
    expect(answer.body).toMatchObject({
      omitted: [{ type: 'file', path, tokens: 0, reason: { code: 'outside_roots' } }],
    });
    expect(JSON.stringify(answer.body)).toContain('"name":"ts"');
  });
});

describe('two names of one place', () => {
  it('AN-03 a root granted by one name, asked for by the other: answers use the name of the request', async () => {
    const link = join(directory, 'link');
    symlinkSync(home, link);
    for (const [granted, asked, other] of [
      [home, link, home],
      [link, home, link],
    ] as const) {
      await using daemon = await startDaemon({ grantRoots: [granted] });
      const mountedDirectory = join(asked, 'projects/shop');
      const foreign = join(other, 'projects/shop');
      const request = {
        mountedDirectory,
        workingDirectory: join(foreign, 'src'),
        files: [join(foreign, 'src/new.ts')],
        mentions: [join(foreign, '.context/always.md')],
      };
      const resolved = await post<Resolved & { warnings: unknown[] }>(daemon, '/v1/context/resolve', request);
      expect(active(resolved)).toEqual(['.context/always.md', '.context/ts.md']);
      const missing = { path: join(mountedDirectory, 'src/new.ts'), reason: { code: 'not_found' } };
      expect(resolved).toMatchObject({ mountedDirectory, omitted: [missing], warnings: [] });
      expect(resolved.files.every(({ path }) => path.startsWith(`${mountedDirectory}/`))).toBe(true);
      const body = {
        mountedDirectory,
        activeDocument: { path: join(foreign, 'src/a.ts') },
        openTabs: [join(foreign, 'blocked/secret.ts')],
      };
      const { items, omitted } = await post<Retrieved>(daemon, '/v1/retrieve', body);
      expect(items.map(({ path }) => path)).toEqual([join(mountedDirectory, 'src/b.ts')]);
      expect(omitted).toContainEqual(
        expect.objectContaining({
          path: join(mountedDirectory, 'blocked/secret.ts'),
          reason: expect.objectContaining({ code: 'blocked_by_policy' }),
        }),
      );
      const paths = [join(foreign, 'blocked/secret.ts'), join(foreign, 'src/a.ts')];
      const checked = await post<{ decisions: { path: string; allowed: boolean }[] }>(daemon, '/v1/policy/check', {
        mountedDirectory,
        paths,
      });
      expect(checked.decisions.map(({ path, allowed }) => [path, allowed])).toEqual([
        [join(mountedDirectory, 'blocked/secret.ts'), false],
        [join(mountedDirectory, 'src/a.ts'), true],
      ]);
    }
  });
});

it('AN-03 an agent and the servers of a directory take the other name of it for where work happens', async () => {
  const link = join(directory, 'link');
  symlinkSync(home, link);
  write('home/projects/shop/src/.context/context-config.json', '{"mcpServers":{"docs":{"command":"docs"}}}');
  const daemon = await daemonFor(home);
  for (const [mountedDirectory, other] of [
    [shop, join(link, 'projects/shop')],
    [join(link, 'projects/shop'), shop],
  ] as const) {
    const workingDirectory = join(other, 'src');
    const place = { mountedDirectory, workingDirectory };
    const stored = await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A', ...place } });
    expect(stored.body).toMatchObject(place);
    const content = JSON.stringify({ id: 'a', name: 'A', ...place });
    const imported = await daemon.request('/v1/agents/import', { body: { content, format: 'json', replace: true } });
    expect(imported.body).toMatchObject(place);
    for (const query of [{ agentId: 'a' }, place]) {
      const { body } = await daemon.request(`/v1/mcp/servers?${new URLSearchParams(query)}`);
      const cwd = join(mountedDirectory, 'src');
      const definedIn = join(cwd, '.context/context-config.json');
      expect(body).toMatchObject({ servers: [{ name: 'docs', definedIn, cwd }] });
    }
  }
  const outside = { name: 'A', mountedDirectory: shop, workingDirectory: join(link, 'projects') };
  expect(await daemon.request('/v1/agents/a', { method: 'PUT', body: outside })).toMatchObject({
    status: 403,
    body: { code: 'path_outside_roots', errors: [{ pointer: '/workingDirectory' }] },
  });
});

it('AN-03 SU-01 what is added by one name of a directory is there by the other, and after a restart', async () => {
  const link = join(directory, 'link');
  symlinkSync(home, link);
  const stateDirectory = join(directory, 'state');
  const names = [shop, join(link, 'projects/shop')] as const;
  const open = () => startDaemon({ grantRoots: [home], stateDirectory });
  const list = async (daemon: TestDaemon, mountedDirectory: string) => {
    const answer = await daemon.request(`/v1/supplementary?${new URLSearchParams({ mountedDirectory })}`);
    return answer.body as { etag: string; items: { id: string; path: string; relativePath: string }[] };
  };
  {
    await using daemon = await open();
    for (const [at, mountedDirectory] of names.entries()) {
      const body = { mountedDirectory, kind: 'file', path: `src/${'ab'[at]}.ts` };
      expect(await daemon.request('/v1/supplementary', { body })).toMatchObject({
        status: 201,
        body: { enabled: true },
      });
    }
  }
  await using daemon = await open();
  const lists = [await list(daemon, names[0]), await list(daemon, names[1])] as const;
  expect(lists[0].etag).toBe(lists[1].etag);
  for (const [at, mountedDirectory] of names.entries()) {
    const expected = ['src/a.ts', 'src/b.ts'].map((path) => join(mountedDirectory, path));
    expect(lists[at]?.items.map(({ path }) => path)).toEqual(expected);
    const { items } = await post<Retrieved>(daemon, '/v1/retrieve', { mountedDirectory });
    expect(items.map(({ path }) => path)).toEqual(expected);
    const context = await post<Retrieved>(daemon, '/v1/context', { mountedDirectory, include: { rules: false } });
    expect(context.items.map(({ path }) => path)).toEqual(expected);
  }
});

it('AN-03 CC-33 a directory that is granted by one name is granted and revoked by the other', async () => {
  const link = join(directory, 'link');
  symlinkSync(home, link);
  const given = temporaryDirectory();
  const givenLink = join(directory, 'given');
  symlinkSync(given, givenLink);
  await using daemon = await startDaemon({ grantRoots: [given] });
  const roots = async () => {
    const { body } = await daemon.request('/v1/roots');
    return (body as { roots: { path: string; origin: string }[] }).roots.filter(({ origin }) => origin !== 'global');
  };
  const revoke = (path: string) => daemon.request(`/v1/roots?${new URLSearchParams({ path })}`, { method: 'DELETE' });
  const before = await roots();
  for (const [first, second] of [
    [home, link],
    [link, home],
  ] as const) {
    const granted = await daemon.request('/v1/roots', { body: { path: first } });
    expect(granted).toMatchObject({ status: 201, body: { path: first, origin: 'stored' } });
    expect(await daemon.request('/v1/roots', { body: { path: second } })).toMatchObject({
      status: 200,
      body: granted.body as object,
    });
    expect((await roots()).map(({ path }) => path)).toEqual([given, first]);
    expect((await revoke(second)).status).toBe(204);
    expect(await roots()).toEqual(before);
    for (const mountedDirectory of [shop, join(link, 'projects/shop')])
      expect((await daemon.request('/v1/context/resolve', { body: { mountedDirectory } })).status).toBe(403);
    expect((await revoke(first)).status).toBe(404);
  }
  const again = await daemon.request('/v1/roots', { body: { path: givenLink } });
  expect(again).toMatchObject({ status: 200, body: { path: given, origin: 'stored' } });
  expect((await revoke(givenLink)).status).toBe(409);
});

describe('a project opened through a link inside a root', () => {
  it('AN-03 AP-03 is answered by that name, under the policies of the place it leads to', async () => {
    const current = join(home, 'current');
    symlinkSync('projects/shop', current);
    const daemon = await daemonFor(home);
    const resolved = await post<Resolved>(daemon, '/v1/context/resolve', {
      mountedDirectory: current,
      files: ['src/a.ts'],
    });
    expect(resolved).toMatchObject({ mountedDirectory: current, warnings: [] });
    expect(resolved.files.map(({ path }) => path)).toEqual([
      join(current, '.context/always.md'),
      join(current, '.context/ts.md'),
    ]);
    const { items, omitted } = await post<Retrieved>(daemon, '/v1/retrieve', {
      mountedDirectory: current,
      activeDocument: { path: 'src/a.ts' },
      openTabs: ['blocked/secret.ts'],
    });
    expect(items.map(({ path }) => path)).toEqual([join(current, 'src/b.ts')]);
    expect(omitted.map(({ path, reason }) => [path, reason.code])).toEqual([
      [expect.stringMatching(/\/up$/u), 'outside_workspace'],
      [join(current, 'blocked/secret.ts'), 'blocked_by_policy'],
    ]);
  });

  it('AN-03 SU-02 may be added to its own list as a folder', async () => {
    const mountedDirectory = join(home, 'current');
    symlinkSync('projects/shop', mountedDirectory);
    const daemon = await daemonFor(home);
    const { body } = await daemon.request('/v1/supplementary', {
      body: { mountedDirectory, kind: 'folder', path: mountedDirectory },
    });
    expect(body).toMatchObject({ enabled: true, disabledReasons: [] });
    const { items } = await post<Retrieved>(daemon, '/v1/retrieve', { mountedDirectory });
    expect(items.map(({ relativePath }) => relativePath)).toContain('src/a.ts');
  });

  it('S-37 CC-18 gives nothing of a sensitive directory that the link leads to, nor through links below', async () => {
    write('home/.ssh/config.md', 'canary');
    write('home/.ssh/.context/keys.md', '---\ntrigger: always\n---\ncanary');
    symlinkSync('.ssh', join(home, 'innocent'));
    symlinkSync('projects/shop', join(home, 'current'));
    symlinkSync(join(directory, 'outside'), join(shop, 'way-out'));
    symlinkSync(join(home, '.ssh'), join(shop, 'way-in'));
    const daemon = await daemonFor(home);
    const ask = async (mountedDirectory: string, openTabs: string[]) => {
      const resolved = await daemon.request('/v1/context/resolve', { body: { mountedDirectory } });
      const retrieved = await daemon.request('/v1/retrieve', { body: { mountedDirectory, openTabs, query: 'canary' } });
      expect(retrieved.status).toBe(200);
      return resolved.text + retrieved.text.replaceAll('"canary"', '');
    };
    expect(await ask(join(home, 'innocent'), ['config.md'])).not.toContain('canary');
    expect(await ask(join(home, 'current'), ['way-out/there.ts', 'way-in/config.md'])).not.toContain('canary');
  });
});

it('CC-18 SU-02 nothing offers what lies in a sensitive directory that the link to a project leads to', async () => {
  write('home/.aws/tools/notes.ts', 'export const canary = 1;');
  symlinkSync('.aws/tools', join(home, 'tools'));
  const mountedDirectory = join(home, 'tools');
  const daemon = await daemonFor(home);
  const found = await post(daemon, '/v1/workspace/files/search', { mountedDirectory, query: 'notes' });
  expect(found).toMatchObject({ files: [] });
  for (const [kind, path] of [
    ['file', 'notes.ts'],
    ['folder', '.'],
  ]) {
    const { body } = await daemon.request('/v1/supplementary', { body: { mountedDirectory, kind, path } });
    expect(body).toMatchObject({ enabled: false, disabledReasons: [{ code: 'sensitive' }] });
  }
  const explained = await post(daemon, '/v1/context/explain', { mountedDirectory, path: 'notes.ts' });
  expect(explained).toMatchObject({ candidates: [{ verdict: 'excluded', reason: { code: 'sensitive' } }] });
  const activeDocument = { path: 'unsaved.ts', content: "import './notes';" };
  const retrieved = await post(daemon, '/v1/retrieve', { mountedDirectory, activeDocument });
  expect(retrieved).toMatchObject({ activeDocument: { allowed: false, reason: { code: 'sensitive' } } });
  const policy = { mountedDirectory, aiContextPolicy: 'allow', exclude: [] };
  const headers = { 'if-none-match': '*' };
  const written = await daemon.request('/v1/policy', { method: 'PUT', body: policy, headers });
  expect(written).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

it('RT-04 a package of a repository that is mounted alone says once which imports lie above it', async () => {
  write('home/repo/packages/ui/src/a.ts', "import { x } from '../../core/x';\nimport { y } from '../../core/x';\n");
  write('home/repo/packages/ui/b.py', 'from ..core import x\nimport os\n');
  write('home/repo/packages/core/x.ts', 'export const x = "canary";');
  const daemon = await daemonFor(home);
  const mountedDirectory = join(home, 'repo/packages/ui');
  const ask = async (path: string) => {
    const retrieved = await post<Retrieved>(daemon, '/v1/retrieve', { mountedDirectory, activeDocument: { path } });
    expect(JSON.stringify(retrieved)).not.toContain('canary');
    return retrieved.omitted;
  };
  const [above, ...others] = await ask('src/a.ts');
  expect(others).toEqual([]);
  expect(above).toMatchObject({
    path: join(home, 'repo/packages/core/x'),
    reason: {
      code: 'outside_workspace',
      detail: 'line 1 imports "../../core/x", which lies above the mounted directory',
    },
  });
  expect((await ask('b.py')).map(({ path, reason }) => [path, reason.code])).toEqual([
    [join(home, 'repo/packages/core'), 'outside_workspace'],
  ]);
});
