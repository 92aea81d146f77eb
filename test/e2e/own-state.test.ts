/** What the daemon keeps for itself is given to nobody, by whatever name it can be reached (S-08). */
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import type { RetrieveResult } from '../../src/retrieval/retrieve-result.ts';
import { runContextd, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount --bind /tmp /mnt']).status === 0;

describe('the state directory by another name', () => {
  let directory: string;
  let workspace: string;
  let stateDirectory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    workspace = join(directory, 'shop');
    stateDirectory = join(directory, 'state');
    mkdirSync(join(workspace, '.context'), { recursive: true });
    mkdirSync(join(stateDirectory, 'models/tiny'), { recursive: true, mode: 0o700 });
    writeFileSync(join(workspace, '.context/own.md'), 'Own rule.');
    writeFileSync(join(workspace, 'own.json'), '{"own":true}');
    writeFileSync(join(stateDirectory, 'notes.md'), 'Canary of the state directory.', { mode: 0o600 });
    writeFileSync(join(stateDirectory, 'models/tiny/config.md'), 'Canary of the state directory.', { mode: 0o600 });
  });

  const ask = async (daemon: TestDaemon, openTabs: string[]) => {
    const [resolved, retrieved] = await Promise.all([
      daemon.request('/v1/context/resolve', { body: { mountedDirectory: workspace, mentions: ['notes'] } }),
      daemon.request('/v1/retrieve', {
        body: { mountedDirectory: workspace, openTabs, query: 'canary token directory own' },
      }),
    ]);
    expect([resolved.status, retrieved.status]).toEqual([200, 200]);
    for (const { text } of [resolved, retrieved]) {
      expect(text).not.toContain('Canary');
      expect(text).not.toContain(daemon.token);
    }
    return { resolved: resolved.body as ResolveResult, retrieved: retrieved.body as RetrieveResult };
  };

  it('S-08 hard links to files of the state directory are not read, whether as content, settings or to be searched', async () => {
    await using daemon = await startDaemon({ stateDirectory, grantRoots: [workspace] });
    const names = ['daemon.json', 'contextd.db', 'contextd.db-wal', 'daemon.lock'];
    for (const name of names) linkSync(join(stateDirectory, name), join(workspace, `linked-${name}`));
    linkSync(join(stateDirectory, 'daemon.json'), join(workspace, '.context/context-config.json'));
    linkSync(join(stateDirectory, 'notes.md'), join(workspace, '.context/notes.md'));
    const tabs = ['own.json', ...names.map((name) => `linked-${name}`)];
    const { resolved, retrieved } = await ask(daemon, tabs);
    expect(resolved.files.map(({ name }) => name)).toEqual(['own']);
    expect(resolved.warnings.map(({ code }) => code)).toContain('config_not_read');
    expect(retrieved.items.map(({ relativePath }) => relativePath)).toContain('own.json');
    expect(retrieved.omitted.map(({ reason }) => reason.code)).toEqual(names.map(() => 'outside_roots'));
  });

  it('S-08 what a daemon of the same user keeps at the usual place is not read by another one, nor without one', async () => {
    const usual = join(workspace, '.local/state/contextd');
    await using daemon = await startDaemon({ stateDirectory: usual, grantRoots: [workspace] });
    const env = { HOME: workspace };
    await using other = await startDaemon({ stateDirectory, grantRoots: [workspace], env });
    const made = await daemon.request('/v1/console/sign-in-pages', { body: {} });
    const page = relative(workspace, (made.body as { file: string }).file);
    mkdirSync(join(usual, '.context'));
    writeFileSync(join(usual, '.context/other.md'), 'Canary of the state directory.');
    linkSync(join(usual, 'daemon.json'), join(workspace, 'linked.json'));
    const { retrieved } = await ask(other, ['own.json', '.local/state/contextd/daemon.json', 'linked.json', page]);
    expect(JSON.stringify(retrieved)).not.toMatch(new RegExp(`${daemon.token}|code=`, 'u'));
    expect(retrieved.omitted.map(({ reason }) => reason.code)).toEqual(Array(3).fill('outside_roots'));
    const command = ['resolve', usual, '--mention', 'other', '--json', '--state-dir', join(directory, 'none')];
    expect(await runContextd(command, { env })).toMatchObject({ code: 64, stdout: '' });
  });

  it('S-08 S-10 a hard link to a page that signs in is not read, and its code ends with the page', async () => {
    await using daemon = await startDaemon({ stateDirectory, grantRoots: [workspace] });
    const made = await daemon.request('/v1/console/sign-in-pages', { body: {} });
    const { file, expiresAt } = made.body as { file: string; expiresAt: string };
    linkSync(file, join(workspace, 'linked.html'));
    const { retrieved } = await ask(daemon, ['own.json', 'linked.html']);
    expect(JSON.stringify(retrieved.items)).not.toContain('code=');
    expect(retrieved.omitted).toMatchObject([{ reason: { code: 'outside_roots' } }]);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(30_000);
  });

  it.skipIf(!canMount)(
    'S-08 mounts of the state directory, around it and below it are neither listed nor read',
    async () => {
      const mounts = [
        [stateDirectory, join(workspace, '.context/state')],
        [directory, join(workspace, '.context/around')],
        [join(stateDirectory, 'models'), join(workspace, '.context/models')],
        [join(stateDirectory, 'notes.md'), join(workspace, '.context/notes.md')],
      ];
      for (const [, target = ''] of mounts.slice(0, 3)) mkdirSync(target);
      writeFileSync(join(workspace, '.context/notes.md'), '');
      const binds = mounts.map(([from, to]) => `mount --bind '${from}' '${to}'`).join(' && ');
      const through = ['unshare', '-rm', 'sh', '-c', `${binds} && exec "$@"`, 'sh'];
      await using daemon = await startDaemon({ stateDirectory, grantRoots: [workspace], through });
      const tabs = ['state/daemon.json', 'around/state/daemon.json', 'models/tiny/config.md', 'notes.md'];
      const { resolved, retrieved } = await ask(
        daemon,
        tabs.map((tab) => `.context/${tab}`),
      );
      const found = resolved.files.filter(({ bytes }) => bytes > 0).map(({ relativePath }) => relativePath);
      expect(found).toEqual(['.context/around/shop/.context/own.md', '.context/own.md']);
      expect(retrieved.omitted.map(({ reason }) => reason.code)).toEqual(tabs.map(() => 'outside_roots'));
    },
  );
});
