import { describe, expect, it } from 'vitest';
import type { StreamedEvent } from '../../src/events/event.ts';
import { anyVersion, type ExpectedVersion } from '../../src/ports/expected-version.ts';
import { fixedLimits } from '../../src/settings.ts';
import type { SupplementaryItem } from '../../src/supplementary/supplementary-item.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { atVersion, nothingYet } from '../support/versions.ts';
import { createWorkspace, home, project, type TestWorkspace } from '../support/workspace.ts';

const tree = { 'src/button.ts': 'export {};\n', 'src/form.ts': '', 'docs/notes.md': '' };

const add = ({ engine }: TestWorkspace, path: string, kind: SupplementaryItem['kind'] = 'file') =>
  engine.supplementary.add({ mountedDirectory: project, kind, path });
const list = ({ engine }: TestWorkspace) => engine.supplementary.list(project);
const paths = async (workspace: TestWorkspace) => (await list(workspace)).items.map(({ relativePath }) => relativePath);

/** Reason codes of the only item, after it was added. */
async function codesOf(workspace: TestWorkspace, path: string, kind: SupplementaryItem['kind'] = 'file') {
  const { item } = await add(workspace, path, kind);
  await workspace.engine.supplementary.remove(item.id);
  expect(item.enabled).toBe(item.disabledReasons.length === 0);
  return item.disabledReasons.map(({ code }) => code);
}

