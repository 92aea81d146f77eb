/**
 * Builds workspaces that somebody hostile could have made, with what git cannot store: pipes, sockets, loops of links,
 * sparse files, names that are not UTF-8, trees that no path can name. What git can store lies in `fixtures/hostile/`.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from './temporary-files.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/hostile');

/** The bytes of a file of `fixtures/hostile/`. */
export function readHostileFixture(name: string): Buffer {
  return readFileSync(join(fixtures, name));
}

/** Front matter that makes a file active, with a body. */
export function always(body: string): string {
  return `---\ntrigger: always\n---\n${body}`;
}

/** A directory under attack; every path is relative to `root` or absolute, and missing parents are made. */
export type HostileTree = {
  /** Absolute, all links resolved. */
  root: string;
  path(relative: string): string;
  write(path: string, content: string | Uint8Array): void;
  /** Writes a configuration of the mounted directory's context directory. */
  config(value: unknown): void;
  directory(path: string): void;
  /** Copies a file of `fixtures/hostile/`. */
  fixture(path: string, name: string): void;
  link(path: string, target: string): void;
  fifo(...paths: string[]): void;
  socket(path: string): Promise<void>;
  /** A file of `bytes` bytes that takes no space; it begins with `start`. */
  sparse(path: string, bytes: number, start?: string): void;
  /** A file whose name is not UTF-8: `directory`, then the bytes. */
  badName(directory: string, bytes: readonly number[]): void;
  /** `count` files, all with the same content: hard links, which are cheap to make. */
  many(directory: string, count: number, name: (index: number) => string): void;
  /** Directories `d/d/d/…`, perhaps too deep to be named by a path; `leaf.md` lies in the last one. */
  deep(path: string, levels: number, name?: string): void;
  mode(path: string, mode: number): void;
};

const servers: Server[] = [];
const bases: string[] = [];

/** A fresh directory in which the workspaces of one test file lie. */
export function createHostileBase(): string {
  const base = temporaryDirectory();
  bases.push(base);
  return base;
}

/** Closes sockets and removes every base. */
export async function removeHostileBases(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  for (const base of bases.splice(0)) removeHostileDirectory(base);
}

/** By `rm`, because trees deeper than the longest path can only be removed step by step. */
export function removeHostileDirectory(path: string): void {
  try {
    execFileSync('rm', ['-rf', path], { stdio: 'ignore' });
  } catch {
    // Directories that even their owner may not look into; the superuser has none.
    execFileSync('chmod', ['-R', 'u+rwX', path], { stdio: 'ignore' });
    execFileSync('rm', ['-rf', path]);
  }
}

export function createHostileTree(root: string): HostileTree {
  const absolute = (path: string) => (path.startsWith('/') ? path : `${root}/${path}`);
  const ready = (path: string) => {
    mkdirSync(dirname(absolute(path)), { recursive: true });
    return absolute(path);
  };
  mkdirSync(root, { recursive: true });
  const write = (path: string, content: string | Uint8Array) => writeFileSync(ready(path), content);
  return {
    root,
    path: absolute,
    write,
    config: (value) => write('.context/context-config.json', JSON.stringify(value)),
    directory: (path) => void mkdirSync(absolute(path), { recursive: true }),
    fixture: (path, name) => copyFileSync(join(fixtures, name), ready(path)),
    link: (path, target) => symlinkSync(target, ready(path)),
    fifo: (...paths) => void execFileSync('mkfifo', ['--', ...paths.map(ready)]),
    async socket(path) {
      const server = createServer();
      servers.push(server);
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(ready(path), resolve));
    },
    sparse(path, bytes, start = '') {
      write(path, start);
      truncateSync(absolute(path), bytes);
    },
    badName(directory, bytes) {
      mkdirSync(absolute(directory), { recursive: true });
      writeFileSync(Buffer.concat([Buffer.from(`${absolute(directory)}/`), Buffer.from(bytes)]), 'bad');
    },
    many(directory, count, name) {
      mkdirSync(absolute(directory), { recursive: true });
      makeMany(
        absolute(directory),
        Array.from({ length: count }, (_, index) => name(index)),
      );
    },
    deep(path, levels, name = 'd') {
      mkdirSync(absolute(path), { recursive: true });
      runInChild(absolute(path), makeDeep, { levels, name });
    },
    mode: (path, mode) => chmodSync(absolute(path), mode),
  };
}

/** A link may not have more than some ten thousand names, so every thousandth file is one of its own. */
function makeMany(directory: string, names: readonly string[]): void {
  let first = '';
  for (const [index, name] of names.entries()) {
    const path = `${directory}/${name}`;
    if (index % 1_000 > 0) {
      linkSync(first, path);
      continue;
    }
    first = path;
    writeFileSync(path, always('many'));
  }
}

const makeDeep = `
  for (let level = 0; level < input.levels; level += 1) {
    fs.mkdirSync(input.name);
    process.chdir(input.name);
  }
  fs.writeFileSync('leaf.md', 'deep');`;

/** Runs a script in a process whose working directory can be moved along. `fs` and `input` are in its scope. */
function runInChild(cwd: string, script: string, input: unknown): void {
  const code = `const fs = require('node:fs'); const input = JSON.parse(fs.readFileSync(0, 'utf8')); ${script}`;
  execFileSync(process.execPath, ['-e', code], { cwd, input: JSON.stringify(input) });
}
