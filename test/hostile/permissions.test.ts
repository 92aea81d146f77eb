/**
 * What permissions forbid. The superuser is not bound by them, so the daemon runs as nobody when the tests run as root;
 * where nobody cannot read this checkout, nothing can be proved.
 */
import { chmodSync, chownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect } from 'vitest';
import { entryPath } from '../support/daemon.ts';
import { attackDaemon, attackWith, canary, type HostileCase } from '../support/hostile-cases.ts';
import { always } from '../support/hostile-workspaces.ts';

const nobody = 65_534;
const asRoot = process.getuid?.() === 0;

function isOpenToAll(path: string): boolean {
  return (statSync(path).mode & 0o005) === 0o005 && (path === '/' || isOpenToAll(dirname(path)));
}
const provable = process.platform !== 'win32' && (!asRoot || isOpenToAll(dirname(entryPath)));

describe.skipIf(!provable)('a daemon that permissions bind', () => {
  const attack = attackDaemon(asRoot ? { userId: nobody } : {});

  /** A file or directory that nobody owns and whose mode forbids something. */
  type Forbidden = Partial<HostileCase> & { path: string; mode: number };
  const forbidden = (name: string, { path, mode, ...expected }: Forbidden): HostileCase => ({
    name: `S-47 CC-05 ${name}`,
    build(tree) {
      if (!path.includes('.')) tree.write(`.context/${path}/a.md`, always('a'));
      else if (!path.endsWith('/')) tree.write(`.context/${path}`, always('a'));
      if (asRoot) chownSync(tree.path(`.context/${path}`), nobody, nobody);
      tree.mode(`.context/${path}`, mode);
    },
    ...expected,
  });

  attackWith('single things', attack, [
    forbidden('a file that nobody may read', {
      path: 'x.md',
      mode: 0o000,
      excluded: { 'x.md': 'unreadable' },
      warnings: ['unreadable x.md'],
    }),
    forbidden('a file that may only be written', {
      path: 'x.md',
      mode: 0o200,
      excluded: { 'x.md': 'unreadable' },
      warnings: ['unreadable x.md'],
    }),
    forbidden('a file that may only be run', {
      path: 'x.md',
      mode: 0o111,
      excluded: { 'x.md': 'unreadable' },
      warnings: ['unreadable x.md'],
    }),
    forbidden('a file that may only be read', { path: 'x.md', mode: 0o400, files: { 'x.md': 'active' } }),
    forbidden('a directory without any permission', {
      path: 'no',
      mode: 0o000,
      excluded: { no: 'unreadable' },
      warnings: ['unreadable no'],
    }),
    forbidden('a directory that shows names only', {
      path: 'names',
      mode: 0o444,
      excluded: { 'names/a.md': 'unreadable' },
      warnings: ['unreadable names/a.md'],
    }),
    forbidden('a directory that may only be passed through', {
      path: 'through',
      mode: 0o111,
      excluded: { through: 'unreadable' },
      warnings: ['unreadable through'],
    }),
    forbidden('a configuration that nobody may read', {
      path: 'context-config.json',
      mode: 0o000,
      excluded: { 'context-config.json': 'excluded_by_config' },
      warnings: ['config_not_read context-config.json'],
    }),
    {
      name: 'S-47 CC-05 a foreign file',
      build(tree) {
        tree.write('.context/x.md', always(canary));
        tree.mode('.context/x.md', asRoot ? 0o600 : 0o000);
      },
      excluded: { 'x.md': 'unreadable' },
      warnings: ['unreadable x.md'],
    },
    {
      name: 'S-47 CC-05 one of everything: each is told once, the rest is delivered',
      build(tree) {
        for (const name of ['a.md', 'b.md', 'no/x.md', 'sub/c.md', 'sub/d.md']) {
          tree.write(`.context/${name}`, always(name));
          if (asRoot) chownSync(tree.path(`.context/${name}`), nobody, nobody);
        }
        for (const name of ['b.md', 'sub/d.md']) tree.mode(`.context/${name}`, 0o000);
        tree.mode('.context/no', 0o700);
        if (!asRoot) tree.mode('.context/no', 0o000);
      },
      files: { 'a.md': 'active', 'sub/c.md': 'active' },
      excluded: { 'b.md': 'unreadable', no: 'unreadable', 'sub/d.md': 'unreadable' },
      warnings: ['unreadable b.md', 'unreadable no', 'unreadable sub/d.md'],
    },
    {
      name: 'S-47 CC-05 a file is told and delivered as its mode changes',
      build: (tree) => tree.write('.context/x.md', always('x')),
      files: { 'x.md': 'active' },
      async also(_, tree, { resolve }) {
        const path = tree.path('.context/x.md');
        chmodSync(path, asRoot ? 0o600 : 0o000);
        expect((await resolve(tree)).excluded).toMatchObject([{ path, reason: { code: 'unreadable' } }]);
        chmodSync(path, 0o644);
        expect((await resolve(tree)).files).toHaveLength(2);
      },
    },
  ]);

  const closed = (path: string): HostileCase['build'] => {
    return (tree) => {
      tree.write(`${path}/.context/x.md`, always('x'));
      tree.mode(path, asRoot ? 0o700 : 0o000);
    };
  };

  attackWith('places', attack, [
    {
      name: 'S-47 CC-05 the context directory itself',
      build(tree) {
        tree.write('.context/x.md', always('x'));
        tree.mode('.context', asRoot ? 0o700 : 0o000);
      },
      alone: true,
      warnings: ['unreadable .'],
    },
    {
      name: 'S-47 CC-05 the working directory',
      build: closed('packages'),
      request: { workingDirectory: 'packages' },
      warnings: ['unreadable ../packages/.context'],
    },
    {
      name: 'S-47 CC-05 the mounted directory',
      build: closed('mount'),
      request: (tree) => ({ mountedDirectory: `${tree.root}/mount` }),
      alone: true,
      warnings: ['unreadable ../mount/.context'],
    },
    {
      name: 'S-47 CC-05 the directory above the mounted directory',
      build: closed('above'),
      request: (tree) => ({ mountedDirectory: `${tree.root}/above/.context` }),
      status: 404,
      code: 'not_found',
    },
    {
      name: 'S-47 S-36 an included directory',
      build(tree) {
        tree.write('docs/open/a.md', always('a'));
        tree.write('docs/closed/b.md', always(canary));
        tree.mode('docs/closed', asRoot ? 0o700 : 0o000);
        tree.config({ clientContext: { includeFiles: ['docs/**'] } });
      },
      files: { '../docs/open/a.md': 'active' },
      excluded: { 'context-config.json': 'excluded_by_config', '../docs/closed': 'unreadable' },
      warnings: ['unreadable ../docs/closed'],
    },
  ]);
});
