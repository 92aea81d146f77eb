/** Rule files that import what nobody may read, or more than anybody can (FM-07). */
import { expect } from 'vitest';
import { attackDaemon, attackWith, canary, type HostileCase } from '../support/hostile-cases.ts';

const attack = attackDaemon();

const numbered = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i));
const active = (...paths: string[]): HostileCase['files'] =>
  Object.fromEntries(['CLAUDE.md', ...paths].map((path) => [`../${path}`, 'active']));

attackWith('what imports lead to', attack, [
  {
    name: 'S-34 S-37 FM-07 places outside, by every way',
    build(tree) {
      tree.link('out', attack.outside);
      tree.link('file.md', `${attack.outside}/secret.md`);
      tree.link('self', '.');
      const climbing = `${'../'.repeat(40)}${attack.outside.slice(1)}/secret.md`;
      const paths = ['./out/secret.md', 'file.md', `./${climbing}`, `${attack.outside}/secret.md`, './self/CLAUDE.md'];
      tree.write('CLAUDE.md', paths.map((path) => `@${path}`).join('\n'));
    },
    files: active(),
    anything: true,
    also: ({ excluded, text }) => {
      expect(text).not.toContain(canary);
      const codes = excluded.map(({ path, reason }) => `${path.split('/').at(-1)} ${reason.code}`);
      expect(codes.sort()).toEqual([
        'CLAUDE.md symlink',
        'file.md symlink',
        'secret.md outside_roots',
        'secret.md symlink',
      ]);
    },
  },
  {
    name: 'S-40 S-41 FM-07 pipes, devices and files of the kernel',
    build(tree) {
      tree.fifo('pipe.md');
      tree.write('CLAUDE.md', '@pipe.md @/proc/self/environ @/dev/zero @/proc/self/fd/0.md');
    },
    anything: true,
    also: ({ excluded, files }) => {
      expect(files.map(({ name }) => name).sort()).toEqual(['CLAUDE', 'good']);
      expect(excluded.map(({ path, reason }) => `${path.split('/').at(-1)} ${reason.code}`).sort()).toEqual([
        '0.md outside_roots',
        'environ outside_roots',
        'pipe.md not_regular_file',
      ]);
    },
  },
  {
    name: 'FM-07 a directory as deep as no path can name',
    build(tree) {
      tree.deep('d', 3_000);
      tree.write('CLAUDE.md', `@${'d/'.repeat(500)}x.md @${'../d/'.repeat(100)}x.md @${'a'.repeat(1_000)}.md`);
    },
    files: active(),
    anything: true,
    also: ({ files }) => expect(files.map(({ name }) => name).sort()).toEqual(['CLAUDE', 'good']),
  },
]);

attackWith('how much is imported', attack, [
  {
    name: 'FM-07 10,000 imports in one file, of files that are there',
    build(tree) {
      tree.many('f', 10_000, (index) => `f${index}.md`);
      tree.write('CLAUDE.md', numbered(10_000, (index) => `@f/f${index}.md`).join('\n'));
    },
    counts: true,
    warnings: ['limit_imports'],
    anything: true,
    also: ({ files, warnings }) => {
      expect(files.filter(({ path }) => path.includes('/f/')).length).toBeLessThanOrEqual(100);
      expect(warnings.map(({ code }) => code)).toContain('limit_imports');
    },
  },
  {
    name: 'FM-07 each of 300 rules imports 100 others that are not there',
    build(tree) {
      for (let rule = 0; rule < 300; rule += 1)
        tree.write(`.claude/rules/r${rule}.md`, numbered(100, (n) => `@../../x${rule}-${n}`).join('\n'));
    },
    anything: true,
    also: ({ files }) => expect(files.filter(({ path }) => path.includes('/rules/'))).toHaveLength(300),
  },
  {
    name: 'FM-07 all of 100 files import all of them',
    build(tree) {
      const all = numbered(100, (index) => `@f${index}.md`).join(' ');
      for (let index = 0; index < 100; index += 1) tree.write(`f${index}.md`, `File ${index} ${all}`);
      tree.write('CLAUDE.md', all);
    },
    anything: true,
    also: ({ files, warnings }) => {
      expect(files.filter(({ path }) => /\/f\d+\.md$/u.test(path))).toHaveLength(100);
      expect(warnings.map(({ code }) => code)).toContain('limit_imports');
    },
  },
  {
    name: 'FM-07 a chain of 1,000 files that ends in a cycle',
    build(tree) {
      for (let index = 0; index < 1_000; index += 1) tree.write(`c${index}.md`, `@c${(index + 1) % 1_000}.md`);
      tree.write('CLAUDE.md', 'Begin @c0.md');
    },
    files: active(...numbered(5, (index) => `c${index}.md`)),
    warnings: ['limit_imports'],
  },
  {
    name: 'FM-07 a megabyte of backticks, fences and signs',
    build(tree) {
      tree.write('CLAUDE.md', numbered(1_400, (n) => '`'.repeat(n + 1)).join(' @a\n'));
      tree.write('GEMINI.md', '@'.repeat(1024 * 1024));
      tree.write('QWEN.md', '> ```\n@a <!--\n'.repeat(80_000));
      tree.write('.kiro/steering/a.md', '#[[file:'.repeat(128 * 1024));
    },
    anything: true,
    also: ({ files }) => expect(files).toHaveLength(5),
  },
]);
