/** One list for all names of a mounted directory (AN-03). */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store/store.ts';
import type { StoredSupplementaryItem } from '../../src/ports/store/supplementary.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { atVersion } from '../support/versions.ts';
import { createWorkspace, home, project, type TestWorkspace } from '../support/workspace.ts';

const link = `${home}/link`;
const tree = { 'src/a.ts': 'export {};\n', 'src/b.ts': '', '~/shared/c.ts': '' };

let store: Store;
let workspace: TestWorkspace;
beforeEach(async () => {
  store = createMemoryStore();
  workspace = await createWorkspace(tree, { ports: { store }, grantedRoots: [project, `${home}/shared`] });
  workspace.files.symlink(link, project);
});

const add = (mountedDirectory: string, path: string) =>
  workspace.engine.supplementary.add({ mountedDirectory, kind: 'file', path });
const list = (mountedDirectory: string) => workspace.engine.supplementary.list(mountedDirectory);
const paths = async (mountedDirectory: string) => (await list(mountedDirectory)).items.map(({ path }) => path);
const retrieved = async (mountedDirectory: string) =>
  (await workspace.engine.retrieve({ mountedDirectory })).items.map(({ path }) => path);

let ids = 0;
const stored = (path: string): StoredSupplementaryItem => {
  ids += 1;
  return { id: `${ids}`.padStart(32, '0'), kind: 'file', path, addedAt: '2026-01-05T08:31:00.000Z' };
};

describe('the list of a directory with two names', () => {
  it.each([
    [project, link],
    [link, project],
  ])('AN-03 SU-01 is one: added by %s, asked for by %s', async (one, other) => {
    const { item } = await add(one, 'src/a.ts');
    expect(item).toMatchObject({ path: `${one}/src/a.ts`, relativePath: 'src/a.ts', enabled: true });
    const [mine, its] = [await list(one), await list(other)];
    expect(its).toEqual({
      etag: mine.etag,
      items: [{ ...item, path: `${other}/src/a.ts` }],
    });
    expect(await retrieved(other)).toEqual([`${other}/src/a.ts`]);
    const { items } = await workspace.engine.gatherContext({ mountedDirectory: other, include: { rules: false } });
    expect(items.map(({ path }) => path)).toEqual([`${other}/src/a.ts`]);
    expect(await add(other, `${one}/src/a.ts`)).toEqual({ item: its.items[0], created: false });
    await add(other, 'src/b.ts');
    const turned = (await list(other)).items.toReversed().map(({ kind, path }) => ({ kind, path }));
    const { etag } = await list(one);
    await workspace.engine.supplementary.replace({ mountedDirectory: other, items: turned }, atVersion(etag));
    expect(await paths(one)).toEqual([`${one}/src/b.ts`, `${one}/src/a.ts`]);
    expect((await list(one)).items[1]?.id).toBe(item.id);
    await workspace.engine.supplementary.remove(item.id);
    expect(await paths(other)).toEqual([`${other}/src/b.ts`]);
    expect(await store.supplementary.directories()).toEqual([project]);
    await workspace.engine.supplementary.clear(other);
    expect([await paths(one), await store.supplementary.directories()]).toEqual([[], []]);
  });

  it('AN-03 SU-01 keeps what lies elsewhere, by one name', async () => {
    await add(link, `${home}/shared/c.ts`);
    expect((await list(link)).items).toMatchObject([{ path: `${home}/shared/c.ts`, enabled: true }]);
    expect((await list(project)).etag).toBe((await list(link)).etag);
  });

  it('AN-03 SU-01 shows what lies elsewhere in a root by the name of that root which the request used', async () => {
    const roots = { grantedRoots: [home, '/other'] };
    workspace = await createWorkspace(tree, { ports: { store: createMemoryStore() }, ...roots });
    workspace.files.symlink('/other', home);
    await add('/other/myproject', '/other/shared/c.ts');
    expect(await paths('/other/myproject')).toEqual(['/other/shared/c.ts']);
    expect(await paths(project)).toEqual([`${home}/shared/c.ts`]);
    expect((await add(project, '../shared/c.ts')).created).toBe(false);
  });

  it('AN-03 SU-02 joins what was stored by either name before, and loses nothing', async () => {
    const first = stored(`${project}/src/a.ts`);
    await store.supplementary.append(project, first);
    const second = stored(`${link}/src/b.ts`);
    for (const item of [second, stored(`${link}/src/a.ts`)]) await store.supplementary.append(link, item);
    for (const name of [project, link]) {
      expect((await list(name)).items.map(({ id, path }) => [id, path])).toEqual([
        [first.id, `${name}/src/a.ts`],
        [second.id, `${name}/src/b.ts`],
      ]);
      expect(await retrieved(name)).toEqual([`${name}/src/a.ts`, `${name}/src/b.ts`]);
    }
    // Nothing that only looks has changed anything.
    expect((await store.supplementary.directories()).sort()).toEqual([link, project]);
    const { etag } = await list(project);
    expect((await list(link)).etag).toBe(etag);
    await workspace.engine.supplementary.remove(first.id);
    expect(await paths(link)).toEqual([`${link}/src/b.ts`]);
    expect(await store.supplementary.directories()).toEqual([project]);
  });

  it('AN-03 SU-02 takes the list along when a directory moves and leaves a link behind', async () => {
    await add(project, 'src/a.ts');
    workspace.files.rename(project, `${home}/shared/moved`);
    workspace.files.symlink(project, `${home}/shared/moved`);
    expect(await paths(project)).toEqual([`${project}/src/a.ts`]);
    await add(project, 'src/b.ts');
    expect(await paths(`${home}/shared/moved`)).toEqual([
      `${home}/shared/moved/src/a.ts`,
      `${home}/shared/moved/src/b.ts`,
    ]);
  });

  it('AN-03 SU-01 is cleared by any name where the directory is gone', async () => {
    workspace.files.symlink(`${home}/up`, home);
    await add(project, 'src/a.ts');
    workspace.files.remove(project);
    await workspace.engine.supplementary.clear(`${home}/up/myproject`);
    expect(await store.supplementary.directories()).toEqual([]);
  });

  it('AN-03 SY-03 tells whoever asked of a change, by the name that each used', async () => {
    const told: unknown[] = [];
    workspace.engine.subscribe({ deliver: ({ data }) => void told.push(data), end() {} });
    const names = () => told.splice(0).map((data) => (data as { mountedDirectory: string }).mountedDirectory);
    const { item } = await add(project, 'src/a.ts');
    expect(names()).toEqual([project]);
    await retrieved(link);
    await add(project, 'src/b.ts');
    expect(names()).toEqual([project, link]);
    await workspace.engine.supplementary.remove(item.id);
    expect(names()).toEqual([project, link]);
    await workspace.engine.supplementary.clear(link);
    expect(names()).toEqual([project, link]);
  });
});
