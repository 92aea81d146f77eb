/** Supplementary context and the health of the store, through the daemon as a process. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SupplementaryItem, SupplementaryList } from '../../src/supplementary/supplementary-item.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let workspace: string;
let state: string;
beforeEach(() => {
  directory = temporaryDirectory();
  workspace = join(directory, 'workspace');
  state = join(directory, 'state');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  writeFileSync(join(workspace, 'src/button.ts'), 'export {};\n');
  writeFileSync(join(workspace, 'src/form.ts'), 'export {};\n');
});

const start = () => startDaemon({ stateDirectory: state, grantRoots: [workspace] });
const add = (daemon: TestDaemon, path: string, kind = 'file') =>
  daemon.request('/v1/supplementary', { body: { mountedDirectory: workspace, kind, path } });
const listPath = () => `/v1/supplementary?${new URLSearchParams({ mountedDirectory: workspace })}`;
const list = async (daemon: TestDaemon) => (await daemon.request(listPath())).body as SupplementaryList;

describe('supplementary context', () => {
  it('SU-01 SU-02 survives a restart, and kill -9', async () => {
    const first = await start();
    expect((await add(first, 'src/form.ts', 'tab')).status).toBe(201);
    expect((await add(first, 'src/form.ts', 'tab')).status).toBe(200);
    expect((await add(first, 'src', 'folder')).status).toBe(201);
    const before = await list(first);
    await first.stop();
    const second = await start();
    expect(await list(second)).toEqual(before);
    const { body } = await add(second, 'src/button.ts');
    second.process.child.kill('SIGKILL');
    await second.stop();
    await using third = await start();
    expect((await list(third)).items).toEqual([...before.items, body]);
    expect(readdirSync(workspace)).toEqual(['src']);
  });

  it('SU-03 leaves the repository as it is, and keeps each list to the user whose it is', async () => {
    const look = () =>
      readdirSync(workspace, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => [name, statSync(join(workspace, name)).mtimeMs, statSync(join(workspace, name)).size]);
    const before = look();
    await using daemon = await start();
    await add(daemon, 'src/form.ts');
    const items = [{ kind: 'folder', path: 'src' }];
    await daemon.request('/v1/supplementary', { method: 'PUT', body: { mountedDirectory: workspace, items } });
    await daemon.request('/v1/workspace/files/search', { body: { mountedDirectory: workspace, query: 'form' } });
    expect((await list(daemon)).items).toHaveLength(1);
    expect(look()).toEqual(before);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    const databases = readdirSync(state).filter((name) => name.startsWith('contextd.db'));
    expect(databases.map((name) => statSync(join(state, name)).mode & 0o777)).toEqual(databases.map(() => 0o600));
    expect(databases).not.toEqual([]);
    await using another = await startDaemon({ grantRoots: [workspace] });
    expect((await list(another)).items).toEqual([]);
  });

  it('SU-02 an edit of the policy, a deletion and a new file show at the next request', async () => {
    await using daemon = await start();
    await add(daemon, 'src/button.ts');
    const item = async () => (await list(daemon)).items[0] as SupplementaryItem;
    expect(await item()).toMatchObject({ enabled: true, disabledReasons: [] });
    writeFileSync(join(workspace, '.ai-context-policy.yaml'), 'ai_context_policy: allow\nexclude:\n  - src/button.*\n');
    expect(await item()).toMatchObject({
      enabled: false,
      disabledReasons: [{ code: 'blocked_by_policy', detail: expect.stringContaining('src/button.*') }],
    });
    writeFileSync(join(workspace, '.ai-context-policy.yaml'), 'ai_context_policy: allow\n');
    expect(await item()).toMatchObject({ enabled: true });
    unlinkSync(join(workspace, 'src/button.ts'));
    expect(await item()).toMatchObject({ enabled: false, disabledReasons: [{ code: 'not_found' }] });
    writeFileSync(join(workspace, 'src/button.ts'), 'export {};\n');
    expect(await item()).toMatchObject({ enabled: true, disabledReasons: [] });
  });

  it('SU-01 replaces, removes and clears, and refuses what was not seen', async () => {
    await using daemon = await start();
    const put = (paths: string[], headers = {}) =>
      daemon.request('/v1/supplementary', {
        method: 'PUT',
        headers,
        body: { mountedDirectory: workspace, items: paths.map((path) => ({ kind: 'file', path })) },
      });
    const { etag } = await list(daemon);
    const replaced = await put(['src/form.ts', 'src/button.ts'], { 'if-match': `"${etag}"` });
    expect(replaced).toMatchObject({
      status: 200,
      headers: { etag: `"${(replaced.body as SupplementaryList).etag}"` },
    });
    expect(await put([], { 'if-match': `"${etag}"` })).toMatchObject({
      status: 412,
      body: { code: 'version_mismatch' },
    });
    const [first] = (await list(daemon)).items;
    expect(first?.relativePath).toBe('src/form.ts');
    expect((await daemon.request(`/v1/supplementary/${first?.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await daemon.request(`/v1/supplementary/${first?.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await list(daemon)).items).toHaveLength(1);
    expect((await daemon.request(listPath(), { method: 'DELETE' })).status).toBe(204);
    expect((await list(daemon)).items).toEqual([]);
    expect(await add(daemon, '/etc/passwd')).toMatchObject({ status: 403, body: { code: 'path_outside_roots' } });
  });

  it('SU-01 a file is found as soon as it is there', async () => {
    await using daemon = await start();
    const search = async (query: string) => {
      const answer = await daemon.request('/v1/workspace/files/search', {
        body: { mountedDirectory: workspace, query },
      });
      return (answer.body as { files: { relativePath: string }[] }).files.map(({ relativePath }) => relativePath);
    };
    expect(await search('srbut')).toEqual(['src/button.ts']);
    for (let n = 0; n < 20; n += 1) {
      mkdirSync(join(workspace, `folder-${n}`));
      writeFileSync(join(workspace, `folder-${n}/fresh.ts`), '');
      expect((await search(`folder-${n}/fresh`)).at(0)).toBe(`folder-${n}/fresh.ts`);
    }
  });

  it('SY-04 is shown and changed on the command line', async () => {
    await using daemon = await start();
    const cli = (...args: string[]) => daemon.cli(['supplementary', ...args], { cwd: workspace });
    expect(await cli('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is added') });
    const added = await cli('add', 'src', 'src/form.ts', 'none.ts');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toBe('folder  src\nfile    src/form.ts\nfile    none.ts  (not used: not found)\n');
    expect(await cli('list')).toMatchObject({ code: 0, stdout: added.stdout });
    expect(JSON.parse((await cli('list', '--json')).stdout)).toEqual(await list(daemon));
    expect(await cli('find', 'form')).toMatchObject({ code: 0, stdout: 'src/form.ts\n', stderr: '' });
    expect(await cli('find', 'zzz')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Found no file /u),
    });
    const moved = await cli('move', 'none.ts', 'src/form.ts', '--to', '1');
    expect(moved).toMatchObject({
      code: 0,
      stdout: 'file    none.ts  (not used: not found)\nfile    src/form.ts\nfolder  src\n',
    });
    expect(await cli('move', 'none.ts', '--to', '9')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/none\.ts.*\n$/u),
    });
    expect(await cli('move', 'strange.ts', '--to', '1')).toMatchObject({ code: 64 });
    expect(await cli('remove', 'src/form.ts')).toMatchObject({ code: 0, stdout: 'removed src/form.ts\n' });
    expect(await cli('remove', 'src/form.ts')).toMatchObject({ code: 64 });
    expect(await cli('add', '/etc/passwd')).toMatchObject({ code: 64, stderr: expect.stringContaining('granted') });
    expect(await cli('clear')).toMatchObject({ code: 0 });
    expect((await list(daemon)).items).toEqual([]);
  });
});

describe('a damaged database', () => {
  it('S-72 is set aside, the daemon starts, and the user is told until the file is gone', async () => {
    const first = await start();
    await add(first, 'src/form.ts');
    await first.stop();
    const path = join(state, 'contextd.db');
    const garbage = 'no database '.repeat(statSync(path).size / 12);
    writeFileSync(path, garbage);
    const begun = Date.now();
    const second = await start();
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect((await list(second)).items).toEqual([]);
    expect((await add(second, 'src/button.ts')).status).toBe(201);
    const [aside] = readdirSync(state).filter((name) => name.startsWith('contextd.db.corrupt-'));
    expect(readFileSync(join(state, aside as string), 'utf8')).toBe(garbage);
    const warning = { code: 'database_quarantined', path: join(state, aside as string) };
    expect((await second.request('/v1/status')).body).toMatchObject({ warnings: [warning] });
    expect((await second.cli(['status'])).stdout).toContain(aside);
    expect((await second.cli(['doctor'])).stdout).toContain(aside);
    await second.stop();
    expect(second.process.output.stderr).toContain('database_quarantined');
    rmSync(join(state, aside as string));
    await using third = await start();
    expect((await third.request('/v1/status')).body).toMatchObject({ warnings: [] });
    expect((await list(third)).items).toHaveLength(1);
  });
});
