/** The same links when the user lets the daemon follow them: only into granted roots, and loops end. */
import { expect } from 'vitest';
import { attackDaemon, attackWith, canary, type HostileCase } from '../support/hostile-cases.ts';
import { always } from '../support/hostile-workspaces.ts';

const attack = attackDaemon({ args: ['--follow-symlinks'] });

const numbered = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i));
const left = (what: string, target: string | (() => string), code: string): HostileCase => ({
  name: `CC-04 S-41 a link ${what}`,
  build: (tree) => tree.link('.context/x.md', typeof target === 'string' ? target : target()),
  excluded: { 'x.md': code },
  warnings: [`${code} x.md`],
});

attackWith('links that are followed', attack, [
  {
    name: 'CC-04 S-37 a link into the workspace is followed',
    build(tree) {
      tree.write('docs/a.md', always('a'));
      tree.link('.context/x.md', '../docs/a.md');
    },
    files: { 'x.md': 'active' },
    bodies: { 'x.md': 'a' },
  },
  left('to a file outside', () => `${attack.outside}/secret.md`, 'outside_roots'),
  left('that climbs outside', '../../../outside/secret.md', 'outside_roots'),
  left('to /etc/passwd', '/etc/passwd', 'outside_roots'),
  left('to the environment of the daemon', '/proc/self/environ', 'outside_roots'),
  left('to /dev/zero', '/dev/zero', 'outside_roots'),
  left('to nothing', 'nowhere', 'symlink'),
  left('to itself', 'x.md', 'symlink'),
  {
    name: 'CC-04 S-51 a link with an innocent name to a secret inside',
    build(tree) {
      tree.write('.env', canary);
      tree.link('.context/notes.md', '../.env');
    },
    excluded: { 'notes.md': 'sensitive' },
  },
  {
    name: 'CC-04 S-38 l1 -> . and l2 -> . end, and each real file is there once',
    build(tree) {
      tree.link('.context/l1', '.');
      tree.link('.context/l2', '.');
    },
  },
  {
    name: 'CC-04 S-38 two directories with links to each other',
    build(tree) {
      tree.write('.context/a/x.md', always('x'));
      tree.link('.context/a/b', '../b');
      tree.link('.context/b/a', '../a');
    },
    files: { 'a/x.md': 'active' },
  },
  {
    name: 'CC-04 S-38 1,000 links to the directory that holds them',
    build(tree) {
      for (const name of numbered(1_000, (i) => `l${i}`)) tree.link(`.context/${name}`, '.');
    },
  },
  {
    name: 'CC-04 S-38 a link to the directory above all workspaces',
    build: (tree) => tree.link('.context/up', '../..'),
    anything: true,
    also: ({ text }) => expect(text).not.toContain(canary),
  },
  {
    name: 'CC-04 S-40 a link to a FIFO',
    build(tree) {
      tree.fifo('pipe');
      tree.link('.context/x.md', '../pipe');
    },
    excluded: { 'x.md': 'not_regular_file' },
    warnings: ['not_regular_file x.md'],
  },
  {
    name: 'CC-04 S-62 a configuration that is a link to outside',
    build: (tree) => tree.link('.context/context-config.json', `${attack.outside}/secret.md`),
    excluded: { 'context-config.json': 'excluded_by_config' },
    warnings: ['config_not_read context-config.json', 'outside_roots context-config.json'],
  },
  {
    name: 'CC-04 S-37 .context is a link to a directory outside',
    build: (tree) => tree.link('.context', attack.outside),
    alone: true,
    warnings: ['outside_roots .'],
  },
  {
    name: 'CC-04 S-37 .context is a link to a directory inside',
    build(tree) {
      tree.write('real/x.md', always('x'));
      tree.link('.context', 'real');
    },
    alone: true,
    files: { 'x.md': 'active' },
  },
]);
