/** Search of repositories with very many files, or very large ones. */
import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { createWorkspace, project } from '../support/workspace.ts';
import { filler, open, rounding } from './support/retrieving.ts';

describe('search-based context of large repositories', () => {
  it('RT-02 reads again only what had no room where two repositories have more than is kept', async () => {
    const large = new TextEncoder().encode('work();\n'.repeat(fixedLimits.keywords.fileCharacters / 8));
    const names = ['a', 'b'].flatMap((folder) => Array.from({ length: 360 }, (_, at) => `${folder}/f${at}.ts`));
    const { engine, files } = await createWorkspace(Object.fromEntries(names.map((name) => [name, large])));
    const readsFor = async (folder: string): Promise<number> => {
      files.resetCounters();
      await engine.retrieve({ mountedDirectory: `${project}/${folder}`, query: 'price' });
      return files.reads;
    };
    expect([await readsFor('a'), await readsFor('b')]).toEqual([360, 360]);
    const [first, second] = [await readsFor('a'), await readsFor('b')];
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(0);
    expect(second).toBeLessThan(120);
    // Whoever works in one of them only does not go on reading.
    await readsFor('b');
    expect(await readsFor('b')).toBe(0);
  });

  it('RT-02 finds a part of a large source, and takes no large data', async () => {
    const large = 'work();\n'.repeat(fixedLimits.keywords.fileCharacters / 8);
    const { retrieve } = await open({
      'src/server.c': large + rounding,
      'src/huge.c': large.repeat(4) + rounding,
      'test/server.c': large + rounding,
      'data/prices.json': large + rounding,
    });
    const { items } = await retrieve({ query: 'how is a price rounded half to even' });
    expect(items.map(({ relativePath }) => relativePath)).toEqual(['src/server.c']);
    expect(items[0]?.content).toContain('roundPrice');
    const tests = await retrieve({ query: 'tests of a price rounded half to even' });
    expect(tests.items.map(({ relativePath }) => relativePath)).toContain('test/server.c');
  });

  it('RT-02 looks at every file of a large repository, and answers the same each time', async () => {
    const many = Array.from({ length: 6_000 }, (_, at) => [`a${at % 40}/f${at}.ts`, filler(at, 1)]);
    const prices = Array.from({ length: 12 }, (_, at) => [`z${at}/x.ts`, `${filler(0, at)}${rounding}`]);
    const { retrieve } = await open(Object.fromEntries([...many, ...prices]));
    const first = await retrieve({ query: 'how is a price rounded' });
    expect(first.items).toHaveLength(8);
    expect(first.items.every(({ relativePath }) => /^z\d+\/x\.ts$/u.test(relativePath))).toBe(true);
    expect(first.semantic).toEqual({ status: 'ready', engine: 'keyword' });
    expect(await retrieve({ query: 'how is a price rounded' })).toEqual(first);
    // Another process knows nothing of it yet.
    const other = await open(Object.fromEntries([...prices.toReversed(), ...many]));
    expect(await other.retrieve({ query: 'how is a price rounded' })).toEqual(first);
  });
});
