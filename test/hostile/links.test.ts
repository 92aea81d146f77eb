/** Links, pipes, sockets and devices where files are expected; links are not followed. */
import { expect } from 'vitest';
import { attackDaemon, attackWith, canary, type HostileCase, resolveInnocent } from '../support/hostile-cases.ts';
import { always, type HostileTree } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();

/** A link `.context/x.md`, which is reported and never followed. */
const link = (row: string, what: string, target: string | ((tree: HostileTree) => string)): HostileCase => ({
  name: `${row} a link ${what}`,
  build: (tree) => tree.link('.context/x.md', typeof target === 'string' ? target : target(tree)),
  request: { mentions: ['.context/x.md'] },
  excluded: { 'x.md': 'symlink' },
  warnings: ['mention_not_found', 'symlink x.md'],
});

attackWith('single links', attack, [
  link('CC-04 S-37', 'to the file beside it', 'good.md'),
  link('S-37', 'to a file outside', () => `${attack.outside}/secret.md`),
  link('S-37', 'that climbs outside', '../../../outside/secret.md'),
  link('S-37', 'to /etc/passwd', '/etc/passwd'),
  link('S-37', 'to nothing', 'nowhere'),
  link('S-37', 'to a directory', '..'),
  link('S-37', 'to the root directory', '/'),
  link('S-37', 'with a line end in its target', 'a\nb'),
  link('S-37', 'with a target of 4,000 characters', `${'a/'.repeat(2_000)}b`),
  link('S-38', 'to itself', 'x.md'),
  link('S-41', 'to the environment of the daemon', () => `/proc/${attack.daemon.process.child.pid}/environ`),
  link('S-41', 'to /proc/self/environ', '/proc/self/environ'),
  link('S-41', 'to an open descriptor', '/proc/self/fd/0'),
  link('S-41', 'to /proc/kmsg', '/proc/kmsg'),
  link('S-41', 'to /sys', '/sys/kernel/uevent_seqnum'),
  link('S-40', 'to /dev/zero', '/dev/zero'),
  link('S-40', 'to a terminal', '/dev/tty'),
  link('S-40', 'to standard input', '/dev/stdin'),
  link('S-40', 'to a FIFO', (tree) => {
    tree.fifo('pipe');
    return '../pipe';
  }),
]);

const numbered = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i));
const symlinks = (paths: string[]) => Object.fromEntries(paths.map((path) => [path, 'symlink']));

attackWith('many links', attack, [
  {
    name: 'S-37 a chain of 40 links',
    build(tree) {
      for (let i = 0; i < 40; i += 1) tree.link(`.context/l${i}.md`, i === 0 ? 'good.md' : `l${i - 1}.md`);
    },
    excluded: symlinks(numbered(40, (i) => `l${i}.md`)),
    warnings: ['symlink .'],
  },
  {
    name: 'S-38 l1 -> . and l2 -> .',
    build(tree) {
      tree.link('.context/l1', '.');
      tree.link('.context/l2', '.');
    },
    excluded: symlinks(['l1', 'l2']),
    warnings: ['symlink .'],
  },
  {
    name: 'S-38 two directories that contain links to each other',
    build(tree) {
      tree.link('.context/a/b', '../b');
      tree.link('.context/b/a', '../a');
    },
    excluded: symlinks(['a/b', 'b/a']),
    warnings: ['symlink .'],
  },
  {
    name: 'S-38 1,000 links to the directory that holds them',
    build(tree) {
      for (const name of numbered(1_000, (i) => `l${i}`)) tree.link(`.context/${name}`, '.');
    },
    excluded: symlinks(numbered(1_000, (i) => `l${i}`)),
    warnings: ['symlink .'],
  },
  {
    name: 'S-38 links to the workspace below a pattern that includes everything',
    build(tree) {
      tree.link('l1', '.');
      tree.link('l2', '.');
      tree.link('docs/up', '..');
      tree.write('docs/a.md', 'text');
      tree.config({ clientContext: { includeFiles: ['**/*.md'] } });
    },
    files: { '../docs/a.md': 'available' },
    excluded: { 'context-config.json': 'excluded_by_config' },
  },
]);

