/**
 * CC-36 on the daemon as a process: what was asked about so often that the daemon only compares what it sees, or has a lease
 * on it, is written to by another process, and asked about at once.
 */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { startDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';
import { watchedInodes } from '../support/watched-inodes.ts';

/** Later writes could leave a signature as it was; the daemon reads again until then. */
const settledMs = 2_500;
const rule = (text: string): string => `---\ntrigger: always\n---\n${text}\n`;

/** Each changes a project of one rule, `a.md` with "First.", and says what its active files then hold. */
const writes: readonly ((project: string) => readonly string[])[] = [
  (project) => {
    writeFileSync(join(project, '.context/a.md'), rule('Other.'));
    return ['Other.\n'];
  },
  (project) => {
    const path = join(project, '.context/a.md');
    writeFileSync(path, rule('Other.'));
    utimesSync(path, 1, 1);
    return ['Other.\n'];
  },
  (project) => {
    appendFileSync(join(project, '.context/a.md'), 'More.\n');
    return ['First.\nMore.\n'];
  },
  (project) => {
    truncateSync(join(project, '.context/a.md'), rule('').length - 1);
    return [''];
  },
  (project) => {
    writeFileSync(join(project, 'new'), rule('Other.'));
    renameSync(join(project, 'new'), join(project, '.context/a.md'));
    return ['Other.\n'];
  },
  (project) => {
    linkSync(join(project, '.context/a.md'), join(project, 'link'));
    writeFileSync(join(project, 'link'), rule('Other.'));
    return ['Other.\n'];
  },
  (project) => {
    rmSync(join(project, '.context/a.md'));
    return [];
  },
  (project) => {
    writeFileSync(join(project, '.context/b.md'), rule('Second.'));
    return ['First.\n', 'Second.\n'];
  },
  (project) => {
    mkdirSync(join(project, 'src/.context'), { recursive: true });
    writeFileSync(join(project, 'src/.context/b.md'), rule('Second.'));
    return ['First.\n', 'Second.\n'];
  },
  (project) => {
    writeFileSync(join(project, '.ai-context-policy.yaml'), 'ai_context_policy: block\n');
    return [];
  },
  (project) => {
    writeFileSync(join(project, '.context/context-config.json'), '{"excludeFiles":["a.md"]}');
    return [];
  },
  (project) => {
    renameSync(join(project, '.context'), join(project, 'gone'));
    return [];
  },
  (project) => {
    renameSync(join(project, '.context'), join(project, 'gone'));
    symlinkSync(join(project, 'gone'), join(project, '.context'));
    return [];
  },
  (project) => {
    chmodSync(join(project, '.context/a.md'), 0o600);
    return ['First.\n'];
  },
];

const projectCount = sized(writes.length * 4, 10_000, writes.length);

it(
  'CC-36 each write is seen by the request that follows it',
  async () => {
    const directory = temporaryDirectory();
    const projects = Array.from({ length: projectCount }, (_, n) => join(directory, `p${n}`));
    for (const project of projects) {
      mkdirSync(join(project, '.context'), { recursive: true });
      mkdirSync(join(project, 'src'));
      writeFileSync(join(project, '.context/a.md'), rule('First.'));
    }
    await using daemon = await startDaemon({ grantRoots: [directory] });
    const contentsOf = async (mountedDirectory: string): Promise<string[]> => {
      const body = { mountedDirectory, workingDirectory: 'src' };
      const { files } = (await daemon.request('/v1/context/resolve', { body })).body as ResolveResult;
      return files.filter(({ state }) => state === 'active').map(({ content = '' }) => content);
    };
    let leased = 0;
    await delay(settledMs);
    // As many as are remembered, each read, kept, and then compared only.
    for (let at = 0; at < projects.length; at += 100) {
      const some = projects.slice(at, at + 100);
      for (let time = 0; time < 3; time += 1)
        for (const project of some) expect(await contentsOf(project)).toEqual(['First.\n']);
      for (const [n, project] of some.entries()) {
        const write = writes[(at + n) % writes.length] as (typeof writes)[number];
        // Many changes end all leases.
        for (let time = 0; time < 4; time += 1) expect(await contentsOf(project)).toEqual(['First.\n']);
        if (process.platform === 'linux') leased += Number(watchedInodes(daemon.process.child.pid).length > 0);
        const expected = write(project);
        expect(await contentsOf(project), `${write}`).toEqual(expected);
      }
    }
    if (process.platform === 'linux') expect(leased).toBeGreaterThan(projects.length / 2);
  },
  60_000 + projectCount * 100,
);
