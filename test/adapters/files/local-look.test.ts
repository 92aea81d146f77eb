/** Which looks at the disk hold the event loop: never one that may wait for a network or another process. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createLocalLooks, remoteMounts } from '../../../src/adapters/files/local-look.ts';
import { createNodeFiles } from '../../../src/adapters/files/node-files.ts';
import { createRealDisk } from '../../support/disks.ts';

const { table } = vi.hoisted(() => ({ table: { text: '' } }));
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  const readFile = async (path: string) => (path === '/proc/self/mounts' ? table.text : '');
  return { ...real, readFile };
});

const isSkipped = !existsSync('/proc/self/fd');
const turn = () => new Promise(setImmediate);

describe('a look', () => {
  it.skipIf(isSkipped)(
    'S-40 S-71 leaves the event loop free where a link leads to a mount that may not answer',
    async () => {
      const disk = createRealDisk();
      const at = (path: string) => `${disk.base}/${path}`;
      disk.write(at('repo/docs/a.md'), 'a');
      disk.write(at('nas/x/b.md'), 'b');
      for (const [link, target] of [
        ['near', 'docs'],
        ['far', at('nas/x')],
        ['climbing', '../nas/x/b.md'],
        ['roundabout', 'docs/../far/../x'],
        ['dangling', 'docs/none/../../../nas'],
        ['loop', 'loop'],
      ] as const)
        disk.symlink(at(`repo/${link}`), target);
      table.text = `/dev/vda / ext4 rw 0 0\nserver:/ ${at('nas')} nfs4 rw 0 0\n`;
      const { look } = createLocalLooks();
      const how = async (path: string): Promise<string> => {
        // Nothing was held in this turn.
        await turn();
        return look(at(path), { follows: true, now: () => 'now', later: async () => 'later' });
      };
      await how('repo');
      const ways = { now: ['repo', 'repo/docs/a.md', 'repo/none/x', 'repo/near/a.md', 'repo/near/none/../a.md'] };
      for (const path of ways.now) expect(await how(path), path).toBe('now');
      for (const path of ['nas', 'nas/x', 'repo/far', 'repo/far/b.md', 'repo/climbing', 'repo/roundabout'])
        expect(await how(path), path).toBe('later');
      for (const path of ['repo/dangling', 'repo/loop']) expect(await how(path), path).toBe('later');
      const files = createNodeFiles();
      await files.stat(disk.base);
      for (const [path, isLater] of [
        ['repo/far', false],
        ['repo/far/b.md', true],
      ] as const) {
        await turn();
        expect(files.statSoon(at(path)) instanceof Promise, path).toBe(isLater);
      }
    },
  );

  it.skipIf(isSkipped)('S-46 follows no links to find out when every mount answers at once', async () => {
    const disk = createRealDisk();
    disk.symlink(`${disk.base}/loop`, 'loop');
    table.text = '/dev/vda / ext4 rw 0 0\n';
    const { look } = createLocalLooks();
    const how = () => look(`${disk.base}/loop/x`, { follows: true, now: () => 'now', later: async () => 'later' });
    await how();
    await turn();
    expect(await how()).toBe('now');
  });

  it.skipIf(isSkipped)('S-40 S-71 notices that a directory became a link to a mount that may not answer', async () => {
    const disk = createRealDisk();
    const [docs, nas] = [`${disk.base}/docs`, `${disk.base}/nas`];
    for (const directory of [docs, nas]) disk.write(`${directory}/a.md`, 'a');
    table.text = `/dev/vda / ext4 rw 0 0\nserver:/ ${nas} nfs4 rw 0 0\n`;
    const { look } = createLocalLooks();
    const how = async (): Promise<string> => {
      // Nothing was held in this turn.
      await turn();
      return look(`${docs}/a.md`, { follows: false, now: () => 'now', later: async () => 'later' });
    };
    await how();
    for (const _ of ['found', 'remembered']) expect(await how()).toBe('now');
    disk.remove(docs);
    disk.symlink(docs, nas);
    await delay(60);
    expect(await how()).toBe('later');
  });
});

describe('remoteMounts', () => {
  it('finds the directories where a call may wait for a network or another process', () => {
    const table = [
      'proc /proc proc rw 0 0',
      '/dev/vda / ext4 rw 0 0',
      'tmpfs /dev/shm tmpfs rw 0 0',
      'server:/home /home/ada/my\\040files nfs4 rw 0 0',
      'gvfsd-fuse /run/user/1000/gvfs fuse.gvfsd-fuse rw 0 0',
      '',
    ];
    expect(remoteMounts(table.join('\n'))).toEqual(['/home/ada/my files/', '/run/user/1000/gvfs/']);
    expect(remoteMounts('none / 9p rw 0 0')).toEqual(['/']);
  });
});