attackWith('links on the way', attack, [
  {
    name: 'S-37 .context is a link to a directory inside',
    build(tree) {
      tree.write('real/x.md', always('x'));
      tree.link('.context', 'real');
    },
    alone: true,
    warnings: ['symlink .'],
  },
  {
    name: 'S-37 .context is a link to a directory outside',
    build: (tree) => tree.link('.context', attack.outside),
    alone: true,
    warnings: ['symlink .'],
  },
  {
    name: 'S-38 .context is a link to itself',
    build: (tree) => tree.link('.context', '.context'),
    alone: true,
    warnings: ['symlink .'],
  },
  {
    name: 'S-37 a part of a longer client context path is a link',
    build(tree) {
      tree.write('elsewhere/context/x.md', always('x'));
      tree.link('tools', 'elsewhere');
    },
    request: { clientContextPath: 'tools/context' },
    alone: true,
    warnings: ['context_directory_outside_granted_roots ~/tools/context', 'symlink ../tools'],
  },
  {
    name: 'S-37 the working directory is a link to a directory outside',
    build: (tree) => tree.link('packages', attack.outside),
    request: { workingDirectory: 'packages' },
    warnings: ['symlink ../packages'],
  },
  {
    name: 'S-37 a directory above the working directory is a link',
    build(tree) {
      tree.write('real/deep/.context/x.md', always('x'));
      tree.link('packages', 'real');
    },
    request: { workingDirectory: 'packages/deep' },
    warnings: ['symlink ../packages'],
  },
  {
    name: 'S-37 a file in play is a link, which is never opened',
    build(tree) {
      tree.link('src/a.ts', `${attack.outside}/secret.md`);
      tree.write('.context/x.md', '---\ntrigger: auto\nglobs: "**/*.ts"\n---\nx');
    },
    request: { files: ['src/a.ts'] },
    files: { 'x.md': 'active' },
  },
  {
    name: 'S-37 the mounted directory is a link to a directory outside',
    build: (tree) => tree.link('mount', attack.outside),
    request: (tree) => ({ mountedDirectory: `${tree.root}/mount` }),
    status: 403,
    code: 'path_outside_roots',
  },
  {
    name: 'S-37 the mounted directory lies behind a link to a directory outside',
    build(tree) {
      tree.link('mount', attack.outside);
    },
    request: (tree) => ({ mountedDirectory: `${tree.root}/mount/deeper` }),
    status: 403,
    code: 'path_outside_roots',
  },
  {
    name: 'S-38 the mounted directory is a link to itself',
    build: (tree) => tree.link('mount', 'mount'),
    request: (tree) => ({ mountedDirectory: `${tree.root}/mount` }),
    status: 403,
    code: 'path_outside_roots',
  },
  {
    name: 'S-37 the mounted directory is a link to another workspace inside: links in that are not followed',
    build(tree) {
      tree.write('real/.context/x.md', always('x'));
      tree.link('real/.context/out.md', `${attack.outside}/secret.md`);
      tree.link('mount', 'real');
    },
    request: (tree) => ({ mountedDirectory: `${tree.root}/mount` }),
    alone: true,
    files: { '../mount/.context/x.md': 'active' },
    excluded: { '../mount/.context/out.md': 'symlink' },
    warnings: ['symlink ../mount/.context/out.md'],
  },
  {
    name: 'S-36 S-37 an include pattern through a link',
    build(tree) {
      tree.link('vendor', attack.outside);
      tree.config({ clientContext: { includeFiles: ['vendor/**', 'vendor/secret.md'] } });
    },
    excluded: { 'context-config.json': 'excluded_by_config', '../vendor': 'symlink' },
    warnings: ['symlink context-config.json', 'symlink context-config.json'],
  },
]);

const fifos = numbered(16, (i) => `fifo-${i}.md`);

attackWith('pipes, sockets, devices', attack, [
  {
    name: 'S-40 sixteen FIFOs, four times as many as there are threads',
    build: (tree) => tree.fifo(...fifos.map((name) => `.context/${name}`)),
    excluded: Object.fromEntries(fifos.map((name) => [name, 'not_regular_file'])),
    warnings: ['not_regular_file .'],
    also: (_, __, running) => resolveInnocent(running, 100),
  },
  {
    name: 'S-40 a socket',
    build: (tree) => tree.socket('.context/s.md'),
    excluded: { 's.md': 'not_regular_file' },
    warnings: ['not_regular_file s.md'],
  },
  {
    name: 'S-40 .context is a FIFO',
    build: (tree) => tree.fifo('.context'),
    alone: true,
    warnings: ['not_regular_file .'],
  },
  {
    name: 'S-40 .context is a socket',
    build: (tree) => tree.socket('.context'),
    alone: true,
    warnings: ['not_regular_file .'],
  },
  {
    name: 'S-40 .context is a file',
    build: (tree) => tree.write('.context', 'text'),
    alone: true,
    warnings: ['not_regular_file .'],
  },
  {
    name: 'S-40 the working directory is a FIFO',
    build: (tree) => tree.fifo('pipe'),
    request: { workingDirectory: 'pipe' },
  },
  {
    name: 'S-40 the working directory is a file',
    request: { workingDirectory: '.context/good.md' },
  },
  {
    name: 'S-40 the mounted directory is a FIFO',
    build: (tree) => tree.fifo('pipe'),
    request: (tree) => ({ mountedDirectory: `${tree.root}/pipe` }),
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'S-40 the mounted directory is a file',
    request: (tree) => ({ mountedDirectory: `${tree.root}/.context/good.md` }),
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'S-40 a FIFO is included by name',
    build(tree) {
      tree.fifo('docs/pipe.md');
      tree.config({ clientContext: { includeFiles: ['docs/pipe.md', 'docs/**'] } });
    },
    excluded: { 'context-config.json': 'excluded_by_config', '../docs/pipe.md': 'not_regular_file' },
  },
  {
    name: 'S-41 the mounted directory is /proc',
    request: { mountedDirectory: '/proc/self' },
    status: 403,
    code: 'path_outside_roots',
  },
]);

attackWith('what a client sends', attack, [
  {
    name: 'S-37 explain of a link outside tells no more than that it is one',
    build: (tree) => tree.link('.context/x.md', `${attack.outside}/secret.md`),
    excluded: { 'x.md': 'symlink' },
    warnings: ['symlink x.md'],
    async also(_, tree, { send }) {
      const explained = await send('/v1/context/explain', { mountedDirectory: tree.root, path: '.context/x.md' });
      expect(explained.body).toMatchObject({ candidates: [{ verdict: 'excluded', reason: { code: 'symlink' } }] });
      const outside = await send('/v1/context/explain', {
        mountedDirectory: tree.root,
        path: `${attack.outside}/secret.md`,
      });
      expect(outside.body).toMatchObject({ candidates: [{ verdict: 'excluded', reason: { code: 'outside_roots' } }] });
      expect(explained.text + outside.text).not.toContain(canary);
    },
  },
]);