describe('supplementary context', () => {
  it('SU-01 lists what was added, in the order in which it was', async () => {
    const workspace = await createWorkspace(tree);
    expect(await list(workspace)).toEqual({ items: [], etag: expect.any(String) });
    const { item, created } = await add(workspace, 'src/form.ts', 'tab');
    expect(created).toBe(true);
    expect(item).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/u),
      kind: 'tab',
      path: `${project}/src/form.ts`,
      relativePath: 'src/form.ts',
      addedAt: new Date(workspace.clock.now()).toISOString(),
      enabled: true,
      disabledReasons: [],
    });
    await add(workspace, 'src', 'folder');
    await add(workspace, `${project}/docs/../src/button.ts`);
    expect(await paths(workspace)).toEqual(['src/form.ts', 'src', 'src/button.ts']);
    expect((await list(workspace)).items[0]).toEqual(item);
  });

  it('SU-01 adding again changes nothing and gives the item that is there', async () => {
    const workspace = await createWorkspace(tree);
    const { item } = await add(workspace, 'src/form.ts');
    const before = await list(workspace);
    expect(await add(workspace, './src//form.ts')).toEqual({ item, created: false });
    expect(await list(workspace)).toEqual(before);
    expect((await add(workspace, 'src/form.ts', 'tab')).created).toBe(true);
  });

  it('SU-01 S-16 removes by id, replaces and clears', async () => {
    const workspace = await createWorkspace(tree);
    const { supplementary } = workspace.engine;
    const { item } = await add(workspace, 'src/form.ts');
    await add(workspace, 'src/button.ts');
    const items = [
      { kind: 'folder' as const, path: 'docs' },
      { kind: 'file' as const, path: 'src/form.ts' },
      { kind: 'folder' as const, path: './docs/' },
    ];
    const replaced = await supplementary.replace({ mountedDirectory: project, items });
    expect(replaced.items.map(({ relativePath }) => relativePath)).toEqual(['docs', 'src/form.ts']);
    expect(replaced.items[1]).toEqual(item);
    await supplementary.remove(item.id);
    expect(await paths(workspace)).toEqual(['docs']);
    await expect(supplementary.remove(item.id)).rejects.toMatchObject({ code: 'not_found' });
    await supplementary.clear(project);
    expect(await paths(workspace)).toEqual([]);
  });

  it('SU-01 replaces only the version that was seen, when one is named', async () => {
    const workspace = await createWorkspace(tree);
    const replace = (path: string, expected?: ExpectedVersion) =>
      workspace.engine.supplementary.replace({ mountedDirectory: project, items: [{ kind: 'file', path }] }, expected);
    const { etag } = await list(workspace);
    const first = await replace('a', atVersion(etag));
    await expect(replace('b', atVersion(etag))).rejects.toMatchObject({ code: 'version_mismatch' });
    expect(await paths(workspace)).toEqual(['a']);
    await replace('b', atVersion('other', first.etag));
    await replace('c', anyVersion);
    await replace('d');
    expect(await paths(workspace)).toEqual(['d']);
    await expect(replace('e', nothingYet)).rejects.toMatchObject({ code: 'version_mismatch' });
  });

  it('SU-01 the version does not depend on what becomes of the files', async () => {
    const workspace = await createWorkspace(tree);
    await add(workspace, 'src/form.ts');
    const { etag } = await list(workspace);
    workspace.files.remove(`${project}/src/form.ts`);
    expect(await list(workspace)).toMatchObject({ etag, items: [{ enabled: false }] });
  });

  it('SU-02 keeps what cannot be used in the list and says why, as it is at the moment', async () => {
    const workspace = await createWorkspace(tree);
    await add(workspace, 'later.ts');
    const state = async () => (await list(workspace)).items[0];
    expect(await state()).toMatchObject({ enabled: false, disabledReasons: [{ code: 'not_found' }] });
    workspace.files.write(`${project}/later.ts`, '');
    expect(await state()).toMatchObject({ enabled: true, disabledReasons: [] });
    workspace.files.write(`${project}/.ai-context-policy.yaml`, 'ai_context_policy: allow\nexclude: ["later.*"]\n');
    expect(await state()).toMatchObject({
      enabled: false,
      disabledReasons: [{ code: 'blocked_by_policy', detail: expect.stringMatching(/later\.\*.*:2$/u) }],
    });
    workspace.files.remove(`${project}/.ai-context-policy.yaml`);
    expect(await state()).toMatchObject({ enabled: true });
    workspace.files.remove(`${project}/later.ts`);
    workspace.files.makeDirectory(`${project}/later.ts`);
    expect(await state()).toMatchObject({ disabledReasons: [{ code: 'not_regular_file' }] });
  });

  it('SU-02 S-37 S-40 CC-18 tells each reason apart', async () => {
    const workspace = await createWorkspace({ ...tree, 'server.key': '', '.ssh/config': '' });
    const { files } = workspace;
    files.symlink(`${project}/link.ts`, 'src/form.ts');
    files.symlink(`${project}/linked`, 'src');
    files.fifo(`${project}/pipe`);
    expect(await codesOf(workspace, 'src/form.ts')).toEqual([]);
    expect(await codesOf(workspace, 'server.key')).toEqual(['sensitive']);
    expect(await codesOf(workspace, '.env')).toEqual(['not_found', 'sensitive']);
    expect(await codesOf(workspace, '.ssh', 'folder')).toEqual(['sensitive']);
    expect(await codesOf(workspace, 'link.ts')).toEqual(['symlink']);
    expect(await codesOf(workspace, 'linked/form.ts')).toEqual(['symlink']);
    expect(await codesOf(workspace, 'linked', 'folder')).toEqual(['symlink']);
    expect(await codesOf(workspace, 'pipe', 'tab')).toEqual(['not_regular_file']);
    expect(await codesOf(workspace, 'src')).toEqual(['not_regular_file']);
    expect(await codesOf(workspace, 'src', 'folder')).toEqual([]);
    expect(await codesOf(workspace, 'src/form.ts', 'folder')).toEqual(['not_directory']);
    files.setMode(`${project}/docs`, 0);
    // No policy can be seen there either, which blocks.
    expect(await codesOf(workspace, 'docs/notes.md')).toEqual(['unreadable', 'blocked_by_policy']);
  });

  it('SU-02 follows links only where that is allowed, and judges what they lead to', async () => {
    const workspace = await createWorkspace({ ...tree, 'server.key': '' }, { settings: { followSymlinks: true } });
    workspace.files.symlink(`${project}/link.ts`, 'src/form.ts');
    workspace.files.symlink(`${project}/key.txt`, 'server.key');
    workspace.files.symlink(`${project}/out.txt`, '/etc/passwd');
    expect(await codesOf(workspace, 'link.ts')).toEqual([]);
    expect(await codesOf(workspace, 'key.txt')).toEqual(['sensitive']);
    expect(await codesOf(workspace, 'out.txt')).not.toEqual([]);
  });

  it('S-34 takes paths inside granted roots only, and looks at nothing outside', async () => {
    const workspace = await createWorkspace(
      { ...tree, '~/shared/a.md': '' },
      { grantedRoots: [project, `${home}/shared`] },
    );
    expect((await add(workspace, '~/shared/a.md')).item).toMatchObject({
      path: `${home}/shared/a.md`,
      relativePath: '../shared/a.md',
      enabled: true,
    });
    for (const path of ['/etc/passwd', '../other', '~/.ssh/id_rsa', `${project}-evil/x`])
      await expect(add(workspace, path), path).rejects.toMatchObject({
        code: 'path_outside_roots',
        errors: [{ pointer: '/path' }],
      });
    for (const path of ['C:\\x', 'file:///etc/passwd', 'a/%2e%2e/b'])
      await expect(add(workspace, path), path).rejects.toMatchObject({ code: 'invalid_request' });
    const items = ['src/form.ts', '/etc/passwd'].map((path) => ({ kind: 'file' as const, path }));
    const before = await list(workspace);
    await expect(workspace.engine.supplementary.replace({ mountedDirectory: project, items })).rejects.toMatchObject({
      code: 'path_outside_roots',
      errors: [{ pointer: '/items/1/path' }],
    });
    expect(await list(workspace)).toEqual(before);
  });

  it('SU-02 an item whose root was revoked stays, unusable', async () => {
    const workspace = await createWorkspace({ ...tree, '~/shared/a.md': '' });
    await workspace.engine.grantRoot(`${home}/shared`);
    await add(workspace, '~/shared/a.md');
    await workspace.engine.revokeRoot(`${home}/shared`);
    workspace.files.resetCounters();
    const { items } = await list(workspace);
    expect(items).toMatchObject([{ enabled: false, disabledReasons: [{ code: 'outside_roots' }] }]);
  });

  it('SU-01 SU-02 the list can be put in another order while the root of an item is revoked', async () => {
    const workspace = await createWorkspace({ ...tree, '~/shared/a.md': '', '~/shared/b.md': '' });
    await workspace.engine.grantRoot(`${home}/shared`);
    const { item } = await add(workspace, '~/shared/a.md');
    await add(workspace, 'src/form.ts');
    await workspace.engine.revokeRoot(`${home}/shared`);
    const replace = (...names: string[]) =>
      workspace.engine.supplementary.replace({
        mountedDirectory: project,
        items: names.map((path) => ({ kind: 'file' as const, path })),
      });
    const { items } = await replace('src/form.ts', item.path);
    expect(items.map(({ path, enabled }) => [path, enabled])).toEqual([
      [`${project}/src/form.ts`, true],
      [item.path, false],
    ]);
    expect(items[1]?.id).toBe(item.id);
    await expect(replace(item.path, `${home}/shared/b.md`)).rejects.toMatchObject({
      code: 'path_outside_roots',
      errors: [{ pointer: '/items/1/path' }],
    });
  });

  it('SU-01 refuses more items than a list holds', async () => {
    const workspace = await createWorkspace(tree);
    const items = Array.from({ length: fixedLimits.supplementary.items }, (_, n) => ({
      kind: 'file' as const,
      path: `f${n}`,
    }));
    await workspace.engine.supplementary.replace({ mountedDirectory: project, items });
    await expect(add(workspace, 'one-more')).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect((await add(workspace, 'f7')).created).toBe(false);
    expect((await list(workspace)).items).toHaveLength(fixedLimits.supplementary.items);
  });

  it('SU-01 clears the list of a directory that is gone', async () => {
    const workspace = await createWorkspace(tree);
    await add(workspace, 'src/form.ts');
    workspace.files.remove(project);
    await expect(list(workspace)).rejects.toMatchObject({ code: 'not_found' });
    await workspace.engine.supplementary.clear(project);
    workspace.files.makeDirectory(project);
    expect(await paths(workspace)).toEqual([]);
  });

  it('SU-02 keeps paths and no contents', async () => {
    const store = createMemoryStore();
    const workspace = await createWorkspace(tree, { ports: { store } });
    workspace.files.resetCounters();
    await add(workspace, 'src/button.ts');
    await list(workspace);
    // Directories are listed, for ignore files.
    expect(workspace.files.opened).toEqual([project, `${project}/src`]);
    expect((await store.supplementary.list(project)).map(Object.keys)).toEqual([['id', 'kind', 'path', 'addedAt']]);
  });

  it('SY-03 tells listeners of every change, and of nothing else', async () => {
    const workspace = await createWorkspace(tree);
    const events: StreamedEvent[] = [];
    const { engine } = workspace;
    engine.subscribe({ deliver: (event) => void events.push(event), end() {} });
    const { item } = await add(workspace, 'src/form.ts');
    await add(workspace, 'src/form.ts');
    await list(workspace);
    await engine.supplementary.searchFiles({ mountedDirectory: project, query: 'form' });
    await engine.supplementary.replace({ mountedDirectory: project, items: [{ kind: 'file', path: 'src/form.ts' }] });
    await engine.supplementary.remove(item.id);
    await engine.supplementary.clear(project);
    expect(events.map(({ type, data }) => [type, data])).toEqual(
      Array.from({ length: 4 }, () => ['supplementary-changed', { mountedDirectory: project }]),
    );
  });
});
