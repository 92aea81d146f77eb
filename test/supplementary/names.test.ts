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

const storedIn = (name: string) => store.supplementary.list(name);
const shown = async (mountedDirectory: string) =>
  (await list(mountedDirectory)).items.map(({ id, path }) => [id, path]);

/** One item by the real name; by the link another name of the same, and two more. */
async function storeByBoth() {
  const items = [stored(`${project}/src/a.ts`), stored(`${link}/src/b.ts`), stored(`${home}/shared/c.ts`)] as const;
  await store.supplementary.append(project, items[0]);
  for (const item of [items[1], stored(`${link}/src/a.ts`), items[2]]) await store.supplementary.append(link, item);
  return items;
}

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
    expect(await storedIn(link)).toEqual([]);
    await workspace.engine.supplementary.clear(other);
    expect([await paths(one), await storedIn(project)]).toEqual([[], []]);
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

  it('AN-03 SU-02 goes with what is stored by the very name of the request, each once, and no other', async () => {
    const [first, second, third] = await storeByBoth();
    expect(await shown(link)).toEqual([
      [first.id, `${link}/src/a.ts`],
      [second.id, `${link}/src/b.ts`],
      [third.id, `${home}/shared/c.ts`],
    ]);
    expect(await retrieved(link)).toEqual([`${link}/src/a.ts`, `${link}/src/b.ts`, `${home}/shared/c.ts`]);
    expect(await shown(project)).toEqual([[first.id, `${project}/src/a.ts`]]);
    expect(await retrieved(project)).toEqual([`${project}/src/a.ts`]);
    expect((await add(link, 'src/b.ts')).created).toBe(false);
    const { item } = await add(link, 'src/d.ts');
    expect((await storedIn(project)).map(({ path }) => path)).toEqual([first.path, `${project}/src/d.ts`]);
    expect(await storedIn(link)).toHaveLength(3);
    await workspace.engine.supplementary.remove(second.id);
    await workspace.engine.supplementary.remove(item.id);
    expect((await shown(link)).map(([id]) => id)).toEqual([first.id, third.id]);
    await workspace.engine.supplementary.clear(link);
    expect([await storedIn(project), await storedIn(link)]).toEqual([[], []]);
  });

  it('AN-03 SU-01 is replaced where each item is stored, and what is new is stored by the real name', async () => {
    const [first, second, third] = await storeByBoth();
    const replace = (...names: string[]) =>
      workspace.engine.supplementary.replace({
        mountedDirectory: link,
        items: names.map((path) => ({ kind: 'file' as const, path })),
      });
    const replaced = await replace('src/new.ts', `${home}/shared/c.ts`, 'src/b.ts', 'src/a.ts');
    expect(replaced).toEqual(await list(link));
    expect((await storedIn(project)).map(({ path }) => path)).toEqual([`${project}/src/new.ts`, first.path]);
    expect((await storedIn(link)).map(({ id, path }) => [id, path])).toEqual([
      [third.id, third.path],
      [second.id, second.path],
      [expect.anything(), `${link}/src/a.ts`],
    ]);
    await replace('src/b.ts');
    expect(await storedIn(project)).toEqual([]);
    expect(await storedIn(link)).toEqual([second]);
  });

  it('AN-03 SU-01 stays with its project when the directory becomes a link to another', async () => {
    const [mine, other] = [`${home}/shared/mine`, `${home}/shared/other`];
    for (const each of [mine, other]) {
      workspace.files.write(`${each}/a.ts`, '');
      await add(each, 'a.ts');
    }
    const stored = async () => [await storedIn(mine), await storedIn(other)];
    const before = await stored();
    const [item, its] = before.flat() as [StoredSupplementaryItem, StoredSupplementaryItem];
    await add(mine, 'mine.ts');
    const withMore = await stored();
    workspace.files.remove(mine);
    workspace.files.symlink(mine, other);
    expect(await paths(other)).toEqual([`${other}/a.ts`]);
    expect(await shown(mine)).toEqual([
      [its.id, `${mine}/a.ts`],
      [expect.anything(), `${mine}/mine.ts`],
    ]);
    const { item: added } = await add(mine, 'b.ts');
    expect(await paths(other)).toEqual([`${other}/a.ts`, `${other}/b.ts`]);
    await workspace.engine.supplementary.remove(added.id);
    expect(await stored()).toEqual(withMore);
    await workspace.engine.supplementary.clear(other);
    expect(await stored()).toEqual([withMore[0], []]);
    workspace.files.remove(mine);
    workspace.files.makeDirectory(mine);
    expect(await shown(mine)).toEqual([
      [item.id, `${mine}/a.ts`],
      [expect.anything(), `${mine}/mine.ts`],
    ]);
  });

  it('AN-03 SU-01 is cleared by any name where the directory is gone', async () => {
    workspace.files.symlink(`${home}/up`, home);
    await add(project, 'src/a.ts');
    workspace.files.remove(project);
    await workspace.engine.supplementary.clear(`${home}/up/myproject`);
    expect(await storedIn(project)).toEqual([]);
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

  it('AN-03 CC-33 tells no name of what lies in no granted root, as where a link leads out of it', async () => {
    const told: string[] = [];
    const deliver = ({ data }: { data: object }) =>
      void told.push((data as { mountedDirectory: string }).mountedDirectory);
    workspace.engine.subscribe({ deliver, end() {} });
    const out = `${home}/shared/out`;
    workspace.files.makeDirectory('/outside/secret');
    workspace.files.symlink(out, '/outside/secret');
    await workspace.engine.supplementary.clear(out);
    expect(told.splice(0)).toEqual([out]);
    await workspace.engine.supplementary.clear('/outside/secret');
    expect(told.splice(0)).toEqual([out]);
    const left = stored('/outside/secret/a.ts');
    await store.supplementary.append('/outside/secret', left);
    await workspace.engine.supplementary.remove(left.id);
    expect(told.splice(0)).toEqual([out]);
    await workspace.engine.supplementary.clear('/outside/other');
    expect(told).toEqual([]);
  });
});
