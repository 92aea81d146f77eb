/** Which project a directory belongs to (MC-05). */
import { homedir } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import { notGranted, workplaceOf } from '../../src/mcp-server/workplace.ts';

/** `places`: what there is, each with where it really lies. */
function verbsOver(places: Record<string, string>, granted: readonly string[]) {
  const asked: string[] = [];
  const realPath = async (path: string): Promise<string | undefined> => {
    asked.push(path);
    return places[path];
  };
  return { asked, verbs: { realPath, grantedDirectories: async () => [...granted] } };
}
const there = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, path]));
const alone = (directory: string) => ({ mountedDirectory: directory, workingDirectory: directory });

it('MC-05 is the nearest repository around it, by the name that was used', async () => {
  const paths = ['/code', '/code/.git', '/code/shop/.git', '/code/shop', '/code/shop/api'];
  const { verbs } = verbsOver(there(...paths), ['/code']);
  const inShop = { mountedDirectory: '/code/shop', workingDirectory: '/code/shop/api' };
  expect(await workplaceOf('/code/shop/api', verbs)).toEqual(inShop);
  expect(await workplaceOf('/code/shop/../shop/api/', verbs)).toEqual(inShop);
  expect(await workplaceOf('/code/shop', verbs)).toEqual(alone('/code/shop'));
});

it('MC-05 is in the directory that a link within the repository leads to', async () => {
  const paths = there('/code', '/code/shop', '/code/shop/.git', '/code/shop/api');
  const { verbs } = verbsOver({ ...paths, '/code/shop/now': '/code/shop/api' }, ['/code']);
  const inApi = { mountedDirectory: '/code/shop', workingDirectory: '/code/shop/api' };
  expect(await workplaceOf('/code/shop/now', verbs)).toEqual(inApi);
});

it('MC-05 is found by another name of a directory that is granted', async () => {
  const paths = there('/mnt/code', '/mnt/code/shop', '/mnt/code/shop/.git', '/mnt/code/shop/api');
  const { verbs } = verbsOver({ ...paths, '/code': '/mnt/code' }, ['/code']);
  const inApi = { mountedDirectory: '/mnt/code/shop', workingDirectory: '/mnt/code/shop/api' };
  expect(await workplaceOf('/mnt/code/shop/api', verbs)).toEqual(inApi);
});

it('MC-05 S-36 is the directory alone where a link leads to another repository, or out of what is granted', async () => {
  const paths = ['/code', '/code/a', '/code/a/.git', '/code/a/lib/.git', '/code/b/.git'];
  const links = { '/code/a/b': '/code/b/src', '/code/a/etc': '/etc', '/code/a/nested': '/code/a/lib/src' };
  const { verbs } = verbsOver({ ...there(...paths), ...links }, ['/code']);
  for (const link of Object.keys(links)) expect(await workplaceOf(link, verbs)).toEqual(alone(link));
});

it('MC-05 S-36 looks at nothing outside of what is granted', async () => {
  const { asked, verbs } = verbsOver(there('/code/.git', '/code/shop', '/code/shop/api'), ['/code/shop']);
  for (const directory of ['/code/shop/api', '/code', '/etc', 'shop', '/code/shop/not/there'])
    expect(await workplaceOf(directory, verbs)).toEqual(alone(directory));
  expect(asked.filter((path) => path !== '/code/shop' && !path.startsWith('/code/shop/'))).toEqual([]);
});

it('MC-05 is no repository that holds the home directory', async () => {
  const home = homedir();
  const { verbs } = verbsOver(there(home, `${home}/.git`, `${home}/notes`), [home]);
  expect(await workplaceOf('~/notes', verbs)).toEqual(alone('~/notes'));
});

it('MC-05 waits for no other granted directory, whose disk may not answer', async () => {
  const { verbs } = verbsOver(there('/code', '/code/shop', '/code/shop/.git', '/code/shop/api'), ['/dead', '/code']);
  const realPath = (path: string) => (path === '/dead' ? new Promise<undefined>(() => {}) : verbs.realPath(path));
  const inApi = { mountedDirectory: '/code/shop', workingDirectory: '/code/shop/api' };
  expect(await workplaceOf('/code/shop/api', { ...verbs, realPath })).toEqual(inApi);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.setTimerTickMode('nextTimerAsync');
  onTestFinished(() => void vi.useRealTimers());
  expect(await workplaceOf('/elsewhere', { ...verbs, realPath })).toEqual(alone('/elsewhere'));
});

it('MC-05 a directory with blanks and quotes is quoted in the command that grants it', () => {
  expect(notGranted("/it's here").message).toMatch(/: contextd roots grant '\/it'\\''s here'$/u);
});
